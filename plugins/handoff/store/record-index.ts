import { join } from 'node:path'
import { type Disk, type FileFacts, orMissing } from '../../../server/plugin.ts'
import { isUuid } from '../domain/record-id.ts'
import { type RecordRow, rowOf } from '../domain/record-row.ts'
import { type IndexEntries, type IndexEntry, loadIndex, saveIndex } from './index-cache.ts'
import type { Layout } from './layout.ts'
import { type Problem, readRecord } from './read-record.ts'

/** Rows of every record of a store, and its damaged files. */
export interface IndexView {
  readonly rows: readonly RecordRow[]
  readonly problems: readonly Problem[]
}

/** Caches what lists and searches need of records. Owned by the project; needs no closing. */
export interface RecordIndex {
  /**
   * The current records. A record written by any process is seen immediately; one that was edited in place, without a
   * rename, within 6 s.
   */
  view(): Promise<IndexView>
  /**
   * As `view`, but starts no read after `budgetMs`, for callers with a time limit. Reads the newest files first and keeps
   * what it read, so that the next call gets further.
   */
  viewWithin(budgetMs: number): Promise<PartialView>
}

/** A view that may lack records. */
export interface PartialView extends IndexView {
  /** Files that were not read in time. The view lacks them. */
  readonly unread: number
  /** Files that were not checked for changes in time. The view has their last known state. */
  readonly unchecked: number
}

// design handoff-store, section 1
const FULL_PASS_EVERY_MS = 5000
const SAVE_EVERY_MS = 5000
/** A view of this age is not returned: the background pass has had a second by then. */
const SEEN_WITHIN_MS = 6000
/** Two changes within one clock tick of the file system look the same. */
const YOUNG_MS = 50
const PARALLEL_LOOKS = 64
/** Fewer than checks: started reads are awaited even after the time limit, and a record may be large. */
const PARALLEL_READS = 16
/** Share of the time budget for finding changed files; the rest is for reading them. */
const LOOKING_SHARE = 0.7

interface Scan {
  readonly entries: IndexEntries
  readonly folderMs: number
  readonly scannedMs: number
  readonly view: IndexView
  readonly unread: number
  readonly unchecked: number
}

/** The index of the store at `layout`. `now` is the clock of the file system's times. */
export function createIndex(disk: Disk, layout: Layout, now: () => number): RecordIndex {
  let last: Scan | undefined
  let running: Promise<Scan> | undefined
  let savedMs = Number.NEGATIVE_INFINITY

  const timeFrom = (fromMs: number, budgetMs: number): Time => ({
    toLook: () => now() - fromMs < budgetMs * LOOKING_SHARE,
    toRead: () => now() - fromMs < budgetMs,
  })
  const scan = async (budgetMs: number): Promise<Scan> => {
    const scannedMs = now()
    const folderMs = (await disk.stat(layout.records))?.modifiedMs ?? 0
    const before = last?.entries ?? (await loadIndex(disk, layout)) ?? new Map<string, IndexEntry>()
    const { entries, ...missed } = await entriesOf({ disk, layout, before }, timeFrom(scannedMs, budgetMs))
    const changed =
      entries.size !== before.size || [...entries].some(([name, entry]) => before.get(name) !== entry)
    const view = last && !changed ? last.view : viewOf(entries)
    const next = { entries, folderMs, scannedMs, view, ...missed }
    last = next
    if (changed && now() - savedMs >= SAVE_EVERY_MS) {
      savedMs = now()
      await saveIndex(disk, layout, entries)
    }
    return next
  }
  const scanOnce = (): Promise<Scan> => {
    running ??= scan(Number.POSITIVE_INFINITY).finally(() => {
      running = undefined
    })
    return running
  }
  /** Tells whether there is a store, and the last scan while it is valid. */
  const look = async (): Promise<{ readonly isMissing: boolean; warm(): Scan | undefined }> => {
    const folder = await disk.stat(layout.records)
    const folderMs = folder?.modifiedMs ?? 0
    return {
      isMissing: folder?.kind !== 'directory',
      warm: () => (isCurrent(last, folderMs) && now() - last.scannedMs < SEEN_WITHIN_MS ? last : undefined),
    }
  }

  return {
    async view() {
      const { isMissing, warm } = await look()
      if (isMissing) return EMPTY
      const known = warm()
      if (known) {
        // In the background, for a later call; a failure shows up there.
        if (now() - known.scannedMs > FULL_PASS_EVERY_MS) scanOnce().catch(() => undefined)
        return known.view
      }
      // A scan that began before this call may have missed what was written since.
      if (running) await running.catch(() => undefined)
      return (warm() ?? (await scanOnce())).view
    },
    async viewWithin(budgetMs) {
      const { isMissing, warm } = await look()
      if (isMissing) return { ...EMPTY, unread: 0, unchecked: 0 }
      const { view, unread, unchecked } = warm() ?? (await scan(budgetMs))
      return { ...view, unread, unchecked }
    },
  }
}

