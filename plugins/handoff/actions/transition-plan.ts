import type { SatchelError } from '../../../server/plugin.ts'
import { contentDigest } from '../domain/content-digest.ts'
import { childrenOf } from '../domain/latest.ts'
import { extension, type Validation } from '../domain/record.ts'
import { type RecordChange, withFlag } from '../domain/record-change.ts'
import { type Step, stepFor } from '../domain/transition.ts'
import type { Verdict } from '../domain/validation.ts'
import type { Handoffs, Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { judgeStored } from './judge-stored.ts'
import { checksFailed, clearedFlags, illegal, refuseUnready } from './transition-refusals.ts'
import type { TransitionRequest } from './transition-request.ts'

/** What a transition writes, decided before anything is. */
export interface Plan {
  /** Undefined: nothing is written. */
  readonly change: RecordChange | undefined
  /** Thrown after the change is stored: a failed check run is kept. */
  readonly refusal?: SatchelError
}

/**
 * Decides a transition without writing. Errors: those of the refusals below.
 */
export async function planOf(
  handoffs: Handoffs,
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
  const plan = await planStep(
    handoffs,
    project,
    { ...stored, record: { ...record, flags: [...flags] } },
    step,
    request,
  )
  if (plan.change === undefined && flags.length === record.flags.length) return plan
  return { ...plan, change: { flags, ...plan.change } }
}

async function planStep(
  handoffs: Handoffs,
  project: Project,
  stored: StoredRecord,
  step: Exclude<Step, 'illegal'>,
  request: TransitionRequest,
): Promise<Plan> {
  switch (step) {
    case 'stay':
      return { change: undefined }
    case 'validate':
      return validated(stored, await judgeStored(handoffs, project, stored))
    case 'promote':
      return promoted(handoffs, project, stored, request)
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

/** The checks that were stored count only for the content they saw. */
async function promoted(
  handoffs: Handoffs,
  project: Project,
  stored: StoredRecord,
  request: TransitionRequest,
): Promise<Plan> {
  const digest = contentDigest(stored.document)
  const isJudged = stored.record.status === 'validated' && extension(stored.record).content_sha256 === digest
  const plan: Plan = isJudged
    ? { change: { validation: stored.record.validation, contentSha256: digest } }
    : validated(stored, await judgeStored(handoffs, project, stored))
  if (plan.refusal) return plan
  const flags = plan.change?.flags ?? stored.record.flags
  refuseUnready(stored, flags, plan.change?.validation?.status, request.acceptWarnings)
  return { change: { ...plan.change, status: 'ready' } }
}

async function refuseWithoutSuccessor(project: Project, { id, record }: StoredRecord): Promise<void> {
  const { rows } = await project.index.view()
  const children = childrenOf(rows).get(record.id.toLowerCase()) ?? []
  if (children.some(({ status }) => ['ready', 'resumed', 'superseded'].includes(status))) return
  throw refusals.no_successor({ next: { tool: 'handoff_lineage', args: { id } } })
}

/** The outcome as the record keeps it: without our extra pointers, which only an answer needs. */
function storable(verdict: Verdict): Validation {
  const { checks, ...rest } = verdict.validation
  return { ...rest, checks: checks.map(({ name, status, detail }) => ({ name, status, detail })) }
}
