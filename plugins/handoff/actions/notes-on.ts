import { isNotes } from '../domain/noted-work.ts'
import type { Handoff } from '../domain/record.ts'
import { isEditable } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { newestOf, ownLeaves, type RecordTable } from '../domain/record-table.ts'
import type { Project } from '../project.ts'
import { loadClaims } from '../store/claims.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { hasEnded, loadSessions } from '../store/sessions.ts'

/** An open draft that continues a record. */
export interface OpenDraft {
  readonly stored: StoredRecord
  /** It only adds notes. */
  readonly isNotes: boolean
  /** Of this session. */
  readonly isOwn: boolean
  /** Its session has ended: another one may take it up. */
  readonly isOver: boolean
}

/** So many drafts of one record are looked at, the newest. */
const MAX_DRAFTS = 10

/** The open drafts that continue a record, newest first. `names` are those of the session that asks. */
export async function draftsOn(
  project: Project,
  table: RecordTable,
  id: string,
  names: readonly string[],
): Promise<readonly OpenDraft[]> {
  return newestDrafts(project, table, { records: openChildren(table, id), names })
}

/** Generations of superseded records on which drafts are looked for. */
const MAX_GENERATIONS = 20

/**
 * The open drafts on records that this one superseded, newest first: a session that went on beside its author wrote them,
 * and they are not in it.
 */
export async function draftsBeside(
  project: Project,
  table: RecordTable,
  id: string,
  names: readonly string[],
): Promise<readonly OpenDraft[]> {
  const line = new Set<number>()
  let level = [table.find(id)].filter((record) => record !== undefined)
  const found: number[] = []
  for (let depth = 0; depth < MAX_GENERATIONS && level.length > 0; depth++) {
    for (const record of level) line.add(record)
    // A fork leaves what it goes on from to another one.
    const rows = await table.load(level.filter((record) => table.relation(record) !== 'fork'))
    level = [...new Set(rows.flatMap(({ parents }) => parents.flatMap((parent) => table.find(parent) ?? [])))]
    level = level.filter((record) => table.status(record) === 'superseded' && !line.has(record))
    found.push(...level.flatMap((record) => openChildren(table, table.id(record))))
  }
  const records = [...new Set(found)].filter((record) => !line.has(record))
  return newestDrafts(project, table, { records, names })
}

/** The open drafts of a session that no released record continues, newest first. What a hook saved by itself is none. */
export async function draftsOfSession(
  project: Project,
  table: RecordTable,
  names: readonly string[],
): Promise<readonly OpenDraft[]> {
  const records = ownLeaves(table, names).filter(
    (record) => isEditable({ status: table.status(record) }) && !table.isSkeleton(record),
  )
  return newestDrafts(project, table, { records, names })
}

function openChildren(table: RecordTable, id: string): readonly number[] {
  return table.childrenOf(id).filter((record) => {
    const isDraft = isEditable({ status: table.status(record) })
    return isDraft && table.relation(record) === 'continue' && !table.isSkeleton(record)
  })
}

async function newestDrafts(
  project: Project,
  table: RecordTable,
  { records, names }: { readonly records: readonly number[]; readonly names: readonly string[] },
): Promise<readonly OpenDraft[]> {
  const rows = await table.load(newestOf(table, records).slice(0, MAX_DRAFTS))
  return openDrafts(project, rows, names)
}

/** The drafts that are still open, as they are stored. */
export async function openDrafts(
  project: Project,
  rows: readonly RecordRow[],
  names: readonly string[],
): Promise<readonly OpenDraft[]> {
  if (rows.length === 0) return []
  const isOver = await sessionsThatEnded(project)
  const drafts: OpenDraft[] = []
  for (const row of rows) {
    const stored = await project.store.read(row.id)
    if (stored?.kind !== 'record' || !isEditable(stored.record)) continue
    const isOwn = row.session !== null && names.includes(row.session)
    drafts.push({ stored, isNotes: isNotes(stored.record), isOwn, isOver: !isOwn && isOver(row) })
  }
  return drafts
}

/** Tells whether the session that wrote a record has ended. What a command without a session wrote is free. */
export async function sessionsThatEnded(
  project: Project,
): Promise<(row: Pick<RecordRow, 'session' | 'updatedMs'>) => boolean> {
  const { disk, layout } = project.store
  const nowMs = project.now().getTime()
  const quietMs = project.config.claim_ttl_s * 1000
  const [sessions, claims] = await Promise.all([loadSessions(disk, layout), loadClaims(project.store, nowMs)])
  const claiming = new Set([...claims.values()].map(({ by }) => by))
  return ({ session, updatedMs }) => {
    if (session === null) return true
    const noted = sessions.find((one) => one.session === session)
    if (noted?.ended === undefined && claiming.has(session)) return false
    return hasEnded(noted, { lastMs: updatedMs, nowMs, quietMs })
  }
}

/** The record that a draft of notes continues, if it is in the store. */
export async function parentOfNotes(
  project: Project,
  { lineage }: Handoff,
): Promise<StoredRecord | undefined> {
  const [parent] = lineage.parents
  const stored = parent === undefined ? undefined : await project.store.read(parent)
  return stored?.kind === 'record' ? stored : undefined
}
