import type { IncomingMessage } from 'node:http'
import { isSatchelError } from '../../../server/plugin.ts'
import { callOwner, type LinkCall, LinkLost, openAnswer, openFrames, type ReplicaAddress } from './link.ts'

/** A call that a server makes at the owner of the room, for a session or for itself. */
export interface ReplicaCall extends Omit<LinkCall, 'token' | 'inTurn'> {
  readonly session?: string | undefined
}

/** A server that was stopped in the middle of its work keeps the room for 8 s: then this one may take it. */
export const REPLICA_LIMIT_MS = 10_000
/** What a server says that has no room any more, or none yet: the call did not run there, or its key tells that it did. */
const NOT_OWNER: ReadonlySet<string> = new Set([
  'pass_refused',
  'room_moved',
  'stopping',
  'store_poisoned',
  'room_not_running',
  'room_starting',
])

/** Makes one call there. Errors: `LinkLost` also where that server is not the owner any more; its refusals. */
export async function callReplica(address: ReplicaAddress, call: ReplicaCall): Promise<unknown> {
  return orLost(() => callOwner(address, passed(address, call)))
}

/** The same, with the answer as it comes. */
export async function openReplica(address: ReplicaAddress, call: ReplicaCall): Promise<IncomingMessage> {
  return orLost(() => openAnswer(address, passed(address, call)))
}

/** The frames of a session's event stream there. */
export async function openReplicaFrames(
  address: ReplicaAddress,
  {
    session,
    ...options
  }: { readonly session?: string; readonly since: number; readonly signal: AbortSignal },
): Promise<AsyncGenerator<string>> {
  return orLost(() => openFrames(address, { ...options, token: address.pass(session) }))
}

function passed(address: ReplicaAddress, { session, ...call }: ReplicaCall): LinkCall {
  return { limitMs: REPLICA_LIMIT_MS, ...call, token: address.pass(session) }
}

/** Reports whether this refusal says that the server is not the owner any more. */
export function isNotOwner(thrown: unknown): boolean {
  return isSatchelError(thrown) && NOT_OWNER.has(thrown.reason)
}

async function orLost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    throw isNotOwner(thrown) ? new LinkLost('That server is not the owner.', { cause: thrown }) : thrown
  }
}
