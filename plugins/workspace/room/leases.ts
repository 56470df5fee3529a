import { newId } from '../domain/identity.ts'
import { blockingLease, type Lease, leaseConflict, leaseMinutes, renewed } from '../domain/lease.ts'
import { addMinutes } from '../domain/moment.ts'
import { permissionDenied } from '../domain/refusal.ts'
import { formatTarget } from '../domain/target.ts'
import { refusals } from '../reasons.ts'
import { type ActorChange, actorMay, type Change, requireCapability } from './change.ts'
import { existingTarget, wantedTarget } from './document.ts'
import { leases, listed } from './tables.ts'

/** Expires every lease that is past its end. Runs on the timer, and first in each lease operation. */
export function expireLeases(change: Change): void {
  for (const lease of listed<Lease>(change.tx, 'lease_active')) {
    if (lease.expires_at > change.now) continue
    endLease(change, lease, 'expired', undefined)
  }
}

/**
 * Takes a lease on a target; the same holder and target renews it.
 * Errors: `invalid_region`, `lease_conflict`.
 */
export function checkout(
  change: ActorChange,
  input: { readonly target: string; readonly minutes?: number | undefined },
): Lease {
  requireCapability(change.actor, 'checkout')
  const minutes = leaseMinutes(input.minutes)
  const target = formatTarget(wantedTarget(change, input.target))
  expireLeases(change)
  const { tx, now, actor, random } = change
  const holder = actor.participant.participant_id
  const active = listed<Lease>(tx, 'lease_active')
  const own = active.find((lease) => lease.participant_id === holder && lease.target === target)
  if (own) return extend(change, own, minutes)
  existingTarget(change, target)
  const blocking = blockingLease(active, holder, target)
  if (blocking) throw leaseConflict(blocking, now)
  const fence = Number(tx.one('workspace_get')?.['fence']) + 1
  tx.run('fence_set', { fence })
  const lease: Lease = {
    lease_id: newId('lease', random),
    participant_id: holder,
    target,
    fence,
    status: 'active',
    acquired_at: now,
    expires_at: addMinutes(now, minutes),
  }
  return store(change, lease, {})
}

/**
 * Moves the end of an own lease.
 * Errors: `permission_denied` unless the caller holds it, `lease_not_active`, `rate_limited`/`limit_exceeded` at 120 minutes.
 */
export function renew(
  change: ActorChange,
  input: { readonly lease_id: string; readonly minutes?: number | undefined },
): Lease {
  requireCapability(change.actor, 'checkout')
  const minutes = leaseMinutes(input.minutes)
  expireLeases(change)
  const lease = leases.get(change.tx, input.lease_id)
  if (lease.participant_id !== change.actor.participant.participant_id) throw permissionDenied()
  if (lease.status !== 'active') {
    throw refusals.lease_not_active(
      { status: lease.status },
      { details: { lease_id: lease.lease_id, status: lease.status } },
    )
  }
  return extend(change, lease, minutes)
}

/** Releases a lease. Idempotent. Errors: `permission_denied` unless holder or admin. */
export function release(change: ActorChange, input: { readonly lease_id: string }): Lease {
  const { actor, tx } = change
  if (!actorMay(actor, 'checkout')) throw permissionDenied('checkout')
  const lease = leases.get(tx, input.lease_id)
  const isHolder = lease.participant_id === actor.participant.participant_id
  if (!isHolder && !actorMay(actor, 'admin')) throw permissionDenied()
  expireLeases(change)
  const present = leases.get(tx, input.lease_id)
  return present.status === 'active'
    ? endLease(change, present, 'released', isHolder ? undefined : 'admin')
    : present
}

/** Releases everything a participant holds; part of leaving. */
export function releaseAll(change: ActorChange, participantId: string): void {
  expireLeases(change)
  for (const lease of listed<Lease>(change.tx, 'lease_active')) {
    if (lease.participant_id === participantId) endLease(change, lease, 'released', 'left')
  }
}

function extend(change: ActorChange, lease: Lease, minutes: number): Lease {
  return store(change, renewed(lease, minutes, change.now), { renewed: true })
}

function store(change: ActorChange, lease: Lease, more: { readonly renewed?: true }): Lease {
  leases.put(change.tx, lease)
  const { lease_id, target, expires_at, fence } = lease
  change.emit({
    type: 'lease.acquired',
    actor: lease.participant_id,
    payload: { lease_id, target, expires_at, fence, ...more },
  })
  return lease
}

function endLease(
  change: Change & { readonly actor?: ActorChange['actor'] },
  lease: Lease,
  status: 'released' | 'expired',
  reason: string | undefined,
): Lease {
  const ended: Lease = { ...lease, status }
  leases.put(change.tx, ended)
  const { lease_id, target } = lease
  const actor = status === 'released' ? change.actor?.participant.participant_id : undefined
  change.emit({
    type: `lease.${status}`,
    ...(actor !== undefined && { actor }),
    payload: { lease_id, target, reason },
  })
  return ended
}
