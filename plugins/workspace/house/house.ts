import { type CallContext, type Credentials, isSatchelError, type Principal } from '../../../server/plugin.ts'
import { LIMITS } from '../domain/limits.ts'
import { refusal } from '../domain/refusal.ts'
import type { Rank } from '../engine/lock.ts'
import type { Joined } from '../room/members.ts'
import type { RoomAccess, RoomCall, Seat } from '../tools/room-tool.ts'
import { type Attached, type Attachment, pause } from './attachment.ts'
import { authenticateAt, mayBeOurs, principalOf, sessionIdOf } from './credentials.ts'
import { forward, keyed } from './forward.ts'
import { LinkLost } from './link.ts'
import { LOST_LIMIT_MS, LOST_PAUSE_MS, type LocalSession, ownerLost } from './local-session.ts'
import type { Owner } from './owner.ts'
import { createRate } from './rate.ts'

export interface HouseParts {
  readonly attachment: Attachment
  readonly local: LocalSession
  /** A link stands and this process has a session there. */
  follow(attached: Attached, joined: Joined): void
}

/** This process's way to the room: who is calling, and where the call happens. */
export interface House extends RoomAccess {
  authenticate(credentials: Credentials): Promise<Principal | undefined>
  /** The owner, attaching first; for what only a serving process does. Errors: `unavailable`/`room_not_running`. */
  owner(rank: Rank): Promise<Owner>
}

/** Joins attachment and local session. */
export function createHouse({ attachment, local, follow }: HouseParts): House {
  const rate = createRate(LIMITS.callsPerMinute)

  const sessionOf = async ({ principal, localTransport, client }: CallContext): Promise<string> => {
    if (localTransport !== undefined) return (await local.get(client?.name)).session_id
    const sessionId = sessionIdOf(principal)
    if (sessionId !== undefined) return sessionId
    throw refusal('unauthorized', 'This needs a workspace session: join the room first.')
  }
  const seat = async (ctx: CallContext): Promise<Seat | 'elsewhere'> => {
    const sessionId = await sessionOf(ctx)
    rate.count(sessionId)
    const attached = await attachment.attach(rankOf(ctx))
    if (attached.kind === 'there') return 'elsewhere'
    attached.owner.touch(sessionId)
    return { room: attached.owner.room, sessionId }
  }
  const atOwner = async <T>(ctx: CallContext, call: RoomCall<T>, deadline: number): Promise<T | 'again'> => {
    const attached = attachment.current
    const joined = local.current
    if (ctx.localTransport === undefined)
      throw refusal('room_not_running', 'Another process owns this room now.')
    if (attached?.kind !== 'there' || !joined) return 'again'
    try {
      const answer = await forward(attached.address, joined.token, call, ctx.signal)
      follow(attached, joined)
      return answer as T // it passed the same output schema at the owner
    } catch (thrown) {
      await recover(thrown, { attached, joined, late: performance.now() > deadline })
      return 'again'
    }
  }
  /** Makes another try possible: attaches or joins anew. Errors: `thrown`, when no other try helps. */
  const recover = async (
    thrown: unknown,
    { attached, joined, late }: { attached: Attached; joined: Joined; late: boolean },
  ): Promise<void> => {
    if (thrown instanceof LinkLost) {
      if (late) throw ownerLost()
      attachment.detach(attached)
      await pause(LOST_PAUSE_MS)
      return
    }
    const isStale = isSatchelError(thrown) && thrown.code === 'unauthorized'
    if (!isStale || late) throw thrown
    local.forget(joined)
  }
  return {
    seat,
    async perform(ctx, call) {
      const once = keyed(call)
      const deadline = performance.now() + LOST_LIMIT_MS
      for (;;) {
        const place = await seat(ctx)
        const answer = place === 'elsewhere' ? await atOwner(ctx, once, deadline) : await call.here(place)
        if (answer !== 'again') return answer
      }
    },
    async authenticate(credentials) {
      const { transport, client } = credentials
      if (transport === 'stdio') return principalOf(await local.get(client?.name))
      if (transport === 'cli' || !mayBeOurs(credentials)) return undefined
      const attached = await attachment.attach('listener')
      return attached.kind === 'here' ? authenticateAt(attached.owner, credentials) : undefined
    },
    async owner(rank) {
      const attached = await attachment.attach(rank)
      if (attached.kind === 'here') return attached.owner
      throw refusal('room_not_running', 'Another process owns this room.')
    },
  }
}

function rankOf({ localTransport }: CallContext): Rank {
  return localTransport === undefined ? 'listener' : 'stdio'
}
