import { type CallContext, canonicalJson, inTurns, isSatchelError } from '../../../server/plugin.ts'
import { isLiveChild } from '../domain/checks/history.ts'
import { editText } from '../domain/json-edit.ts'
import { type Authored, lineageOf } from '../domain/new-record.ts'
import { type NotedWork, notedWork } from '../domain/noted-work.ts'
import {
  extension,
  type Handoff,
  isEditable,
  type Redaction,
  type Relation,
  SCHEMA_VERSION,
} from '../domain/record.ts'
import { changeEdits } from '../domain/record-change.ts'
import { sha256, sha256Hex } from '../domain/record-id.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { childRows } from '../domain/record-table.ts'
import { redactingValue } from '../domain/redaction.ts'
import { comparableName, quoted } from '../domain/secrets.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { noteServer, sessionNames, sessionOf } from '../session.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { assessRecord } from './check-freshness.ts'
import { isOwnBy } from './continue-from.ts'
import { findRecord } from './find-record.ts'
import { type Ground, groundOfSession, groundOn, NO_GROUND } from './ground.ts'
import { openDrafts } from './notes-on.ts'
import { type CaptureOptions, type Placement, type WrittenRecord, writeRecord } from './write-record.ts'

export interface CreateRequest {
  readonly authored: Authored
  /** An id argument, `none`, or absent: what this session goes on with. */
  readonly parent: string | undefined
  /** Present: the record only adds notes to this. */
  readonly notesOn?: Ground
  readonly relation?: Exclude<Relation, 'root' | 'merge'>
  readonly branchLabel?: string | undefined
  readonly options: CaptureOptions
  readonly idempotencyKey: string | undefined
}

/** A request with what identifies it, where it has an idempotency key. */
interface KeyedRequest extends CreateRequest {
  readonly requestSha256?: string
}

/** Answer of `handoff_create` and `handoff_branch`. */
export interface CreatedRecord {
  readonly root: string
  readonly id: string
  readonly uri: string
  readonly path: string | null
  readonly status: Handoff['status']
  readonly etag: string
  readonly assigned_ids: Readonly<Record<string, string>>
  readonly redactions: readonly Redaction[]
  readonly validation: Handoff['validation']
  readonly repeated?: true
  readonly warnings: readonly string[]
}

/**
 * Stores a new draft, or a child of another record; the same request with the same idempotency key gives the record of
 * the first call.
 * Errors: `conflict`/`idempotency_mismatch` when the key was used for another request.
 */
export async function createRecord(
  ctx: CallContext,
  project: Project,
  request: CreateRequest,
): Promise<CreatedRecord> {
  const options = { ...request.options, signal: ctx.signal }
  const key = request.idempotencyKey === undefined ? undefined : comparableName(request.idempotencyKey)
  const create = async (keyed: KeyedRequest) => answer(project, await place(ctx, project, keyed))
  if (key === undefined || options.dryRun) return create({ ...request, idempotencyKey: key })
  const requestSha256 = await requestDigest(ctx, request)
  return withKey(project, key, async () => {
    const first = await recordOfKey(project, key)
    if (first) return repeated(project, first, requestSha256)
    return create({ ...request, idempotencyKey: key, requestSha256 })
  })
}

/** Identifies a request, without its secrets: a digest could confirm a guess. */
async function requestDigest(ctx: CallContext, request: CreateRequest): Promise<string> {
  const { authored, parent, relation, branchLabel, options } = request
  const { captureGit, hashArtifacts, autoArtifacts } = options
  const asked = { authored, parent, relation, branchLabel, captureGit, hashArtifacts, autoArtifacts }
  return sha256(canonicalJson((await inTurns(redactingValue(asked), ctx.signal)).value))
}

/** Runs `work` while no other caller uses this idempotency key. */
export async function withKey<T>(project: Project, key: string, work: () => Promise<T>): Promise<T> {
  return project.store.locked(`key-${sha256Hex(key)}`, work)
}

/** The record that was written under this idempotency key. */
export async function recordOfKey(project: Project, key: string) {
  const rows = await project.index.ask((table) => table.load(table.withValue('idempotency', key)))
  return rows.find((row) => row.idempotency_key === key)
}

