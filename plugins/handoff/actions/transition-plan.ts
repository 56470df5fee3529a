import type { SatchelError } from '../../../server/plugin.ts'
import type { CheckResult, Verdict } from '../domain/checks/validation.ts'
import { contentDigest } from '../domain/content-digest.ts'
import { parseConflicts, placeOfConflict } from '../domain/merge-conflicts.ts'
import { extension, type Flag, type Handoff, type Status, type Validation } from '../domain/record.ts'
import { type RecordChange, withFlag } from '../domain/record-change.ts'
import { childRows } from '../domain/record-table.ts'
import { quoted } from '../domain/secrets.ts'
import { ALLOWED, isActionable, type Step, stepFor } from '../domain/transition.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { judgeStored } from './validate-record.ts'

/** Input of `handoff_transition`. */
export interface TransitionRequest {
  readonly id: string
  readonly to: Status | undefined
  readonly from: Status | undefined
  readonly ifMatch: string | undefined
  readonly reason: string | undefined
  readonly acceptWarnings: string | undefined
  readonly clearFlags: readonly Flag[]
  readonly nonce: string | undefined
}

/** What a transition will write. */
export interface Plan {
  /** Undefined: nothing is written. */
  readonly change: RecordChange | undefined
  /** Thrown after the change is stored, so that the record keeps the failed check run. */
  readonly refusal?: SatchelError
}

/**
 * Decides a transition without writing. Errors: those of the functions below.
 */
export async function planOf(
  project: Project,
  stored: StoredRecord,
  request: TransitionRequest,
): Promise<Plan> {
  const { record } = stored
  const { from, to = record.status } = request
  const step = request.to === undefined ? 'stay' : stepFor(record.status, to)
  if (step === 'illegal' || (from !== undefined && from !== record.status)) {
    throw illegal(stored, to, from)
  }
  const flags = clearedFlags(record, request)
  const plan = await planStep(project, { ...stored, record: { ...record, flags: [...flags] } }, step, request)
  if (plan.change === undefined && flags.length === record.flags.length) return plan
  return { ...plan, change: { flags, ...plan.change } }
}

async function planStep(
  project: Project,
  stored: StoredRecord,
  step: Exclude<Step, 'illegal'>,
  request: TransitionRequest,
): Promise<Plan> {
  switch (step) {
    case 'stay':
      return { change: undefined }
    case 'validate':
      return validated(stored, await judgeStored(project, stored))
    case 'promote':
      return promoted(project, stored, request)
    case 'release':
      return { change: { status: 'ready', claim: null } }
    case 'supersede':
      await refuseWithoutSuccessor(project, stored)
      return { change: { status: 'superseded', claim: null } }
    case 'archive':
      return { change: { status: 'archived', claim: null } }
  }
}

function validated(stored: StoredRecord, verdict: Verdict): Plan {
  const { record } = stored
  const validation = storable(verdict)
  if (verdict.validation.status === 'fail') {
    return {
      change: { validation, flags: withFlag(record.flags, 'invalid', true) },
      refusal: checksFailed(stored.id, verdict),
    }
  }
  return {
    change: {
      status: 'validated',
      flags: withFlag(record.flags, 'invalid', false),
      validation,
      contentSha256: contentDigest(stored.document),
    },
  }
}

/** Stored checks count only for the content they ran on. */
async function promoted(project: Project, stored: StoredRecord, request: TransitionRequest): Promise<Plan> {
  const digest = contentDigest(stored.document)
  const isJudged = stored.record.status === 'validated' && extension(stored.record).content_sha256 === digest
  const verdict = isJudged ? undefined : await judgeStored(project, stored)
  const plan: Plan = verdict
    ? validated(stored, verdict)
    : { change: { validation: stored.record.validation, contentSha256: digest } }
  if (plan.refusal) return plan
  const flags = plan.change?.flags ?? stored.record.flags
  refuseUnready(stored, flags, verdict?.validation ?? stored.record.validation, request.acceptWarnings)
  return { change: { ...plan.change, status: 'ready' } }
}

async function refuseWithoutSuccessor(project: Project, { id, record }: StoredRecord): Promise<void> {
  const children = await project.index.ask((table) => childRows(table, record.id))
  if (children.some(({ status }) => ['ready', 'resumed', 'superseded'].includes(status))) return
  throw refusals.no_successor({ next: { tool: 'handoff_lineage', args: { id } } })
}

/** The outcome as stored in the record: without the pointers, which only an answer has. */
function storable(verdict: Verdict): Validation {
  const { checks, ...rest } = verdict.validation
  return { ...rest, checks: checks.map(({ name, status, detail }) => ({ name, status, detail })) }
}

/** Refuses to release a record that is not ready for the next session. */
function refuseUnready(
  stored: StoredRecord,
  flags: readonly Flag[],
  {
    status,
    checks,
  }: Pick<Validation, 'status'> & { readonly checks: readonly Validation['checks'][number][] },
  acceptWarnings: string | undefined,
): void {
  const { id, record } = stored
  const next = { tool: 'handoff_validate', args: { id } }
  refuseConflicts(record)
  if (flags.includes('conflicted')) {
    throw refusals.flagged_conflicted({ next: { tool: 'handoff_lineage', args: { id } } })
  }
  if (flags.length > 0) throw refusals.flagged({ flags: flags.join(' and ') }, { next })
  if (status !== 'pass' && !(status === 'warn' && acceptWarnings)) {
    const warnings = checks.filter((check) => check.status === 'warn' || check.status === 'fail')
    throw refusals.needs_acknowledgement({ details: { checks: warnings }, next })
  }
  if (!isActionable(record)) throw refusals.not_actionable({ next })
}

/** Errors: `conflict`/`conflicts_unresolved`, which names what is in conflict and how to decide it. */
function refuseConflicts(record: Handoff): void {
  const { conflicts } = extension(record)
  if (conflicts.length === 0) return
  const known = parseConflicts(conflicts)
  const places = [...new Set(known.map(placeOfConflict))].join(', ') || 'its member x_satchel.conflicts'
  throw refusals.conflicts_unresolved(
    { places: quoted(places, 200) },
    {
      details: {
        conflicts: known.slice(0, 50).map(({ id, kind, field, subject }) => ({ id, kind, field, subject })),
      },
      next: { tool: 'handoff_merge', args: { child: record.id } },
    },
  )
}

/** The remaining flags. `invalid` is only cleared by a passing check run. */
function clearedFlags(
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
  refuseConflicts(record)
  return record.flags.filter((flag) => !clearFlags.includes(flag))
}

/** The error for a transition that is not allowed, or for a record in another status than the caller expects. */
function illegal(stored: StoredRecord, to: Status, expected: Status | undefined): SatchelError {
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
  const others = allowed.filter((one) => one !== status)
  return refusals.illegal_transition(
    { from: status, to, allowed: others.join(', ') || 'nothing else' },
    options,
  )
}

/** The error for failed checks, whose outcome was stored. */
function checksFailed(id: string, verdict: Verdict): SatchelError {
  const checks: readonly CheckResult[] = verdict.validation.checks
  const failed = checks.filter(({ status }) => status === 'fail')
  const names = failed.map(({ name }) => name).join(', ')
  const errors = failed.flatMap(({ pointers, detail }) =>
    pointers.map((pointer) => ({ pointer, message: detail })),
  )
  const next = { tool: 'handoff_validate', args: { id } }
  return refusals.checks_failed({ names }, { details: { checks: failed }, errors, next })
}
