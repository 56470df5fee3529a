import type { SatchelError } from '../../../server/plugin.ts'
import { isActionable } from '../domain/ready.ts'
import { extension, type Flag, type Handoff, type Status } from '../domain/record.ts'
import { ALLOWED } from '../domain/transition.ts'
import type { CheckResult, Verdict } from '../domain/validation.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import type { TransitionRequest } from './transition-request.ts'

/** Refuses to release what nobody could go on from. */
export function refuseUnready(
  stored: StoredRecord,
  flags: readonly Flag[],
  status: string | undefined,
  acceptWarnings: string | undefined,
): void {
  const { id, record } = stored
  const next = { tool: 'handoff_validate', args: { id } }
  if (extension(record).conflicts.length > 0) throw refusals.conflicts_unresolved({ next })
  if (flags.length > 0) throw refusals.flagged({ flags: flags.join(' and ') }, { next })
  if (status !== 'pass' && !(status === 'warn' && acceptWarnings)) {
    throw refusals.needs_acknowledgement({ next })
  }
  if (!isActionable(record)) throw refusals.not_actionable({ next })
}

/** The flags that stay; `invalid` is never taken off by hand. */
export function clearedFlags(
  record: Handoff,
  { clearFlags, reason }: Pick<TransitionRequest, 'clearFlags' | 'reason'>,
): readonly Flag[] {
  if (clearFlags.length === 0) return record.flags
  if (clearFlags.includes('invalid')) {
    throw refusals.invalid_flag({ next: { tool: 'handoff_validate', args: { id: record.id } } })
  }
  if (!reason) {
    throw refusals.reason_missing({ errors: [{ pointer: '/reason', message: 'missing' }] })
  }
  if (extension(record).conflicts.length > 0) throw refusals.conflicts_unresolved()
  return record.flags.filter((flag) => !clearFlags.includes(flag))
}

/** The status table has no such step, or the record is not in the status that the caller expects. */
export function illegal(stored: StoredRecord, to: Status, expected: Status | undefined): SatchelError {
  const { status } = stored.record
  const allowed = ALLOWED[status]
  const byResume = to === 'resumed' && (status === 'ready' || status === 'resumed')
  const next = byResume
    ? { tool: 'handoff_resume', args: { id: stored.id } }
    : { tool: 'handoff_get', args: { id: stored.id } }
  const options = { details: { from: status, to, allowed: [...allowed] }, next }
  if (expected !== undefined && expected !== status) {
    return refusals.other_status({ status, expected }, options)
  }
  return refusals.illegal_transition({ from: status, to, allowed: allowed.join(', ') }, options)
}

/** The checks said no; their outcome was stored. */
export function checksFailed(id: string, verdict: Verdict): SatchelError {
  const checks: readonly CheckResult[] = verdict.validation.checks
  const failed = checks.filter(({ status }) => status === 'fail')
  const names = failed.map(({ name }) => name).join(', ')
  const errors = failed.flatMap(({ pointers, detail }) =>
    pointers.map((pointer) => ({ pointer, message: detail })),
  )
  const next = { tool: 'handoff_validate', args: { id } }
  return refusals.checks_failed({ names }, { details: { checks: failed }, errors, next })
}
