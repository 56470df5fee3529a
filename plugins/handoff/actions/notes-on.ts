import { isNotes } from '../domain/noted-work.ts'
import type { Handoff } from '../domain/record.ts'
import { isEditable } from '../domain/record.ts'
import type { RecordRow } from '../domain/record-row.ts'
import { newestOf, type RecordTable } from '../domain/record-table.ts'
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
  const open = table.childrenOf(id).filter((record) => {
    const isDraft = isEditable({ status: table.status(record) })
    return isDraft && table.relation(record) === 'continue' && !table.isSkeleton(record)
  })
  const rows = await table.load(newestOf(table, open).slice(0, MAX_DRAFTS))
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
