import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isJsonObject, systemProcesses } from '../../../server/plugin.ts'
import type { RoomPlace } from '../engine/open-room.ts'
import type { Rank } from '../engine/room-lock.ts'
import { refusals } from '../reasons.ts'
import { callOwner, LinkLost, LinkSilent, type OwnerAddress, PING_LIMIT_MS } from './link.ts'
import { lostOwner } from './lost-owner.ts'
import type { Owner, OwnerAttempt } from './owner.ts'
import { isOfAnotherPlace } from './place-mark.ts'
import { callReplica } from './replica-link.ts'

/** How this process reaches the room: as its owner, or through the process that owns it. */
export type Attached =
  | { readonly kind: 'here'; readonly owner: Owner }
  | { readonly kind: 'there'; readonly address: OwnerAddress }

export interface Attachment {
  /**
   * How the room is reached now; attaches first if needed. No side effect before the first call. While this process
   * releases the room, its own calls wait. Errors: `unavailable`/`stopping` for calls at its socket meanwhile.
   */
  attach(rank: Rank): Promise<Attached>
  readonly current: Attached | undefined
  /** Forgets a broken link or an ended ownership. */
  detach(attached: Attached): void
  /** Releases the room. The next call attaches again, at the earliest `holdBackMs` later, so that the process that asked for the room gets it. */
  letGo(holdBackMs?: number): Promise<void>
  /** The owner announced its stop: this process does not attach again within `ms`. */
  holdBack(ms: number): void
  /** Releases the room permanently: every later call gets `reason`. */
  end(reason: unknown): Promise<void>
}

/** Pause between attempts while a room is being taken over: doubled from the first to the longest (design workspace, section 9). */
const FIRST_RETRY_MS = 20
const LONGEST_RETRY_MS = 250
/** How long the other processes wait after a planned change of owner. */
export const HOLD_BACK_MS = 300 // design workspace, section 9
/** Short enough for the process that asked for the room to find it free while the others hold back. */
const LONGEST_LISTENER_RETRY_MS = 80
const ATTACH_LIMIT_MS = 2000 // design workspace, section 9
/** A live owner that does not listen yet is recovering the room, which may take longer than a lost race. */
const RECOVERY_LIMIT_MS = 10_000
/** The version of the room protocol between processes; another major is refused. */
export const PROTOCOL = { name: 'satchel-room', major: 1 } as const

/** Owns the election of this process. `take` tries to become the owner; `place` is that of the room. */
export function createAttachment(
  take: (rank: Rank) => Promise<OwnerAttempt>,
  place: () => RoomPlace,
): Attachment {
  let current: Attached | undefined
  let attaching: Promise<Attached> | undefined
  let leaving: { readonly owner: Owner; readonly closed: Promise<void> } | undefined
  let holdBackUntil = 0
  let ended: { readonly reason: unknown } | undefined
  const holdBack = (ms: number): void => {
    holdBackUntil = performance.now() + ms
  }
  const heldBack = async (): Promise<void> => {
    await leaving?.closed
    const waitMs = holdBackUntil - performance.now()
    if (waitMs > 0) await pause(waitMs)
  }
  const attach = async (rank: Rank): Promise<Attached> => {
    if (ended) throw ended.reason
    if (current) return current
    // Only calls at the socket ask a stdio process as a listener. Refuse them as a closing listener does: callers retry at
    // the next owner.
    if (leaving?.owner.rank === 'stdio' && rank === 'listener') throw refusals.stopping()
    attaching ??= heldBack()
      .then(() => attachNow(take, place, rank))
      .finally(() => {
        attaching = undefined
      })
    current = await attaching
    return current
  }
  const letGo = async (holdBackMs = 0): Promise<void> => {
    const attached = current
    current = undefined
    if (attached?.kind !== 'here') return leaving?.closed
    const { owner } = attached
    const closed = owner.close().finally(() => {
      leaving = undefined
      holdBack(holdBackMs)
    })
    leaving = { owner, closed: closed.catch(() => undefined) } // a waiter then finds the lock as it is
    await closed
  }
  return {
    attach,
    get current() {
      return current
    },
    detach(attached) {
      if (current === attached) current = undefined
    },
    letGo,
    holdBack,
    end(reason) {
      ended = { reason }
      return letGo()
    },
  }
}

