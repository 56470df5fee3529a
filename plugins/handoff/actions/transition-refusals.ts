import { SatchelError } from '../../../server/plugin.ts'
import { isActionable } from '../domain/ready.ts'
import { extension, type Flag, type Handoff, type Status } from '../domain/record.ts'
import { ALLOWED } from '../domain/transition.ts'
import type { CheckResult, Verdict } from '../domain/validation.ts'
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
  const refuse = (reason: string, message: string) => new SatchelError('conflict', reason, message, { next })
  if (extension(record).conflicts.length > 0) {
    throw refuse(
      'conflicts_unresolved',
      'The merge has open conflicts; resolve them with handoff_merge first.',
    )
  }
  if (flags.length > 0) {
    throw refuse('flagged', `The record is flagged ${flags.join(' and ')}; settle that first.`)
  }
  if (status !== 'pass' && !(status === 'warn' && acceptWarnings)) {
    throw refuse(
      'needs_acknowledgement',
      'The checks warn; read them, then give accept_warnings with the reason.',
    )
  }
  if (!isActionable(record)) {
    throw refuse(
      'not_actionable',
      'Nobody could go on: give an open item a suggested_action, or say what is completed.',
    )
  }
}

/** The flags that stay; `invalid` is never taken off by hand. */
export function clearedFlags(
  record: Handoff,
  { clearFlags, reason }: Pick<TransitionRequest, 'clearFlags' | 'reason'>,
): readonly Flag[] {
  if (clearFlags.length === 0) return record.flags
  if (clearFlags.includes('invalid')) {
    throw new SatchelError(
      'conflict',
      'flagged',
      'The flag "invalid" goes with the next passing check run.',
      {
        next: { tool: 'handoff_validate', args: { id: record.id } },
      },
    )
  }
  if (!reason) {
    throw new SatchelError('invalid', 'invalid_arguments', 'clear_flags needs a reason.', {
      details: { errors: [{ pointer: '/reason', message: 'missing' }] },
    })
  }
  if (extension(record).conflicts.length > 0) {
    throw new SatchelError(
      'conflict',
      'conflicts_unresolved',
      'The merge has open conflicts; resolve them first.',
    )
  }
  return record.flags.filter((flag) => !clearFlags.includes(flag))
}

/** The state table has no such step. */
export function illegal(stored: StoredRecord, to: Status): SatchelError {
  const { status } = stored.record
  const allowed = ALLOWED[status]
  const byResume = to === 'resumed' && (status === 'ready' || status === 'resumed')
  const next = byResume
    ? { tool: 'handoff_resume', args: { id: stored.id } }
    : { tool: 'handoff_get', args: { id: stored.id } }
  return new SatchelError(
    'conflict',
    'illegal_transition',
    `A ${status} record cannot become ${to}; it can become ${allowed.join(', ')}.`,
    { details: { from: status, to, allowed: [...allowed] }, next },
  )
}

/** The checks said no; their outcome was stored. */
export function checksFailed(id: string, verdict: Verdict): SatchelError {
  const checks: readonly CheckResult[] = verdict.validation.checks
  const failed = checks.filter(({ status }) => status === 'fail')
  const names = failed.map(({ name }) => name).join(', ')
  return new SatchelError(
    'invalid',
    'checks_failed',
    `These checks failed: ${names}. Correct the record, then try again.`,
    {
      details: {
        checks: failed,
        errors: failed.flatMap(({ pointers, detail }) =>
          pointers.map((pointer) => ({ pointer, message: detail })),
        ),
      },
      next: { tool: 'handoff_validate', args: { id } },
    },
  )
}
