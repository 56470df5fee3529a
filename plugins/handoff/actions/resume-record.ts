import type { CallContext } from '../../../server/plugin.ts'
import { BYTES_PER_TOKEN, isSatchelError } from '../../../server/plugin.ts'
import { readOn, type Truncated } from '../domain/answer-budget.ts'
import { briefOf, briefWriter } from '../domain/brief.ts'
import { isAltered } from '../domain/content-digest.ts'
import { editText } from '../domain/json-edit.ts'
import { byId, lineagePath } from '../domain/lineage.ts'
import { isNotes } from '../domain/noted-work.ts'
import { type Claim, extension, type Handoff, isEditable, isLive } from '../domain/record.ts'
import { changeEdits } from '../domain/record-change.ts'
import { rowOf } from '../domain/record-row.ts'
import { familyOf } from '../domain/record-table.ts'
import { answerWithin, type ModelAnswer } from '../domain/resume-answer.ts'
import { comparableName } from '../domain/secrets.ts'
import { type Structured, structuredOf } from '../domain/structured-brief.ts'
import type { Project } from '../project.ts'
import { noteGiven, noteServer, sessionNames, sessionOf } from '../session.ts'
import { claimedBy, claimOn, endClaimOn, isUnusable, writeClaim } from '../store/claims.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { givenTo, loadSessions, othersWith } from '../store/sessions.ts'
import { type Assessment, assessRecord, freshnessAnswer, wholeFreshness } from './check-freshness.ts'
import { brokenFile, findRecord } from './find-record.ts'
import { parentOfNotes } from './notes-on.ts'
import { damageNotice, draftNotices } from './notices.ts'
import { filesNotice } from './records-in-files.ts'

export interface ResumeRequest {
  readonly id: string
  readonly maxTokens: number
  readonly mark: boolean
  readonly claim: { readonly by?: string | undefined; readonly ttl_s?: number | undefined } | undefined
  /** Adds the record itself. */
  readonly withRecord: boolean
}

export interface ResumeAnswer {
  readonly root: string
  readonly id: string
  readonly etag: string
  readonly brief: string
  readonly structured: Structured
  readonly freshness: ReturnType<typeof freshnessAnswer>['freshness']
  readonly lineage_path: readonly string[]
  readonly omitted: Readonly<Record<string, number>>
  readonly claim: Claim | null
  readonly marked: boolean
  /** Present if requested and small enough. */
  readonly record?: Handoff
  readonly truncated?: Truncated
  readonly warnings: readonly string[]
}

/**
 * Returns the brief of a record and marks it as resumed. Never refused for staleness.
 * Errors: `conflict`/`claimed` while another session's claim lives.
 */
export async function resumeRecord(
  ctx: CallContext,
  project: Project,
  request: ResumeRequest,
): Promise<ResumeAnswer> {
  const { stored, assessment, base, parts } = await resumed(ctx, project, request)
  const brief = briefOf({ ...parts, maxTokens: request.maxTokens })
  const family = await project.index.ask((table) => familyOf(table, stored.record.lineage.parents))
  const path = lineagePath(stored.id, byId([...family, rowOf(stored.record, stored.path, stored.mtimeMs)]))
  return {
    ...base,
    root: project.root,
    etag: stored.etag,
    brief: brief.text,
    ...boundedParts({ stored, assessment, path }, request.withRecord),
    omitted: brief.omitted,
  }
}

/**
 * The same for a model: `maxTokens` bounds the whole answer, whose size in bytes `sizeOf` tells.
 * Errors: those of `resumeRecord`.
 */
export async function resumeForModel(
  ctx: CallContext,
  project: Project,
  request: ResumeRequest,
  sizeOf: (answer: ModelAnswer) => number,
): Promise<ModelAnswer> {
  const { stored, assessment, base, parts } = await resumed(ctx, project, request)
  const { state, commitsAhead, relevant } = assessment.drift
  const freshness = { state, gate: assessment.gate, commits_ahead: commitsAhead, relevant }
  return answerWithin(
    {
      fixed: { freshness, ...base },
      etag: stored.etag,
      root: project.root,
      record: request.withRecord ? stored.record : undefined,
      writeBrief: briefWriter(parts),
    },
    request.maxTokens * BYTES_PER_TOKEN,
    sizeOf,
  )
}

