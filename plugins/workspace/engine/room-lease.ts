import { randomUUID } from 'node:crypto'
import { isJsonObject, type ProcessIdentity } from '../../../server/plugin.ts'
import type { Clock } from './clock.ts'
import type { Announcement, RoomRows } from './database-rows.ts'
import type { Rank, RoomLock, RoomLockRecord } from './room-lock.ts'

/** How long an owner that says nothing keeps a room of the database. */
export const LEASE_MS = 8_000
const RENEWALS = 4 // in a lease
/** The clocks of two machines run at nearly the same speed. */
const TRUSTED_SHARE = 0.9

export interface LeaseOptions {
  readonly rows: RoomRows
  readonly clock: Clock
  readonly self: ProcessIdentity
  readonly rank: Rank
  /** Where the n-th owner listens. */
  socketOf(n: number): string
  readonly place: string | undefined
  /** What the other servers of the database learn of this one; absent: they do not reach it. */
  readonly announced?: Announcement | undefined
  readonly leaseMs?: number | undefined
}

export type LeaseAttempt =
  | { readonly kind: 'owner'; readonly lease: RoomLock }
  | HeldRoom
  | { readonly kind: 'lost' }

/** A room of a live owner, and what that announced. */
export interface HeldRoom {
  readonly kind: 'held'
  readonly record: RoomLockRecord
  readonly announced?: Announcement
}

/**
 * Takes the room whose lease has ended, by the clock of the server, and renews the lease until its release. `holds` is what
 * this process knows by its own clock, without asking: it ends before the lease does. The nonce of the record is the fence.
 */
export async function takeLease(options: LeaseOptions): Promise<LeaseAttempt> {
  const { rows, clock, leaseMs = LEASE_MS } = options
  const { generation, holder, announced } = await rows.ownership()
  if (holder !== undefined) return { kind: 'held', record: recordIn(holder), ...(announced && { announced }) }
  const n = generation + 1
  const record: RoomLockRecord = {
    ...options.self,
    n,
    nonce: randomUUID(),
    rank: options.rank,
    socket: options.socketOf(n),
    place: options.place,
  }
  const asked = momentOf(clock)
  const taking = { generation, owner: record.nonce, holder: JSON.stringify(record), leaseMs }
  if (!(await rows.take({ ...taking, announced: options.announced }))) return { kind: 'lost' }
  return { kind: 'owner', lease: holding(options, record, asked) }
}

/** On both clocks: the one that never goes back does not count while a machine sleeps. */
interface Moment {
  readonly elapsedMs: number
  readonly nowMs: number
}

function momentOf(clock: Clock): Moment {
  return { elapsedMs: clock.elapsedMs(), nowMs: clock.nowMs() }
}

function holding({ rows, clock, leaseMs = LEASE_MS }: LeaseOptions, record: RoomLockRecord, taken: Moment) {
  let asked = taken
  let isOver = false
  let cancel = (): void => {}
  const renew = async (): Promise<void> => {
    const moment = momentOf(clock)
    // A server that does not answer may answer the next time; `holds` ends in time.
    const renewed = await rows.renew(record.nonce, leaseMs).catch(() => undefined)
    if (renewed) asked = moment
    if (renewed === false) isOver = true
    if (!isOver) cancel = clock.after(leaseMs / RENEWALS, beat)
  }
  const beat = (): void => void renew() // catches everything
  cancel = clock.after(leaseMs / RENEWALS, beat)
  const lease: RoomLock = {
    record,
    holds() {
      const { elapsedMs, nowMs } = momentOf(clock)
      const trustedMs = leaseMs * TRUSTED_SHARE
      return !isOver && elapsedMs - asked.elapsedMs < trustedMs && nowMs - asked.nowMs < trustedMs
    },
    async release() {
      if (isOver) return
      isOver = true
      cancel()
      // A server that does not answer lets the lease end by itself.
      await rows.release(record.nonce).catch(() => undefined)
    },
  }
  return lease
}

function recordIn(holder: string): RoomLockRecord {
  const record: unknown = JSON.parse(holder)
  if (!isJsonObject(record)) throw new Error('unreachable: a holder is a record')
  return record as unknown as RoomLockRecord // written by `takeLease`
}
