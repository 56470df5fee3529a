import type { z } from 'zod'
import {
  type CallContext,
  type Capability,
  defineTool,
  type HttpRoute,
  type Profile,
  type TaskStarted,
  type Tool,
} from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { refusals } from '../reasons.ts'
import type { ActorChange, StoredRefusal } from '../room/change.ts'
import type { Keyed, Room } from '../room/room.ts'
import type { View } from '../room/views.ts'

/** Where guests come in: the ingress, or the listener of `serve` and of `mcp --transport` itself; and the owner's socket. */
export const GUEST_LISTENERS: readonly string[] = ['ingress', 'api', 'mcp', 'socket']

/** Where the room's routes are served: there and at the owner port. */
export const ROOM_LISTENERS: readonly string[] = ['owner', ...GUEST_LISTENERS]

/** A caller at the open room: this process's own, by its session. */
export interface Seat {
  readonly room: Room
  readonly sessionId: string
}

/** One call of a tool or resource: what happens at the open room, and the route that does the same at its owner. */
export interface RoomCall<T> {
  readonly route: HttpRoute
  readonly input: Readonly<Record<string, unknown>>
  /** `key`: the idempotency key under which the call may already have happened at an owner that went away. */
  here(seat: Seat, key?: string): Promise<T>
}

/** How tools and resources reach the room. */
export interface RoomAccess {
  /** The room and the caller's session when this process owns the room. Errors: `unauthorized`, `rate_limited`, those of opening it. */
  seat(ctx: CallContext): Promise<Seat | 'elsewhere'>
  /** The same without opening the room or joining it for this: undefined where that would be needed. */
  seatAtHand(ctx: CallContext): Seat | undefined
  /** The same for a stream that is held open already: it is no call, and does not count as one. */
  seatAgain(ctx: CallContext): Promise<Seat | 'elsewhere'>
  /** Makes the call here, or at the process that owns the room; again elsewhere when that process goes away meanwhile. */
  perform<T>(ctx: CallContext, call: RoomCall<T>): Promise<T>
}

/** An answer that is only looked at: the room's rows are read-only, the call copies them through the output schema. */
type Shown<T> = T extends readonly (infer U)[]
  ? readonly Shown<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Shown<T[K]> }
    : T

/** What the tools of a room have in common; the rest of a declaration they state themselves. */
interface RoomToolFacts<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly profile: Profile
  readonly requires?: Capability
  readonly input: I
  readonly output: O
  readonly example: z.input<I>
  readonly maxResultChars?: number
  digest(output: z.output<O>): string
}

/** A tool that looks: `GET /workspace/<name>`. */
export interface ReadFacts<I extends z.ZodObject, O extends z.ZodObject> extends RoomToolFacts<I, O> {
  look(view: View, input: z.output<I>): Shown<z.input<O>>
}

/** A tool that changes: `POST /workspace<path>`. */
export interface ChangeFacts<I extends z.ZodObject, O extends z.ZodObject> extends RoomToolFacts<I, O> {
  readonly path: `/${string}`
  readonly method?: 'DELETE'
  readonly destructive?: true
  /** A repeat with the same input gives no further event. */
  readonly idempotent?: true
  readonly task?: true
  work(change: ActorChange, input: z.output<I>): Shown<z.input<O>> | StoredRefusal
  /** The answer as a task, where the caller takes one. */
  answer?(ctx: CallContext, result: Shown<z.input<O>>): TaskStarted | undefined
}

/** Declares a reading tool. */
export function readTool<I extends z.ZodObject, O extends z.ZodObject>(
  access: RoomAccess,
  facts: ReadFacts<I, O>,
): Tool<I, O> {
  const { look, ...declared } = facts
  const http: HttpRoute = {
    method: 'GET',
    path: `/workspace/${facts.name.slice('workspace_'.length)}`,
    listeners: ROOM_LISTENERS,
  }
  return defineTool<I, O>({
    ...declared,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http,
    async handler(ctx, input) {
      const shown = await access.perform(ctx, {
        route: http,
        input,
        async here({ room, sessionId }) {
          await room.look()
          return room.read(sessionId, (view) => look(view, input))
        },
      })
      return shown as z.input<O> // only read from here on
    },
  })
}

/** Declares a tool that changes the room. */
export function changeTool<I extends z.ZodObject, O extends z.ZodObject>(
  access: RoomAccess,
  facts: ChangeFacts<I, O>,
): Tool<I, O> {
  const { work, answer, path, method = 'POST', destructive, idempotent, ...declared } = facts
  const http: HttpRoute = {
    method,
    path: `/workspace${path}`,
    listeners: ROOM_LISTENERS,
    maxBodyBytes: LIMITS.requestBodyBytes,
  }
  return defineTool<I, O>({
    ...declared,
    annotations: {
      readOnly: false,
      destructive: destructive ?? false,
      idempotent: idempotent ?? false,
      openWorld: false,
    },
    http,
    async handler(ctx, input) {
      const keyed = checkedKey(input) as z.output<I> & Keyed // the same object; a tool without the field has no key
      const result = await access.perform<Shown<z.input<O>>>(ctx, {
        route: http,
        input,
        here: ({ room, sessionId }, key) => {
          const once = { ...keyed, idempotency_key: keyed.idempotency_key ?? key }
          return room.change<z.output<I>, Shown<z.input<O>>>(sessionId, facts.name, once, (change) =>
            work(change, input),
          )
        },
      })
      return answer?.(ctx, result) ?? (result as z.input<O>) // only read from here on
    },
  })
}

/** The input with its key checked. Errors: `invalid`/`invalid_request` unless 1 to 128 visible ASCII characters. */
function checkedKey<T extends object>(input: T): T {
  const key: unknown = 'idempotency_key' in input ? input.idempotency_key : undefined
  if (key !== undefined && !/^[\x21-\x7e]{1,128}$/.test(String(key))) {
    throw refusals.idempotency_key()
  }
  return input
}

/** The first entries of a list as lines, for a digest; says how many more there are. */
export function lines(entries: readonly string[], max = 12): string {
  const more = entries.length > max ? [`… and ${entries.length - max} more`] : []
  return [...entries.slice(0, max), ...more].join('\n')
}