/** Assesses a record, marks it if asked, and returns what both answers need. */
async function resumed(ctx: CallContext, project: Project, request: ResumeRequest) {
  const found = await findRecord(project, request.id)
  const assessment = await assessRecord(project, found.record)
  const named = request.claim?.by
  const by = named === undefined ? await sessionOf(ctx, project) : comparableName(named)
  const ttlS = request.claim?.ttl_s ?? project.config.claim_ttl_s
  // Notes stay a draft: what is marked and claimed is the record that they are about.
  const about = isNotes(found.record) ? await parentOfNotes(project, found.record) : undefined
  const target = about ?? found
  const { status } = target.record
  const canMark = status === 'ready' || status === 'resumed'
  const wanted = request.mark && canMark
  const ownProcess = ctx.localTransport === 'stdio'
  const names = await sessionNames(ctx, project)
  const { unmarked, isUnclaimed, ...marking } = wanted
    ? await orRefused(
        project,
        { id: found.id, names },
        markIfWritable(project, target, { by, ttlS, ownProcess }),
      )
    : { stored: target, isUnclaimed: false, unmarked: undefined }
  const stored = about ? found : marking.stored
  const marked = wanted && unmarked === undefined
  if (request.mark) await noteGiven(project, names[0], stored.id)
  const { id, record, etag } = stored
  const warnings = [
    ...(request.mark && !canMark ? [unmarkable(target, about !== undefined)] : []),
    ...markWarnings({ about: marked ? about?.id : undefined, unmarked, isUnclaimed }),
    ...(await noticesFor(project, stored, names)),
    ...(await filesNotice(project)),
  ]
  const nowMs = project.now().getTime()
  return {
    stored,
    assessment,
    base: { claim: await claimOn(project.store, target.record, nowMs), marked, warnings, id },
    parts: { record, etag, isAltered: isAltered(stored), now: project.now(), ...assessment },
  }
}

/** Why a record is not marked, and for a draft how to go on with it. Of notes it is the record that they are about. */
function unmarkable({ id, record }: StoredRecord, hasNotes: boolean): string {
  const which = hasNotes ? `The record that these notes are about, ${id},` : 'The record'
  const why = `${which} is ${record.status}: it was not marked as resumed.`
  if (!isEditable(record)) return why
  const release = `handoff_transition ${JSON.stringify({ id, to: 'ready' })}`
  return `${why} handoff_create and the command satchel handoff note go on with it, ${release} releases it.`
}

function markWarnings({
  about,
  unmarked,
  isUnclaimed,
}: {
  readonly about: string | undefined
  readonly unmarked: string | undefined
  readonly isUnclaimed: boolean
}): readonly string[] {
  return [
    ...(about === undefined ? [] : [`Notes on ${about}: that record was marked as resumed.`]),
    ...(unmarked === undefined ? [] : [`${unmarked} ${UNMARKED}`]),
    ...(isUnclaimed ? [UNCLAIMED] : []),
  ]
}

/** Drafts that are not in the record, damaged files, and other sessions that were given it and have not ended. */
async function noticesFor(
  project: Project,
  stored: StoredRecord,
  names: readonly string[],
): Promise<readonly string[]> {
  const { disk, layout } = project.store
  const { drafts, damage } = await project.index.ask(async (table) => ({
    drafts: await draftNotices(project, table, stored, names),
    damage: damageNotice(table.problems()),
  }))
  const others = othersWith(await loadSessions(disk, layout), {
    id: stored.id,
    // Its author has handed it over.
    names: [...names, extension(stored.record).session ?? ''],
    nowMs: project.now().getTime(),
    quietMs: project.config.claim_ttl_s * 1000,
  })
  const told = others.map(
    ({ session }) => `Session ${session} was given this record, too, and has not ended.`,
  )
  return [...drafts, ...told.slice(0, 1), ...(damage === undefined ? [] : [damage])]
}

const UNMARKED =
  'The record was not marked as resumed and no claim was kept: another session may resume it, too.'

const UNCLAIMED =
  'No claim could be kept: the folder of claims in the store cannot be used. Another session may resume the record, too; satchel handoff doctor names the folder.'

/** Longest path of ancestors, nearest ones kept; `handoff_lineage` lists all. */
const MAX_PATH = 50
/** Largest record that is returned whole, so that the answer stays below what clients accept (quality, section 3). */
const MAX_RECORD_BYTES = 200_000

interface Found {
  readonly stored: StoredRecord
  readonly assessment: Assessment
  readonly path: readonly string[]
}

