import { relative } from 'node:path'
import { type CopiedRecords, createFileDurably, type Database } from '../../../server/plugin.ts'
import { MAX_FILE_BYTES } from '../domain/record-size.ts'
import { rootCommit } from '../git/repository.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { projectRows, rowIn } from '../store/database-store.ts'
import { newTemp, RECORD_MODE, recordFile } from '../store/layout.ts'
import type { RecordRows } from '../store/record-rows.ts'
import { openStore, type Store } from '../store/store.ts'

/** Both places of a project's records. */
export interface Copy {
  readonly files: Store
  readonly database: Database
  rows(): Promise<RecordRows>
}

/** The files of a project and its rows. */
export function copyOf(database: Database, { store, git, clock, config }: Project): Copy {
  const { disk, layout } = store
  const named = config.project ?? undefined
  const parts = { database, disk, layout, named, rootCommit: () => rootCommit(git) }
  return { files: openStore({ disk, layout, now: clock }), database, rows: projectRows(parts).rows }
}

/** Copies the project's files into rows. Can be done again after an interruption. Errors: `copy_differs`, `copy_unreadable`. */
export async function importFiles(copy: Copy, signal: AbortSignal): Promise<CopiedRecords> {
  const { files, database } = copy
  const rows = await copy.rows()
  const missing: string[] = []
  const differing: string[] = []
  const ids = await files.ids()
  for (const id of ids) {
    signal.throwIfAborted()
    const present = await rows.read(id)
    const bytes = await bytesOf(files, id)
    if (!present) missing.push(id)
    else if (!present.bytes.equals(bytes)) differing.push(id)
  }
  refuseDiffering(differing)
  if (missing.length > 0) await rows.createProject()
  for (const id of missing) {
    signal.throwIfAborted()
    const bytes = await bytesOf(files, id)
    const row = rowIn(bytes, id)
    if (await rows.insert(id, bytes, row)) continue
    // Two records of one idempotency key come from two clones: the first keeps it.
    const isTaken = row !== undefined && (await rows.read(id)) === undefined
    if (!isTaken || !(await rows.insert(id, bytes, { ...row, idempotency_key: null }))) refuseDiffering([id])
  }
  const { folder, root } = files.layout
  return {
    from: relative(root, folder),
    to: database.place,
    copied: missing.length,
    present: ids.length - missing.length,
  }
}

/** Copies the project's rows into files. Can be done again after an interruption. Errors: `copy_differs`. */
export async function exportFiles(copy: Copy, signal: AbortSignal): Promise<CopiedRecords> {
  const { files, database } = copy
  const { disk, layout } = files
  const rows = await copy.rows()
  const missing: string[] = []
  const differing: string[] = []
  const ids = await rows.ids()
  for (const id of ids) {
    signal.throwIfAborted()
    const present = await files.bytes(id)
    if (!present) missing.push(id)
    else if (!(await rows.read(id))?.bytes.equals(present)) differing.push(id)
  }
  refuseDiffering(differing)
  if (missing.length > 0) await files.preparing(async () => {})
  for (const id of missing) {
    signal.throwIfAborted()
    const row = await rows.read(id)
    if (!row) continue
    const temp = newTemp(layout, 'record')
    await createFileDurably(recordFile(layout, id), row.bytes, { disk, mode: RECORD_MODE, temp })
  }
  const { folder, root } = layout
  return {
    from: database.place,
    to: relative(root, folder),
    copied: missing.length,
    present: ids.length - missing.length,
  }
}

async function bytesOf({ disk, layout }: Store, id: string): Promise<Buffer> {
  const file = recordFile(layout, id)
  const stat = await disk.stat(file)
  if (stat?.kind !== 'file' || stat.size > MAX_FILE_BYTES) {
    throw refusals.copy_unreadable({ path: relative(layout.root, file) })
  }
  return disk.readFile(file)
}

function refuseDiffering(ids: readonly string[]): void {
  const [id] = ids
  if (id === undefined) return
  throw refusals.copy_differs({ count: ids.length, id }, { details: { ids: ids.slice(0, 20) } })
}
