import { refusals } from '../reasons.ts'
import { LIMITS } from './limits.ts'
import { addMinutes, type Moment, secondsUntil } from './moment.ts'
import { inRange } from './refusal.ts'
import { overlaps, parseTarget } from './target.ts'

export type LeaseStatus = 'active' | 'released' | 'expired'

/** A participant's claim on a target for a limited time. `fence` rises with each new lease of the room, not with a renewal. */
export interface Lease {
  readonly lease_id: string
  readonly participant_id: string
  readonly target: string
  readonly fence: number
  readonly status: LeaseStatus
  readonly acquired_at: Moment
  readonly expires_at: Moment
}

/** Lease minutes as asked for, 1 to 120. Errors: `invalid`/`limit_exceeded`. */
export function leaseMinutes(asked: number | undefined): number {
  return inRange(asked ?? LIMITS.leaseMinutes, 'lease in minutes', LIMITS.leaseMaxMinutes)
}

/**
 * The lease with a later end, never past 120 minutes after it was acquired; it stays as it is where it would end sooner.
 * Errors: `rate_limited`/`limit_exceeded` when it already ends there.
 */
export function renewed(lease: Lease, minutes: number, now: Moment): Lease {
  const cap = addMinutes(lease.acquired_at, LIMITS.leaseMaxMinutes)
  if (lease.expires_at >= cap) {
    const limit = LIMITS.leaseMaxMinutes
    throw refusals.lease_at_cap(
      { limit, end: lease.expires_at },
      { details: { limit, expires_at: lease.expires_at } },
    )
  }
  const wanted = addMinutes(now, minutes)
  const end = wanted < cap ? wanted : cap
  return { ...lease, expires_at: end > lease.expires_at ? end : lease.expires_at }
}

/** The first active lease of another participant that overlaps `target`. */
export function blockingLease(
  leases: readonly Lease[],
  participant: string,
  target: string,
): Lease | undefined {
  const wanted = parseTarget(target)
  return leases.find(
    (lease) => lease.participant_id !== participant && overlaps(parseTarget(lease.target), wanted),
  )
}

/** True when `fence` belongs to an active lease of this participant that overlaps `target`. */
export function isCurrentFence(
  leases: readonly Lease[],
  participant: string,
  target: string,
  fence: number,
): boolean {
  const wanted = parseTarget(target)
  return leases.some(
    (lease) =>
      lease.fence === fence &&
      lease.participant_id === participant &&
      overlaps(parseTarget(lease.target), wanted),
  )
}

/** The refusal while another participant holds `lease`. */
export function leaseConflict(lease: Lease, now: Moment): Error {
  const seconds = secondsUntil(now, lease.expires_at)
  return refusals.lease_conflict(
    { target: lease.target, seconds },
    {
      details: {
        lease_id: lease.lease_id,
        target: lease.target,
        holder: lease.participant_id,
        expires_at: lease.expires_at,
        retry_after_seconds: seconds,
      },
    },
  )
}