/** The parts of an answer that grow with a record and its lineage, each within its limit, and the call that reads on. */
function boundedParts({ stored, assessment, path }: Found, withRecord: boolean) {
  const { id, record, document } = stored
  const { structured, leftOut, more } = structuredOf(record)
  const fresh = freshnessAnswer(assessment)
  const isTooLarge = withRecord && Buffer.byteLength(document.text) > MAX_RECORD_BYTES
  const nexts: readonly (Truncated['next'] | false)[] = [
    more !== undefined && readOn(id, more),
    isTooLarge && readOn(id),
    Object.keys(fresh.leftOut).length > 0 && wholeFreshness(id),
    path.length > MAX_PATH && { tool: 'handoff_lineage', args: { id, direction: 'ancestors', depth: 1000 } },
  ]
  const next = nexts.find((call) => call !== false)
  const left_out = {
    ...leftOut,
    ...(isTooLarge && { record: 1 }),
    ...Object.fromEntries(Object.entries(fresh.leftOut).map(([name, count]) => [`freshness.${name}`, count])),
    ...(path.length > MAX_PATH && { lineage_path: path.length - MAX_PATH }),
  }
  return {
    structured,
    freshness: fresh.freshness,
    lineage_path: path.slice(-MAX_PATH),
    ...(withRecord && !isTooLarge && { record }),
    ...(next && { truncated: { reason: 'over_budget' as const, left_out, next } }),
  }
}

/** The session that claims a record; without a name nothing is claimed. */
interface Claimant {
  readonly by: string | undefined
  readonly ttlS: number
  /** This process serves the session and ends with it. */
  readonly ownProcess: boolean
}

/**
 * Marks a record, or says why it cannot be: in a checkout that cannot be written the brief is what a session needs.
 * Errors: those of `mark`, except that the store cannot be written.
 */
async function markIfWritable(project: Project, found: StoredRecord, claimant: Claimant) {
  try {
    await noteServer(project, claimant.by)
    return { ...(await mark(project, found, claimant)), unmarked: undefined }
  } catch (thrown) {
    if (!isSatchelError(thrown) || !UNWRITABLE.has(thrown.reason)) throw thrown
    await refuseClaimed(project, found, claimant.by)
    const unmarked = UNWRITABLE.get(thrown.reason)
    return { stored: found, isUnclaimed: false, unmarked }
  }
}

/** A session that is refused a record works beside the one that has it: what it notes is about that record. */
async function orRefused<T>(
  project: Project,
  { id, names }: { readonly id: string; readonly names: readonly string[] },
  marking: Promise<T>,
): Promise<T> {
  try {
    return await marking
  } catch (thrown) {
    const { disk, layout } = project.store
    const isClaimed = isSatchelError(thrown) && thrown.reason === 'claimed'
    if (isClaimed && givenTo(await loadSessions(disk, layout), names).length === 0)
      await noteGiven(project, names[0], id)
    throw thrown
  }
}

/** Reasons for which nothing can be written, in words for a warning. */
const UNWRITABLE: ReadonlyMap<string, string> = new Map([
  ['store_unwritable', 'The handoff store cannot be written.'],
  ['disk_full', 'The disk is full.'],
  ['no_hard_links', 'The file system of the handoff store has no hard links.'],
])

/**
 * Claims a record on this machine. The record itself changes at most once, from ready to resumed. It is resumed without a
 * claim where none can be kept.
 */
async function mark(project: Project, found: StoredRecord, claimant: Claimant) {
  const { by, ttlS, ownProcess } = claimant
  const now = project.now()
  let isUnclaimed = false
  await project.store.update(found.id, undefined, async (current) => {
    if (current.kind === 'broken') throw brokenFile(current.problem)
    await refuseClaimed(project, current, by)
    if (by === undefined) await endClaimOn(project.store, current.id)
    else {
      const claim = { by, expires_at: new Date(now.getTime() + ttlS * 1000).toISOString() }
      const moment = { ownProcess, clockMs: project.clock(), nowMs: now.getTime() }
      try {
        await writeClaim(project.store, current.id, { claim, ...moment })
      } catch (thrown) {
        if (!isUnusable(thrown)) throw thrown
        isUnclaimed = true
      }
    }
    if (current.record.status !== 'ready') return undefined
    return editText(
      current.document,
      changeEdits(current.record, { status: 'resumed', at: now.toISOString() }),
    )
  })
  return { stored: await findRecord(project, found.id), isUnclaimed }
}

async function refuseClaimed(
  project: Project,
  { id, record }: Pick<StoredRecord, 'id' | 'record'>,
  by: string | undefined,
): Promise<void> {
  const now = project.now().getTime()
  const claim = await claimOn(project.store, record, now)
  if (!claim || claim.by === by || !isLive(claim, now)) return
  throw claimedBy(id, claim)
}
