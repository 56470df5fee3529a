import type { z } from 'zod'
import {
  type CallContext,
  type Capability,
  counted,
  defineTool,
  type HttpRoute,
  type Profile,
  type TaskStarted,
  type Tool,
} from '../../../server/plugin.ts'
import type { RoomAccess, RoomSession } from '../connection/room-access.ts'
import { LIMITS } from '../domain/limits.ts'
import { refusals } from '../reasons.ts'
import type { ActorChange, StoredRefusal } from '../room/change.ts'
import type { Keyed } from '../room/room.ts'
import type { View } from '../room/views.ts'

/** The listeners that guests use: the ingress, or that of `serve` and `mcp --transport`; and the owner's socket. */
export const GUEST_LISTENERS: readonly string[] = ['ingress', 'api', 'mcp', 'socket']

/** The listeners of the room's routes. */
export const ROOM_LISTENERS: readonly string[] = ['owner', ...GUEST_LISTENERS]

/** A read-only result: the call copies the room's rows through the output schema. */
export type Shown<T> = T extends readonly (infer U)[]
  ? readonly Shown<U>[]
  : T extends object
    ? { readonly [K in keyof T]: Shown<T[K]> }
    : T

/** What every tool of a room declares. */
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
  readonly answerTokens?: number
  readonly omits?: NonNullable<Tool['omits']>
  readonly textIsJson?: true
  headline(output: z.output<O>): string
}

/** A reading tool. */
export interface ReadFacts<I extends z.ZodObject, O extends z.ZodObject> extends RoomToolFacts<I, O> {
  /** Below `/workspace`; absent: the name. */
  readonly path?: `/${string}`
  look(view: View, input: z.output<I>): Shown<z.input<O>>
  /** Its answer grows with the document: `readInTurn`. */
  readonly long?: true
  /** The input of a caller at MCP, which divides the answer into pages itself. Absent: the same as at any door. */
  uncut?(input: z.output<I>): z.output<I>
}

/** A changing tool: `POST /workspace<path>`. */
export interface ChangeFacts<I extends z.ZodObject, O extends z.ZodObject, B = undefined>
  extends RoomToolFacts<I, O> {
  readonly path: `/${string}`
  readonly method?: 'DELETE'
  readonly destructive?: true
  /** A repeat with the same input emits no further event. */
  readonly idempotent?: true
  readonly task?: true
  /** What the change needs of other plugins, asked for before it by the process that owns the room. */
  before?(session: RoomSession, input: z.output<I>): Promise<B>
  work(change: ActorChange, input: z.output<I>, before: B): Shown<z.input<O>> | StoredRefusal
  /** What follows from the stored change in other plugins, at the process that owns the room. */
  after?(session: RoomSession, result: Shown<z.input<O>>): Promise<Shown<z.input<O>>>
  /** The same at the process that the caller is connected to. */
  nearby?(ctx: CallContext, result: Shown<z.input<O>>): Promise<Shown<z.input<O>>>
  /** The result as a task, where the caller accepts one. */
  answer?(ctx: CallContext, result: Shown<z.input<O>>): TaskStarted | undefined
}

/** The headline of a page of a list: how many rows, and whether there are more. */
export function pageHeadline(rows: readonly unknown[], what: string, next: string | undefined): string {
  return `${counted(rows.length, what)}${next === undefined ? '' : ', and there are more'}.`
}

/** Declares a reading tool. */
export function readTool<I extends z.ZodObject, O extends z.ZodObject>(
  access: RoomAccess,
  facts: ReadFacts<I, O>,
): Tool<I, O> {
  const { path = `/${facts.name.slice('workspace_'.length)}`, look, long, uncut, ...declared } = facts
  const http: HttpRoute = { method: 'GET', path: `/workspace${path}`, listeners: ROOM_LISTENERS }
  return defineTool<I, O>({
    ...declared,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    http,
    async handler(ctx, asked) {
      const input = ctx.door === 'mcp' && uncut ? uncut(asked) : asked
      const shown = await access.perform(ctx, {
        route: http,
        input,
        async here({ room, sessionId }) {
          await room.look()
          const read = long ? room.readInTurn : room.read
          return read(sessionId, (view) => look(view, input))
        },
      })
      return shown as z.input<O> // only read from here on
    },
  })
}

/** Declares a tool that changes the room. */
export function changeTool<I extends z.ZodObject, O extends z.ZodObject, B = undefined>(
  access: RoomAccess,
  facts: ChangeFacts<I, O, B>,
): Tool<I, O> {
  const {
    work,
    before,
    after,
    nearby,
    answer,
    path,
    method = 'POST',
    destructive,
    idempotent,
    ...declared
  } = facts
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
      refuseHalfCharacters(input, '')
      const keyed = checkedKey(input) as z.output<I> & Keyed // the same object; a tool without the field has no key
      const result = await access.perform<Shown<z.input<O>>>(ctx, {
        route: http,
        input,
        takesKey: 'idempotency_key' in facts.input.shape,
        async here(session, key) {
          const { room, sessionId } = session
          const once = { ...keyed, idempotency_key: keyed.idempotency_key ?? key }
          const asked = (await before?.(session, input)) as B // without `before` it is of no use to `work`
          const done = await room.change<z.output<I>, Shown<z.input<O>>>(
            sessionId,
            facts.name,
            once,
            (change) => work(change, input, asked),
          )
          return after ? after(session, done) : done
        },
      })
      const whole = nearby ? await nearby(ctx, result) : result
      return answer?.(ctx, whole) ?? (whole as z.input<O>) // only read from here on
    },
  })
}

/** Errors: `invalid`/`invalid_request` for half of a surrogate pair, which UTF-8 does not have: it would be replaced. */
function refuseHalfCharacters(value: unknown, pointer: string): void {
  if (typeof value === 'string') {
    if (value.isWellFormed()) return
    const errors = [{ pointer, message: 'must be valid Unicode' }]
    throw refusals.half_character({ field: pointer }, { errors })
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    refuseHalfCharacters(name, pointer)
    refuseHalfCharacters(member, `${pointer}/${name}`)
  }
}

/** The input with its key checked. Errors: `invalid`/`invalid_request` unless 1 to 128 visible ASCII characters. */
function checkedKey<T extends object>(input: T): T {
  const key: unknown = 'idempotency_key' in input ? input.idempotency_key : undefined
  if (key !== undefined && !/^[\x21-\x7e]{1,128}$/.test(String(key))) {
    throw refusals.idempotency_key()
  }
  return input
}