async function place(ctx: CallContext, project: Project, request: KeyedRequest): Promise<WrittenRecord> {
  const session = await sessionOf(ctx, project)
  const written = await placeFor(ctx, project, request, session)
  if (!request.options.dryRun) await noteServer(project, session)
  return written
}

async function placeFor(
  ctx: CallContext,
  project: Project,
  request: KeyedRequest,
  session: string | undefined,
): Promise<WrittenRecord> {
  const names = await sessionNames(ctx, project)
  const ground = request.notesOn ?? (await groundOf(project, request, names))
  const around = {
    origin: originOf(ctx, project, session),
    automation: automationOf(project, session),
    session,
    idempotencyKey: request.idempotencyKey,
    requestSha256: request.requestSha256,
  }
  const { options } = request
  const isDetected = around.automation.score !== null && request.authored.trigger === undefined
  const authored = isDetected ? { ...request.authored, trigger: 'threshold' } : request.authored
  const { parent } = ground
  const relation = parent ? (request.relation ?? 'continue') : 'root'
  const work = notedWork(parent?.record, ground.notes)
  const placement: Placement = {
    ...around,
    lineage: lineageOf(relation, parent?.id, request.branchLabel),
    inherited: work.inherited,
    staleEvidence: await staleIn(project, work.inherited),
    ...(work.next !== undefined && { next: work.next }),
    ...(request.notesOn && { notes: true as const }),
  }
  const write = (flags: Placement['flags']) =>
    writeRecord(project, withNoted(authored, work), { ...placement, ...(flags && { flags }) }, options)
  if (options.dryRun) return write(undefined)
  if (!parent || relation !== 'continue') return takingUp(project, ground, await write(undefined))
  // Under the parent's lock, so that of two concurrent children exactly one is the second.
  return project.store.locked(parent.id.toLowerCase(), async () => {
    const sibling = request.notesOn ? undefined : await rivalOf(project, { parent, names, ground })
    const written = await write(sibling && !sibling.isOwn ? ['conflicted'] : undefined)
    const warnings = sibling ? [...written.warnings, siblingWarning(sibling)] : written.warnings
    return takingUp(project, ground, { ...written, warnings })
  })
}

/** The notes' finished work and work in progress beside the author's. */
function withNoted(authored: Authored, { completed, in_progress }: NotedWork): Authored {
  return {
    ...authored,
    completed: [...completed, ...(authored.completed ?? [])],
    in_progress: [...in_progress, ...(authored.in_progress ?? [])],
  }
}

async function staleIn(project: Project, inherited: Handoff | undefined): Promise<ReadonlySet<string>> {
  if (!inherited) return new Set()
  const { claims } = await assessRecord(project, inherited)
  return new Set(claims.flatMap(({ evidence_id, verdict }) => (verdict === 'stale' ? evidence_id : [])))
}

/** Archives the notes that a new record has taken up. Notes that were added to meanwhile stay open. */
async function takingUp(project: Project, { notes }: Ground, written: WrittenRecord): Promise<WrittenRecord> {
  const warnings: string[] = []
  for (const { stored } of notes) {
    const at = project.now().toISOString()
    const entry = { by: extension(written.record).session ?? null, reason: `its notes are in ${written.id}` }
    try {
      await project.store.update(stored.id, stored.etag, (current) =>
        current.kind === 'broken'
          ? undefined
          : editText(current.document, changeEdits(current.record, { status: 'archived', entry, at })),
      )
      warnings.push(`The notes of ${stored.id} are in this record.`)
    } catch (thrown) {
      if (!isSatchelError(thrown)) throw thrown
      warnings.push(`The notes of ${stored.id} are in this record, and it stays open (${thrown.reason}).`)
    }
  }
  return { ...written, warnings: [...written.warnings, ...warnings] }
}

/** The score that led to this record, used once. */
function automationOf({ detections }: Project, session: string | undefined): Placement['automation'] {
  const detection = session === undefined ? undefined : detections.get(session)
  if (session === undefined || !detection) return { score: null, reasons: [] }
  detections.delete(session)
  return { score: detection.score, reasons: detection.reasons }
}

interface Sibling {
  readonly id: string
  /** Of the same session, which cannot contradict itself. */
  readonly isOwn: boolean
}

