import { type CallContext, isSatchelError } from '../../../server/plugin.ts'
import { isLiveChild } from '../domain/checks/history.ts'
import { type Authored, lineageOf } from '../domain/new-record.ts'
import { type Handoff, type Redaction, type Relation, SCHEMA_VERSION } from '../domain/record.ts'
import { sha256Hex } from '../domain/record-id.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { childRows } from '../domain/record-table.ts'
import { comparableName, quoted } from '../domain/secrets.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { noteServer, sessionOf } from '../session.ts'
import { assessRecord } from './check-freshness.ts'
import { claimedRecord } from './claimed-record.ts'
import { findRecord } from './find-record.ts'
import { type CaptureOptions, type Placement, type WrittenRecord, writeRecord } from './write-record.ts'

export interface CreateRequest {
  readonly authored: Authored
  /** An id argument, `none`, or absent: the record this session has claimed. */
  readonly parent: string | undefined
  readonly relation?: Exclude<Relation, 'root' | 'merge'>
  readonly branchLabel?: string | undefined
  readonly options: CaptureOptions
  readonly idempotencyKey: string | undefined
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

/** Stores a new draft, or a child of another record; the same idempotency key gives the record of the first call. */
export async function createRecord(
  ctx: CallContext,
  project: Project,
  request: CreateRequest,
): Promise<CreatedRecord> {
  const options = { ...request.options, signal: ctx.signal }
  const key = request.idempotencyKey === undefined ? undefined : comparableName(request.idempotencyKey)
  const create = async () => answer(project, await place(ctx, project, { ...request, idempotencyKey: key }))
  if (key === undefined || options.dryRun) return create()
  return withKey(project, key, async () => {
    const first = await recordOfKey(project, key)
    return first ? repeated(project, first) : create()
  })
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

async function place(ctx: CallContext, project: Project, request: CreateRequest): Promise<WrittenRecord> {
  const session = await sessionOf(ctx, project)
  const written = await placeFor(ctx, project, request, session)
  if (!request.options.dryRun) await noteServer(project, session)
  return written
}

async function placeFor(
  ctx: CallContext,
  project: Project,
  request: CreateRequest,
  session: string | undefined,
): Promise<WrittenRecord> {
  const parentId = await parentOf(project, request.parent, session)
  const around = {
    origin: originOf(ctx, project, session),
    automation: automationOf(project, session),
    session,
    idempotencyKey: request.idempotencyKey,
  }
  const { options } = request
  const isDetected = around.automation.score !== null && request.authored.trigger === undefined
  const authored = isDetected ? { ...request.authored, trigger: 'threshold' } : request.authored
  if (parentId === undefined) {
    const lineage = lineageOf('root', undefined)
    return writeRecord(project, authored, { ...around, lineage, inherited: undefined }, options)
  }
  const parent = await findParent(project, parentId)
  const relation = request.relation ?? 'continue'
  const lineage = lineageOf(relation, parent.id, request.branchLabel)
  const { claims } = await assessRecord(project, parent.record)
  const staleEvidence = new Set(
    claims.flatMap(({ evidence_id, verdict }) => (verdict === 'stale' ? evidence_id : [])),
  )
  const placement = { ...around, lineage, inherited: parent.record, staleEvidence }
  const write = (flags: Placement['flags']) =>
    writeRecord(project, authored, { ...placement, ...(flags && { flags }) }, options)
  if (options.dryRun || relation !== 'continue') return write(undefined)
  // Under the parent's lock, so that of two concurrent children exactly one is the second.
  return project.store.locked(parent.id.toLowerCase(), async () => {
    const sibling = await liveSibling(project, parent.id)
    if (!sibling) return write(undefined)
    const written = await write(['conflicted'])
    const warning = `${sibling.id} continues the same record: this one is flagged conflicted.`
    return { ...written, warnings: [...written.warnings, warning] }
  })
}

/** The score that led to this record, used once. */
function automationOf({ detections }: Project, session: string | undefined): Placement['automation'] {
  const detection = session === undefined ? undefined : detections.get(session)
  if (session === undefined || !detection) return { score: null, reasons: [] }
  detections.delete(session)
  return { score: detection.score, reasons: detection.reasons }
}

async function liveSibling(project: Project, parentId: string): Promise<RecordRow | undefined> {
  const children = await project.index.ask((table) => childRows(table, parentId))
  return children.find((row) => row.relation === 'continue' && isLiveChild(row))
}

async function parentOf(
  project: Project,
  given: string | undefined,
  session: string | undefined,
): Promise<string | undefined> {
  if (given === 'none') return undefined
  if (given !== undefined) return given
  if (session === undefined) return undefined
  return (await project.index.ask((table) => claimedRecord(project, table, session)))?.id
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

async function repeated(project: Project, row: RecordRow): Promise<CreatedRecord> {
  const found = await findRecord(project, row.id)
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
