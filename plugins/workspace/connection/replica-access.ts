import { setTimeout as pause } from 'node:timers/promises'
import type { CallContext, Credentials, Principal } from '../../../server/plugin.ts'
import type { Rank } from '../engine/room-lock.ts'
import { refusals } from '../reasons.ts'
import type { Attached, Attachment } from './attachment.ts'
import { forwardToReplica } from './forward.ts'
import { LinkLost, type ReplicaAddress } from './link.ts'
import { LOST_PAUSE_MS } from './local-session.ts'
import { lostOwner } from './lost-owner.ts'
import type { Owner } from './owner.ts'
import { createReplicaCallers, isPass, type ReplicaCallers } from './replica-callers.ts'
import { REPLICA_LIMIT_MS } from './replica-link.ts'
import { createReplicaSessions } from './replica-sessions.ts'
import type { RoomAccess, RoomCall } from './room-access.ts'

/** How this server and the others of its database reach the room for one another's callers. */
export interface ReplicaAccess extends Pick<RoomAccess, 'elsewhere'> {
  readonly callers: ReplicaCallers
  /** Attaches; a server that links to another one watches the room there. */
  reach(rank: Rank): Promise<Attached>
  /** The caller of a pass, or one whom the owner at another server knows; undefined: ask the owner here. */
  authenticate(credentials: Credentials): Promise<{ readonly principal: Principal | undefined } | undefined>
  /** The answer of the owner at another server to a session's call; `again`: this process owns the room by now. */
  answer<T>(ctx: CallContext, sessionId: string, call: RoomCall<T>): Promise<T | 'again'>
}

/** `watch` is told of each link of this server. */
export function createReplicaAccess(
  attachment: Attachment,
  watch: (attached: Attached) => void,
): ReplicaAccess {
  const callers = createReplicaCallers()
  const sessions = createReplicaSessions()
  const reach = async (rank: Rank): Promise<Attached> => {
    const attached = await attachment.attach(rank)
    if (rank === 'listener') watch(attached)
    return attached
  }
  const attempt = async <T>(attached: Attached, work: Promise<T>, deadline: number) => {
    try {
      return { value: await work }
    } catch (thrown) {
      if (thrown instanceof LinkLost) attachment.detach(attached)
      await pauseAfter(thrown, performance.now() > deadline)
      return undefined
    }
  }
  const elsewhere: RoomAccess['elsewhere'] = async (principal, { run, once }) => {
    const deadline = once ? 0 : performance.now() + REPLICA_LIMIT_MS
    for (;;) {
      const attached = await reach('listener')
      const address = replicaOf(attached)
      if (!address) return undefined
      if (callers.isPassedOn(principal)) throw refusals.room_moved()
      const found = await attempt(attached, run(address), deadline)
      if (found) return found
    }
  }
  return {
    callers,
    reach,
    elsewhere,
    async authenticate(credentials) {
      const { bearer } = credentials
      if (bearer === undefined) return undefined
      if (isPass(credentials))
        return { principal: await callers.authenticate(ownerHere(attachment), credentials) }
      const found = await elsewhere(undefined, { run: (address) => sessions.find(address, bearer) })
      return found && { principal: found.value }
    },
    async answer<T>(ctx: CallContext, sessionId: string, call: RoomCall<T>) {
      const answer = await elsewhere(ctx.principal, {
        run: (address) => forwardToReplica(address, sessionId, call, ctx.signal),
      })
      if (answer) return answer.value as T // the owner checked it against the same output schema
      if (attachment.current?.kind === 'there') throw refusals.not_owner()
      return 'again'
    },
  }
}

/** The other server that owns the room; undefined where this process does, or another one of this machine. */
export function replicaOf(attached: Attached | undefined): ReplicaAddress | undefined {
  return attached?.kind === 'there' && 'pass' in attached.address ? attached.address : undefined
}

/** Errors: `thrown`, if another attempt cannot help; `unavailable`/`room_owner_lost` if it is the last one. */
async function pauseAfter(thrown: unknown, isLast: boolean): Promise<void> {
  if (!(thrown instanceof LinkLost)) throw thrown
  if (isLast) throw lostOwner(thrown)
  await pause(LOST_PAUSE_MS)
}

function ownerHere({ current }: Attachment): Owner | undefined {
  return current?.kind === 'here' ? current.owner : undefined
}
