import type { CallContext, HttpRoute, Principal } from '../../../server/plugin.ts'
import type { Room } from '../room/room.ts'
import type { ReplicaAddress } from './link.ts'

/** The room that this process owns, and the caller's session. */
export interface RoomSession {
  readonly room: Room
  readonly sessionId: string
}

/** One call of a tool or resource: the work where this process owns the room, and the equivalent route of another owner. */
export interface RoomCall<T> {
  readonly route: HttpRoute
  readonly input: Readonly<Record<string, unknown>>
  /** The input may hold an `idempotency_key` of the caller. */
  readonly takesKey?: boolean
  /** `key`: the idempotency key of the call if it may already have happened at an owner that ended. */
  here(session: RoomSession, key?: string): Promise<T>
}

/** How tools and resources reach the room. */
export interface RoomAccess {
  /** The room and the caller's session when this process owns the room. Errors: `unauthorized`, `rate_limited`, those of opening it. */
  session(ctx: CallContext): Promise<RoomSession | 'remoteOwner'>
  /** The same without opening or joining the room: undefined where that would be needed. */
  currentSession(ctx: CallContext): RoomSession | undefined
  /** The same for an open stream: not counted as a call. */
  resumeSession(ctx: CallContext): Promise<RoomSession | 'remoteOwner'>
  /** Makes the call here or at the process that owns the room, and again at the next owner when that process ends meanwhile. */
  perform<T>(ctx: CallContext, call: RoomCall<T>): Promise<T>
  /**
   * Runs `work` for the caller at the server of the database that owns the room, and again at the next one where that ends
   * meanwhile; undefined if no other server has it. Errors: those of `work`; `unavailable`/`room_moved` for a caller whom
   * another server sent here, `room_owner_lost` where the work of `once` was lost, or time is up.
   */
  elsewhere<T>(
    principal: Principal | undefined,
    work: AtReplica<T>,
  ): Promise<{ readonly value: T } | undefined>
}

/** What is done at the server that owns the room. */
export interface AtReplica<T> {
  run(address: ReplicaAddress): Promise<T>
  /** It must not happen twice: where the answer is lost, the caller decides. */
  readonly once?: true
}