const EMPTY: IndexView = { rows: [], problems: [] }

/** True if a scan was complete and the folder's time has not changed since. */
function isCurrent(scan: Scan | undefined, folderMs: number): scan is Scan {
  if (!scan || scan.unread + scan.unchecked > 0) return false
  return scan.folderMs === folderMs && scan.scannedMs - folderMs >= YOUNG_MS
}

interface Files {
  readonly disk: Disk
  readonly layout: Layout
  /** Entries of the last scan. */
  readonly before: IndexEntries
}

/** Whether there is time to start with the next files. */
interface Time {
  toLook(): boolean
  toRead(): boolean
}

/** The entries of all files in the order of their names, except those that were not reached in time. */
async function entriesOf(files: Files, time: Time): Promise<Pick<Scan, 'entries' | 'unread' | 'unchecked'>> {
  const { disk, layout, before } = files
  const names = ((await orMissing(disk.list(layout.records))) ?? []).filter((name) => name.endsWith('.json'))
  // Newer ids sort after older ones: when time is short, the newest files are checked.
  const newestFirst = names.sort().toReversed()
  const found = new Map<string, IndexEntry>()
  const changed: Seen[] = []
  const looked = await inTime(newestFirst, PARALLEL_LOOKS, time.toLook, async (name) => {
    const stat = await disk.stat(join(layout.records, name))
    const known = before.get(name)
    if (!stat) return
    if (known && known.mtimeMs === stat.modifiedMs && known.size === stat.size) found.set(name, known)
    else changed.push({ name, stat })
  })
  // They have probably not changed; an action on a row reads its record again.
  let unchecked = 0
  for (const name of newestFirst.slice(looked)) {
    const known = before.get(name)
    if (!known) continue
    found.set(name, known)
    unchecked++
  }
  changed.sort((a, b) => b.stat.modifiedMs - a.stat.modifiedMs || (a.name < b.name ? 1 : -1))
  const read = await inTime(changed, PARALLEL_READS, time.toRead, async ({ name, stat }) => {
    const entry = await entryOf(files, name, stat)
    if (entry) found.set(name, entry)
  })
  const entries = names.flatMap((name) => {
    const entry = found.get(name)
    return entry ? [[name, entry] as const] : []
  })
  const unread = names.length - looked - unchecked + changed.length - read
  return { entries: new Map(entries), unread, unchecked }
}

interface Seen {
  readonly name: string
  readonly stat: FileFacts
}

/** Runs `work` for the entries of `list`, `parallel` at a time, while there is time. Returns the number of entries. */
async function inTime<T>(
  list: readonly T[],
  parallel: number,
  hasTime: () => boolean,
  work: (one: T) => Promise<void>,
): Promise<number> {
  let done = 0
  while (done < list.length && hasTime()) {
    const batch = list.slice(done, done + parallel)
    await Promise.all(batch.map(work))
    done += batch.length
  }
  return done
}

async function entryOf(
  { disk, layout }: Files,
  name: string,
  { modifiedMs: mtimeMs, size }: FileFacts,
): Promise<IndexEntry | undefined> {
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

function viewOf(entries: IndexEntries): IndexView {
  const all = [...entries.values()]
  return {
    rows: all.flatMap(({ row }) => row ?? []),
    problems: all.flatMap(({ problem }) => problem ?? []),
  }
}
