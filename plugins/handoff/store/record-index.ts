import { join } from 'node:path'
import { isUuid } from '../domain/record-id.ts'
import { type RecordRow, rowOf } from '../domain/record-row.ts'
import { type Disk, type FileStat, orMissing } from './disk.ts'
import { type IndexEntries, type IndexEntry, loadIndex, saveIndex } from './index-cache.ts'
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
  /**
   * As `view`, but begins to read no file once `budgetMs` are over: those written last come first, and what was read is kept, so
   * that the next look gets farther. For whoever must answer in time.
   */
  viewWithin(budgetMs: number): Promise<PartialView>
}

/** A view that may lack records. */
export interface PartialView extends IndexView {
  /** Files there was no time to read: the view lacks them. */
  readonly unread: number
  /** Files there was no time to look at: the view has them as they were when they were last looked at. */
  readonly unchecked: number
}

// design handoff-store, section 1
const FULL_PASS_EVERY_MS = 5000
const SAVE_EVERY_MS = 5000
/** Of this age, what was seen is not answered: a pass in the background has had a second by then. */
const SEEN_WITHIN_MS = 6000
/** Two changes within the clock tick of a file system cannot be told apart. */
const YOUNG_MS = 50
const PARALLEL_LOOKS = 64
/** Fewer than looks: what has begun when the time is over is still waited for, and a record may be large. */
const PARALLEL_READS = 16
/** Of a budget, the share for looking which files changed; the rest is for reading those. */
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
    const folderMs = (await orMissing(disk.stat(layout.records)))?.mtimeMs ?? 0
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
  /** Whether there is a store at all, and the last scan while it still holds. */
  const look = async (): Promise<{ readonly isMissing: boolean; warm(): Scan | undefined }> => {
    const folder = await orMissing(disk.stat(layout.records))
    const folderMs = folder?.mtimeMs ?? 0
    return {
      isMissing: folder?.isDirectory !== true,
      warm: () => (isCurrent(last, folderMs) && now() - last.scannedMs < SEEN_WITHIN_MS ? last : undefined),
    }
  }

  return {
    async view() {
      const { isMissing, warm } = await look()
      if (isMissing) return EMPTY
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
    async viewWithin(budgetMs) {
      const { isMissing, warm } = await look()
      if (isMissing) return { ...EMPTY, unread: 0, unchecked: 0 }
      const { view, unread, unchecked } = warm() ?? (await scan(budgetMs))
      return { ...view, unread, unchecked }
    },
  }
}

const EMPTY: IndexView = { rows: [], problems: [] }

/** Whether a scan was whole and nothing was written since, as far as the folder's time can tell. */
function isCurrent(scan: Scan | undefined, folderMs: number): scan is Scan {
  if (!scan || scan.unread + scan.unchecked > 0) return false
  return scan.folderMs === folderMs && scan.scannedMs - folderMs >= YOUNG_MS
}

interface Files {
  readonly disk: Disk
  readonly layout: Layout
  /** What is known from before. */
  readonly before: IndexEntries
}

/** Whether there is still time to begin with the next files. */
interface Time {
  toLook(): boolean
  toRead(): boolean
}

/** The entries of all files in the order of their names, without those there was no time for. */
async function entriesOf(files: Files, time: Time): Promise<Pick<Scan, 'entries' | 'unread' | 'unchecked'>> {
  const { disk, layout, before } = files
  const names = ((await orMissing(disk.list(layout.records))) ?? []).filter((name) => name.endsWith('.json'))
  // Newer ids sort behind older ones: where there is no time to look at all, the newest were looked at.
  const newestFirst = names.sort().toReversed()
  const found = new Map<string, IndexEntry>()
  const changed: Seen[] = []
  const looked = await inTime(newestFirst, PARALLEL_LOOKS, time.toLook, async (name) => {
    const stat = await orMissing(disk.stat(join(layout.records, name)))
    const known = before.get(name)
    if (!stat) return
    if (known && known.mtimeMs === stat.mtimeMs && known.size === stat.size) found.set(name, known)
    else changed.push({ name, stat })
  })
  // Most likely they are what they were; whoever acts on a row reads the record again.
  let unchecked = 0
  for (const name of newestFirst.slice(looked)) {
    const known = before.get(name)
    if (!known) continue
    found.set(name, known)
    unchecked++
  }
  changed.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs || (a.name < b.name ? 1 : -1))
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
  readonly stat: FileStat
}

/** Does `work` for the first of `list`, `parallel` at a time, while there is time; how many it was done for. */
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
  { mtimeMs, size }: FileStat,
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
