import { join } from 'node:path'
import type { Disk } from '../../../server/plugin.ts'
import { sha256Hex } from '../domain/record-id.ts'
import { rowOf, searchText } from '../domain/record-row.ts'
import { type ProjectRows, pathOf } from './database-store.ts'
import { ensureOwnFolder } from './ensure-folder.ts'
import {
  emptyState,
  type IndexedStore,
  type IndexState,
  isWorthSaving,
  keptSegment,
  loadState,
  saved,
  withoutFile,
} from './index-state.ts'
import { withSegment } from './layers.ts'
import type { Layout } from './layout.ts'
import { withFewUnsaved } from './merged-layers.ts'
import { parseRecord } from './read-record.ts'
import { indexOf, type RecordIndex } from './record-index.ts'
import type { RecordRows, StoredRow } from './record-rows.ts'
import { tableOf } from './record-table.ts'
import { createSegmentBuilder, SEGMENT_ROWS } from './segment.ts'
import { fieldsOf, type IndexedFile, indexedFile } from './segment-columns.ts'
import { sharedLooks } from './shared-looks.ts'

/** Rows that one query reads: a record may have a megabyte. */
const ROWS_AT_ONCE = 200

interface Followed {
  readonly life: string
  readonly store: IndexedStore
  /** Its `folderMs` is the last change that it has. */
  readonly state: IndexState
}

/**
 * The index of a project in the database: the same one as of files, in this machine's cache, and brought up to date by
 * the changes since. Every question sees what any process committed before it.
 */
export function createDatabaseIndex(
  { disk, layout, now }: { readonly disk: Disk; readonly layout: Layout; now(): number },
  project: ProjectRows,
): RecordIndex {
  let followed: Followed | undefined

  const opened = async (life: string): Promise<Followed> => {
    if (followed?.life === life) return followed
    const name = sha256Hex(`${await project.key()} ${life}`).slice(0, 16)
    const store = { disk, layout: { ...layout, cache: join(layout.cache, `database-${name}`) }, now }
    await ensureOwnFolder(disk, layout.cache).catch(() => undefined) // else it stays in memory
    return { life, store, state: await loadState(store) }
  }
  const refresh = async (budgetMs: number): Promise<IndexState> => {
    const rows = await project.rows()
    const { change, life } = await rows.head()
    // Time to connect does not count: a hook far from its database would find no records.
    const untilMs = now() + budgetMs
    const before = await opened(life)
    const state = await follow(before, rows, { change, toRead: () => now() < untilMs })
    followed = { ...before, state }
    return state
  }
  return indexOf(sharedLooks(refresh), (file) => {
    if (followed) followed = { ...followed, state: withoutFile(followed.state, file) }
  })
}

/** The state with the rows that changed since, oldest first; those for which there was no time are counted. */
async function follow(
  { store, state: before }: Followed,
  rows: RecordRows,
  { change: last, toRead }: { readonly change: number; toRead(): boolean },
): Promise<IndexState> {
  // A count that went back is of other rows, although nothing else told.
  const start = before.folderMs !== undefined && before.folderMs <= last ? before : emptyState()
  let { layers } = start
  let seen = start.folderMs ?? 0
  /** By id: a row that changes meanwhile is found twice. */
  const read = new Map<string, IndexedFile>()
  const finish = async () => {
    if (read.size === 0) return
    const builder = createSegmentBuilder(read.size)
    for (const file of read.values()) builder.add(file)
    layers = withFewUnsaved(withSegment(layers, await keptSegment(store, builder.bytes())))
    read.clear()
  }
  while (seen < last && toRead()) {
    const found = await rows.since(seen, ROWS_AT_ONCE)
    for (const row of found) read.set(row.id, indexedRow(row))
    seen = reached(found, last)
    if (read.size + ROWS_AT_ONCE > SEGMENT_ROWS) await finish()
  }
  await finish()
  if (seen === start.folderMs && start === before) return { ...before, unread: Math.max(0, last - seen) }
  const after: IndexState = {
    ...start,
    layers,
    table: layers === start.layers ? start.table : tableOf(layers),
    folderMs: seen,
    unread: Math.max(0, last - seen),
    unchecked: 0,
  }
  return isWorthSaving(after, store.now(), false) ? saved(store, after) : after
}

/** The last change that was seen: where fewer rows came than asked for, there are no more. */
function reached(found: readonly StoredRow[], last: number): number {
  const newest = found.at(-1)?.change ?? last
  return found.length < ROWS_AT_ONCE ? Math.max(last, newest) : newest
}

function indexedRow({ id, bytes, writtenMs }: StoredRow): IndexedFile {
  const facts = { name: `${id}.json`, mtimeMs: writtenMs, size: bytes.length }
  const found = parseRecord(bytes, pathOf(id), writtenMs)
  if (found.kind === 'broken') return indexedFile({ ...facts, problem: found.problem })
  const row = rowOf(found.record, found.path, writtenMs)
  return indexedFile({ ...facts, row, fields: fieldsOf(searchText(found.record)) })
}