/** Another record that continues the same one. Notes only add to it, and those that are taken up end with this call. */
async function rivalOf(
  project: Project,
  {
    parent,
    names,
    ground,
  }: { readonly parent: StoredRecord; readonly names: readonly string[]; readonly ground: Ground },
): Promise<Sibling | undefined> {
  const children = await project.index.ask((table) => childRows(table, parent.id))
  const taken = new Set(ground.notes.map(({ stored }) => stored.id))
  const live = children.filter((row) => row.relation === 'continue' && isLiveChild(row) && !taken.has(row.id))
  const notes = new Set(
    (await openDrafts(project, live.filter(isEditable), names))
      .filter((draft) => draft.isNotes)
      .map(({ stored }) => stored.id),
  )
  const siblings = live
    .filter(({ id }) => !notes.has(id))
    .map((row) => ({ id: row.id, isOwn: isOwnBy(row, names) }))
  return siblings.find(({ isOwn }) => !isOwn) ?? siblings[0]
}

function siblingWarning({ id, isOwn }: Sibling): string {
  return isOwn
    ? `${id} of this session continues the same record; what it says is not in this one.`
    : `${id} continues the same record: this one is flagged conflicted.`
}

/** What a new record goes on from. Only what continues a record takes up the notes on it. */
async function groundOf(
  project: Project,
  { parent: given, relation = 'continue' }: CreateRequest,
  names: readonly string[],
): Promise<Ground> {
  if (given === 'none') return NO_GROUND
  if (given === undefined) return project.index.ask((table) => groundOfSession(project, table, names))
  const parent = await findParent(project, given)
  if (relation !== 'continue') return { parent, notes: [] }
  return project.index.ask((table) => groundOn(project, table, { id: parent.id, names }))
}

async function findParent(project: Project, given: string) {
  try {
    return await findRecord(project, given)
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.reason !== 'record_not_found') throw thrown
    const id = quoted(given, 80)
    throw refusals.parent_not_found(
      { id },
      { details: { parent: id, near: thrown.details?.['near'] }, cause: thrown },
    )
  }
}

function answer(project: Project, written: WrittenRecord): CreatedRecord {
  const { id, path, etag, record, assigned, redactions, warnings } = written
  return {
    root: project.root,
    id,
    uri: `handoff://${id}`,
    path,
    status: record.status,
    etag,
    assigned_ids: assigned,
    redactions,
    validation: record.validation,
    warnings,
  }
}

async function repeated(project: Project, row: RecordRow, requestSha256: string): Promise<CreatedRecord> {
  const found = await findRecord(project, row.id)
  const { request_sha256 = requestSha256 } = extension(found.record) // absent: written before digests of requests were kept
  if (request_sha256 !== requestSha256) {
    throw refusals.idempotency_mismatch({ id: found.id }, { details: { id: found.id } })
  }
  return {
    root: project.root,
    id: found.id,
    uri: `handoff://${found.id}`,
    path: found.path,
    status: found.record.status,
    etag: found.etag,
    assigned_ids: {},
    redactions: found.record.redactions,
    validation: found.record.validation,
    repeated: true,
    warnings: [],
  }
}

const HARNESS_NAMES: readonly (readonly [RegExp, Handoff['origin']['harness']])[] = [
  [/claude/i, 'claude-code'],
  [/codex/i, 'codex'],
  [/cursor/i, 'cursor'],
  [/gemini/i, 'gemini-cli'],
]

/** The author: the connected client, else what the environment shows. */
export function originOf(
  ctx: Pick<CallContext, 'client' | 'localTransport'>,
  project: Pick<Project, 'env'>,
  session: string | undefined,
): Handoff['origin'] {
  const client = ctx.client?.name
  const named =
    client === undefined ? undefined : HARNESS_NAMES.find(([pattern]) => pattern.test(client))?.[1]
  const harness = named ?? (project.env['CLAUDECODE'] === '1' ? 'claude-code' : 'generic')
  return {
    harness,
    adapter_version: SCHEMA_VERSION,
    session_id: session ?? null,
    model: null,
    actor: client === undefined ? null : { type: 'agent', name: client.slice(0, 100) },
  }
}