async function attachNow(
  take: (rank: Rank) => Promise<OwnerAttempt>,
  place: () => RoomPlace,
  rank: Rank,
): Promise<Attached> {
  const began = performance.now()
  let racingSince: number | undefined
  const longestMs = rank === 'listener' ? LONGEST_LISTENER_RETRY_MS : LONGEST_RETRY_MS
  // Back off so that the recovering owner gets the CPU.
  for (let retryMs = FIRST_RETRY_MS; ; retryMs = Math.min(retryMs * 2, longestMs)) {
    const attempt = await take(rank)
    if (attempt.kind === 'owner') return { kind: 'here', owner: attempt.owner }
    const link = attempt.kind === 'held' ? await linkTo(attempt, place(), rank) : undefined
    if (link) return link
    const now = performance.now()
    // The limit counts from the first of consecutive lost races: an attempt may take long, and earlier waits were not races.
    racingSince = attempt.kind === 'lost' ? (racingSince ?? now) : undefined
    const isLate =
      racingSince === undefined ? now - began > RECOVERY_LIMIT_MS : now - racingSince > ATTACH_LIMIT_MS
    if (isLate) throw notReached(attempt)
    await pause(retryMs / 2 + randomInt(retryMs / 2))
  }
}

/** An owner on another machine is not reached from here. */
function notReached(attempt: OwnerAttempt) {
  const host = attempt.kind === 'held' ? attempt.record.host : undefined
  if (host !== undefined && attempt.kind === 'held' && attempt.replica)
    return refusals.replica_unreachable({ host })
  const isElsewhere = host !== undefined && host !== systemProcesses.self.host
  return isElsewhere ? refusals.owner_elsewhere({ host }) : refusals.room_starting()
}

type Held = Extract<OwnerAttempt, { readonly kind: 'held' }>

/**
 * A link to the live owner; undefined while it does not listen yet, or after it was asked to yield.
 * Errors: `unavailable`/`room_owner_lost` if it listens and does not answer.
 */
async function linkTo(
  { record, replica }: Held,
  place: RoomPlace,
  rank: Rank,
): Promise<Attached | undefined> {
  const address = { socket: record.socket, pid: record.pid }
  try {
    if (replica) {
      requireSameProtocol(await callReplica(replica, { method: 'GET', path: '/replica/ping' }))
      return { kind: 'there', address: replica }
    }
    const answer = await callOwner(address, { method: 'GET', path: '/local/ping', limitMs: PING_LIMIT_MS })
    requireSameProtocol(answer)
    if (isOfAnotherPlace(answer, place.sidecar)) throw refusals.room_copied()
    if (rank === 'stdio') return { kind: 'there', address }
    if (record.rank === 'listener') {
      const locked = addressIn(answer)
      throw refusals.room_locked({ address: locked }, { details: { address: locked } })
    }
    await callOwner(address, { method: 'POST', path: '/local/yield', body: {} })
    return undefined
  } catch (thrown) {
    if (thrown instanceof LinkSilent) throw lostOwner(thrown)
    if (thrown instanceof LinkLost) return undefined
    throw thrown
  }
}

/** Errors: `unavailable`/`protocol_mismatch`. */
export function requireSameProtocol(answer: unknown): void {
  const major =
    isJsonObject(answer) && isJsonObject(answer['protocol']) ? answer['protocol']['major'] : undefined
  if (major !== PROTOCOL.major) throw refusals.protocol_mismatch()
}

function addressIn(answer: unknown): string {
  const urls = isJsonObject(answer) ? answer['urls'] : undefined
  return Array.isArray(urls) && urls.length > 0 ? urls.join(' ') : 'in another process'
}
