import { join } from 'node:path'
import { isUuid } from '../domain/record-id.ts'
import { type RecordRow, rowOf } from '../domain/record-row.ts'
import { type Disk, orMissing } from './disk.ts'
import { type IndexEntry, loadIndex, saveIndex } from './index-cache.ts'
import type { Layout } from './layout.ts'
import { type Problem, readRecord } from './read-record.ts'

/** Rows of every record of a store and the files that are none. */
export interface IndexView {
  readonly rows: readonly RecordRow[]
  readonly problems: readonly Problem[]
}

/** What lists and searches know of a store without reading its records again. Owned by the project; needs no closing. */
export interface RecordIndex {
  /**
   * The records as they are: a record written by anybody is seen at once; one that was edited in place, without a
   * rename, within 6 s.
   */
  view(): Promise<IndexView>
}

// design handoff-store, section 1
const FULL_PASS_EVERY_MS = 5000
const SAVE_EVERY_MS = 5000
/** Of this age, what was seen is not answered: a pass in the background has had a second by then. */
const SEEN_WITHIN_MS = 6000
/** Two changes within the clock tick of a file system cannot be told apart. */
const YOUNG_MS = 50
const PARALLEL = 64

interface State {
  readonly entries: ReadonlyMap<string, IndexEntry>
  readonly folderMs: number
  readonly scannedMs: number
  readonly view: IndexView
}

/** The index of the store at `layout`. `now` is the clock of the file system's times. */
export function createIndex(disk: Disk, layout: Layout, now: () => number): RecordIndex {
  let state: State | undefined
  let running: Promise<State> | undefined
  let savedMs = Number.NEGATIVE_INFINITY

  const scan = async (): Promise<State> => {
    const scannedMs = now()
    const folderMs = (await orMissing(disk.stat(layout.records)))?.mtimeMs ?? 0
    const before = state?.entries ?? (await loadIndex(disk, layout)) ?? new Map<string, IndexEntry>()
    const entries = await entriesOf(disk, layout, before)
    const changed =
      entries.size !== before.size || [...entries].some(([name, entry]) => before.get(name) !== entry)
    const next = { entries, folderMs, scannedMs, view: state && !changed ? state.view : viewOf(entries) }
    state = next
    if (changed && now() - savedMs >= SAVE_EVERY_MS) {
      savedMs = now()
      await saveIndex(disk, layout, entries)
    }
    return next
  }
  const scanOnce = (): Promise<State> => {
    running ??= scan().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    async view() {
      const folder = await orMissing(disk.stat(layout.records))
      if (!folder?.isDirectory) return { rows: [], problems: [] }
      const warm = (): State | undefined =>
        isCurrent(state, folder.mtimeMs) && now() - state.scannedMs < SEEN_WITHIN_MS ? state : undefined
      const known = warm()
      if (known) {
        // In the background: its findings are for a later call, and a failure shows there.
        if (now() - known.scannedMs > FULL_PASS_EVERY_MS) scanOnce().catch(() => undefined)
        return known.view
      }
      // A scan that began before this call may have missed what was written since.
      if (running) await running.catch(() => undefined)
      return (warm() ?? (await scanOnce())).view
    },
  }
}

/** Whether nothing was written since a scan, as far as the folder's time can tell. */
function isCurrent(state: State | undefined, folderMs: number): state is State {
  return state !== undefined && state.folderMs === folderMs && state.scannedMs - folderMs >= YOUNG_MS
}

async function entriesOf(
  disk: Disk,
  layout: Layout,
  before: ReadonlyMap<string, IndexEntry>,
): Promise<ReadonlyMap<string, IndexEntry>> {
  const names = ((await orMissing(disk.list(layout.records))) ?? [])
    .filter((name) => name.endsWith('.json'))
    .sort()
  const entries = new Map<string, IndexEntry>()
  for (let from = 0; from < names.length; from += PARALLEL) {
    const batch = names.slice(from, from + PARALLEL)
    const read = await Promise.all(batch.map((name) => entryOf(disk, layout, name, before.get(name))))
    for (const [index, entry] of read.entries()) {
      const name = batch[index]
      if (entry && name !== undefined) entries.set(name, entry)
    }
  }
  return entries
}

async function entryOf(
  disk: Disk,
  layout: Layout,
  name: string,
  before: IndexEntry | undefined,
): Promise<IndexEntry | undefined> {
  const stat = await orMissing(disk.stat(join(layout.records, name)))
  if (!stat) return undefined
  const { mtimeMs, size } = stat
  if (before && before.mtimeMs === mtimeMs && before.size === size) return before
  const id = name.slice(0, -'.json'.length)
  if (!isUuid(id)) return { mtimeMs, size, problem: misnamed(name) }
  const found = await readRecord(disk, layout, id)
  if (!found) return undefined
  if (found.kind === 'broken') return { mtimeMs, size, problem: found.problem }
  return { mtimeMs, size, row: rowOf(found.record, found.path, mtimeMs) }
}

function misnamed(name: string): Problem {
  return { path: name, reason: 'wrong_id', detail: 'is not named by a record id' }
}

function viewOf(entries: ReadonlyMap<string, IndexEntry>): IndexView {
  const all = [...entries.values()]
  return {
    rows: all.flatMap(({ row }) => row ?? []),
    problems: all.flatMap(({ problem }) => problem ?? []),
  }
}
