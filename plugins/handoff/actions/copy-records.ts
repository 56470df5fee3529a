import { relative } from 'node:path'
import { type CopiedRecords, counted, createFileDurably, type Database } from '../../../server/plugin.ts'
import { sha256 } from '../domain/record-id.ts'
import { MAX_FILE_BYTES } from '../domain/record-size.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { projectRows, rowIn } from '../store/database-store.ts'
import { newTemp, RECORD_MODE, recordFile } from '../store/layout.ts'
import { storeProjectId } from '../store/project-identity.ts'
import type { NewRow, RecordRows } from '../store/record-rows.ts'
import { openStore, type Store } from '../store/store.ts'

/** What one statement carries. */
const RECORDS_AT_ONCE = 200
const BYTES_AT_ONCE = 4 * 1024 * 1024

/** Both places of a project's records. */
export interface Copy {
  readonly files: Store
  readonly database: Database
  rows(): Promise<RecordRows>
  /** The name of the project in the database. */
  key(): Promise<string>
}

/** The files of a project and its rows. */
export function copyOf(database: Database, { store, rootCommit, clock, config }: Project): Copy {
  const { disk, layout } = store
  const named = config.project ?? undefined
  const parts = { database, disk, layout, named, rootCommit }
  return { files: openStore({ disk, layout, now: clock }), database, ...projectRows(parts) }
}

/** Copies the project's files into rows. Can be done again after an interruption. Errors: those of `checkImport`. */
export async function importFiles(copy: Copy, signal: AbortSignal): Promise<CopiedRecords> {
  const { files, database } = copy
  const rows = await copy.rows()
  const { missing, repaired, present, damaged } = await checkImport(copy, signal)
  if (missing.length > 0) await rows.createProject()
  await importMissing(copy, rows, missing, signal)
  for (const { id, etag } of repaired) {
    const bytes = await bytesOf(files, id)
    if (!(await rows.replace(id, etag, bytes, rowIn(bytes, id)))) refuseDiffering([id])
  }
  const { folder, root } = files.layout
  return {
    from: relative(root, folder),
    to: database.place,
    copied: missing.length + repaired.length,
    present,
    ...(damaged.length > 0 && { damaged: damaged.map((id) => relative(root, recordFile(files.layout, id))) }),
  }
}

interface Imports {
  /** Names of records that rows lack. */
  readonly missing: readonly string[]
  /** Rows that are not valid records, while the file is one. */
  readonly repaired: readonly { readonly id: string; readonly etag: string }[]
  /** How many are there already. */
  readonly present: number
  /** Names of files that are not valid records, and whose bytes are not there. */
  readonly damaged: readonly string[]
}

/** What an import would do with each file. Errors: `copy_differs`, `copy_unreadable`. */
export async function checkImport({ files, rows: find }: Copy, signal: AbortSignal): Promise<Imports> {
  const rows = await find()
  const etags = await rows.etags()
  const [missing, damaged, differing]: [string[], string[], string[]] = [[], [], []]
  const repaired: { id: string; etag: string }[] = []
  let present = 0
  for (const id of await files.ids()) {
    signal.throwIfAborted()
    const etag = etags.get(id)
    const bytes = await bytesOf(files, id)
    if (etag === sha256(bytes)) present += 1
    else if (!rowIn(bytes, id)) damaged.push(id)
    else if (etag === undefined) missing.push(id)
    else if (await isDamaged(rows, id)) repaired.push({ id, etag })
    else differing.push(id)
  }
  refuseDiffering(differing)
  return { missing, repaired, present, damaged }
}

async function isDamaged(rows: RecordRows, id: string): Promise<boolean> {
  const row = await rows.read(id)
  return row !== undefined && rowIn(row.bytes, id) === undefined
}

/** Copies the project's rows into files. Can be done again after an interruption. Errors: those of `checkExport`. */
export async function exportFiles(copy: Copy, signal: AbortSignal): Promise<CopiedRecords> {
  const { files, database } = copy
  const { disk, layout } = files
  const rows = await copy.rows()
  const { count, missing } = await checkExport(copy, signal)
  const copied = missing.size
  if (count > 0) {
    await files.preparing(async () => {})
    // So that a copy of the files without their history has its name.
    await storeProjectId(disk, layout, await copy.key())
  }
  for (let seen = 0; missing.size > 0; ) {
    const found = await rows.since(seen, RECORDS_AT_ONCE)
    for (const { id, bytes } of found) {
      signal.throwIfAborted()
      if (!missing.delete(id)) continue
      const temp = newTemp(layout, 'record')
      await createFileDurably(recordFile(layout, id), bytes, { disk, mode: RECORD_MODE, temp })
    }
    const last = found.at(-1)
    if (!last) break
    seen = last.change
  }
  const { folder, root } = layout
  const told = count === 0 ? { note: await noRecords(copy) } : {}
  return { from: database.place, to: relative(root, folder), copied, present: count - copied, ...told }
}

async function noRecords({ key }: Copy): Promise<string> {
  return `This role sees no records of ${await key()}: there are none, or satchel.handoff_rights does not give it the project.`
}

/** How many rows there are, and the names of those that files lack. Errors: `copy_differs`. */
export async function checkExport({ files, rows }: Copy, signal: AbortSignal) {
  const missing = new Set<string>()
  const differing: string[] = []
  const etags = await (await rows()).etags()
  for (const [id, etag] of etags) {
    signal.throwIfAborted()
    const present = await files.bytes(id)
    if (!present) missing.add(id)
    else if (etag !== sha256(present)) differing.push(id)
  }
  refuseDiffering(differing)
  return { count: etags.size, missing }
}

/** Copies these in transactions of many records each: a commit for each record would take minutes for 100,000. */
async function importMissing(
  { files }: Copy,
  rows: RecordRows,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  let [batch, size]: [NewRow[], number] = [[], 0]
  const flush = async () => {
    const done = batch.length === 0 ? 0 : await rows.insertAll(batch)
    if (done < batch.length) await importOneByOne(rows, batch)
    ;[batch, size] = [[], 0]
  }
  for (const id of ids) {
    signal.throwIfAborted()
    const bytes = await bytesOf(files, id)
    if (batch.length === RECORDS_AT_ONCE || size + bytes.length > BYTES_AT_ONCE) await flush()
    batch.push({ id, bytes, row: rowIn(bytes, id) })
    size += bytes.length
  }
  await flush()
}

/** What a batch left because an id or an idempotency key is taken. */
async function importOneByOne(rows: RecordRows, batch: readonly NewRow[]): Promise<void> {
  for (const { id, bytes, row } of batch) {
    const present = await rows.read(id)
    if (present?.bytes.equals(bytes)) continue
    if (present) refuseDiffering([id])
    if (await rows.insert(id, bytes, row)) continue
    // Two records of one idempotency key come from two clones: the first keeps it.
    if (!row || !(await rows.insert(id, bytes, { ...row, idempotency_key: null }))) refuseDiffering([id])
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
  const records = counted(ids.length, 'record is', 'records are')
  throw refusals.copy_differs({ records, id }, { details: { ids: ids.slice(0, 20) } })
}
