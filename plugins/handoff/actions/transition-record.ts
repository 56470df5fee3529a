import { type CallContext, isSatchelError } from '../../../server/plugin.ts'
import { editText } from '../domain/json-edit.ts'
import { extension, type Flag, type Status } from '../domain/record.ts'
import { changeEdits, type RecordChange } from '../domain/record-change.ts'
import { comparableName, redactText } from '../domain/secrets.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { sessionNames, sessionOf } from '../session.ts'
import { endClaimOn } from '../store/claims.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { changedMeanwhile } from '../store/store.ts'
import { findRecord } from './find-record.ts'
import { releaseNotices } from './notices.ts'
import { supersedeParents } from './supersede-parents.ts'
import { planOf, type TransitionRequest } from './transition-plan.ts'

export interface TransitionAnswer {
  readonly root: string
  readonly id: string
  readonly from: Status
  readonly to: Status
  readonly flags: readonly Flag[]
  readonly etag: string
  readonly repeated: boolean
  readonly warnings: readonly string[]
}

const MAX_TRIES = 5

/**
 * Changes the status of a record. The checks run before the lock is taken; if the record changed meanwhile, they run
 * again. Errors: those of `planOf`; `conflict`/`etag_mismatch`; `invalid`/`checks_failed` with the checks.
 */
export async function transitionRecord(
  ctx: CallContext,
  project: Project,
  request: TransitionRequest,
): Promise<TransitionAnswer> {
  if (request.to === undefined && request.clearFlags.length === 0) {
    throw refusals.status_or_flags()
  }
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(ctx, project, request)
    } catch (thrown) {
      const changed = isSatchelError(thrown) && thrown.reason === 'etag_mismatch'
      if (!changed || request.ifMatch !== undefined || tries >= MAX_TRIES) throw thrown
    }
  }
}

async function attempt(
  ctx: CallContext,
  project: Project,
  request: TransitionRequest,
): Promise<TransitionAnswer> {
  const stored = await findRecord(project, request.id)
  const nonce = request.nonce === undefined ? undefined : comparableName(request.nonce)
  const before = repeatedAnswer(project, stored, nonce)
  if (before) return before
  if (request.ifMatch !== undefined && request.ifMatch !== stored.etag) {
    throw changedMeanwhile(stored.id, stored.etag)
  }
  const plan = await planOf(project, stored, request)
  if (plan.change === undefined) return answerOf(project, stored, stored.etag, plan.change)
  const by = (await sessionOf(ctx, project)) ?? ctx.client?.name ?? null
  const reason = request.reason ?? request.acceptWarnings
  const entry = { by, reason: reason === undefined ? null : redactText(reason), nonce: nonce ?? null }
  const change = { ...plan.change, entry, at: project.now().toISOString() }
  const { etag } = await project.store.update(stored.id, stored.etag, () =>
    editText(stored.document, changeEdits(stored.record, change)),
  )
  if (plan.refusal) throw plan.refusal
  if (change.claim === null) await endClaimOn(project.store, stored.id)
  const warnings = change.status === 'ready' ? await released(ctx, project, stored) : []
  return { ...answerOf(project, stored, etag, change), warnings }
}

/** What follows from a release. The release itself is done, also where this fails. */
async function released(ctx: CallContext, project: Project, stored: StoredRecord): Promise<string[]> {
  const warnings = await supersedeParents(project, stored.record)
  const names = await sessionNames(ctx, project)
  try {
    const drafts = await project.index.ask((table) => releaseNotices(project, table, stored, names))
    return [...warnings, ...drafts]
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return [...warnings, `Other drafts could not be looked for (${thrown.reason}).`]
  }
}

function repeatedAnswer(
  project: Project,
  stored: StoredRecord,
  nonce: string | undefined,
): TransitionAnswer | undefined {
  const entry =
    nonce === undefined ? undefined : extension(stored.record).history.find((past) => past.nonce === nonce)
  if (!entry) return undefined
  const { id, record, etag } = stored
  // written by this plugin from statuses
  const [from, to] = [entry.from as Status, entry.to as Status]
  return { root: project.root, id, from, to, flags: record.flags, etag, repeated: true, warnings: [] }
}

function answerOf(
  project: Project,
  stored: StoredRecord,
  etag: string,
  change: RecordChange | undefined,
): TransitionAnswer {
  const { id, record } = stored
  return {
    root: project.root,
    id,
    from: record.status,
    to: change?.status ?? record.status,
    flags: change?.flags ?? record.flags,
    etag,
    repeated: false,
    warnings: [],
  }
}
