import { type Disk, inTightHeap, orMissing } from '../../../server/plugin.ts'
import { dueFiles } from './due-files.ts'
import { type Candidate, lookAt, readFiles, type Time } from './file-scan.ts'
import { changedSince, explains, type FolderChange, YOUNG_MS } from './folder-changes.ts'
import { type Layer, withoutFiles, withSegment } from './layers.ts'
import type { Layout } from './layout.ts'
import { withFewSmall, withFewUnsaved } from './merged-layers.ts'
import { type Segment, segmentOf } from './open-segment.ts'
import { type FileTable, type KnownFile, tableOf } from './record-table.ts'
import { loadIndex, type SavedIndex, saveIndex, written } from './saved-index.ts'
import { SEGMENT_ROWS } from './segment.ts'

export interface Shortcomings {
  /** Files that were not read in time. The table lacks them. */
  readonly unread: number
  /** Files that were not checked for changes in time. The table has their last known state. */
  readonly unchecked: number
}

/** What a process knows of a store. */
export interface IndexState extends Shortcomings {
  readonly layers: readonly Layer[]
  readonly table: FileTable
  /** The folder's time at the last look, or the last change of rows; undefined: some are missing. */
  readonly folderMs: number | undefined
  /** The folder's time when its files were last counted. */
  readonly countedMs: number | undefined
  /** The same of the index on disk. */
  readonly savedFolderMs: number | undefined
  /** The folder changed so shortly before the look that the look may have missed a change. */
  readonly isYoung: boolean
  /** The last look at known files, and the last time that the index was saved. */
  readonly checkedMs: number
  readonly savedMs: number
}

export interface IndexedStore {
  readonly disk: Disk
  readonly layout: Layout
  /** The clock of the file system's times. */
  now(): number
}

/** The same with a reader of the changes that were noted in it. */
export interface NotedStore extends IndexedStore {
  changes(): Promise<readonly FolderChange[]>
}

// design handoff-store, section 1
export const FULL_PASS_EVERY_MS = 5000
const SAVE_EVERY_MS = 5000
/** A table of this age is not asked: the background pass has had a second by then. */
export const SEEN_WITHIN_MS = 6000
/** Share of the time budget for finding changed files; the rest is for reading them. */
const LOOKING_SHARE = 0.7
/** More files than this are counted only where the folder changed since the last count, and not in haste. */
const COUNT_ALWAYS = 2000
/** Unsaved rows that are worth a file. Fewer are read again by the next process. */
const WORTH_SAVING = 16

/** The state without any record. */
export function emptyState(): IndexState {
  return stateOf({ layers: [], folderMs: undefined, countedMs: undefined })
}

/** The state of an index on disk, or what is left of it. */
export async function loadState({ disk, layout }: IndexedStore): Promise<IndexState> {
  return stateOf(await loadIndex(disk, layout))
}

/** The state without the segments of a damaged file, to be completed by the next refresh. */
export function withoutFile({ layers }: IndexState, file: string | undefined): IndexState {
  const sound = layers.filter(({ segment }) => segment.file !== file)
  return stateOf({ layers: sound, folderMs: undefined, countedMs: undefined })
}

function stateOf({ layers, folderMs, countedMs }: SavedIndex): IndexState {
  return {
    layers,
    table: tableOf(layers),
    folderMs,
    countedMs,
    savedFolderMs: folderMs,
    isYoung: false,
    checkedMs: Number.NEGATIVE_INFINITY,
    savedMs: Number.NEGATIVE_INFINITY,
    unread: 0,
    unchecked: 0,
  }
}

/** Brings the state up to date with the folder of records, whose time is `folderMs`, and saves it now and then. */
export async function refreshState(
  store: NotedStore,
  before: IndexState,
  { folderMs, budgetMs }: { readonly folderMs: number; readonly budgetMs: number },
): Promise<IndexState> {
  const fromMs = store.now()
  const changes = await store.changes()
  const isHasty = Number.isFinite(budgetMs)
  const trust = await trusted(store, before, { changes, folderMs, isHasty })
  const pass = () => passOver(store, before, { changes, folderMs, isHasty, budgetMs, fromMs, ...trust })
  return trust.isKnown ? pass() : inTightHeap(pass) // all files may have to be read
}

interface Pass extends Folder, Trust {
  readonly budgetMs: number
  /** When the pass began. */
  readonly fromMs: number
}

async function passOver(
  store: IndexedStore,
  before: IndexState,
  { changes, folderMs, isHasty, budgetMs, fromMs, isKnown, isCounted }: Pass,
): Promise<IndexState> {
  const isDue = !isKnown || fromMs - before.checkedMs >= (isHasty ? FULL_PASS_EVERY_MS : SEEN_WITHIN_MS)
  const due = isKnown && isDue ? dueFiles(before.table, isHasty, fromMs) : []
  const names = isKnown ? changedSince(changes, before.folderMs ?? 0) : (await listed(store)).sort().reverse()
  const time: Time = {
    toLook: () => store.now() - fromMs < budgetMs * LOOKING_SHARE,
    toRead: () => store.now() - fromMs < budgetMs,
  }
  const found = await foundIn(store, before, { names, due, isListed: !isKnown, time })
  const isNoted = changes.some(({ after }) => after === folderMs)
  const isYoung = fromMs - folderMs < YOUNG_MS
  const after: IndexState = {
    ...before,
    ...found,
    table: found.layers === before.layers ? before.table : tableOf(found.layers),
    folderMs: found.unread > 0 ? undefined : folderMs,
    countedMs: isYoung || found.unread > 0 || (isKnown && !isCounted) ? before.countedMs : folderMs,
    isYoung: isYoung && !isNoted,
    checkedMs: isDue ? fromMs : before.checkedMs,
  }
  if (isWorthSaving(after, store.now(), !isKnown)) return saved(store, after)
  if (isCounted) await saveCount(store, before, after)
  return after
}

interface Folder {
  readonly changes: readonly FolderChange[]
  readonly folderMs: number
  readonly isHasty: boolean
}

/** Whether the state lacks only what was noted, and whether the files were counted to tell. */
interface Trust {
  readonly isKnown: boolean
  readonly isCounted: boolean
}

async function trusted(
  store: IndexedStore,
  before: IndexState,
  { changes, folderMs, isHasty }: Folder,
): Promise<Trust> {
  if (!explained(before, changes, folderMs)) return { isKnown: false, isCounted: false }
  if (!mustCount(before, folderMs, isHasty)) return { isKnown: true, isCounted: false }
  const isKnown = await isComplete(store, before, changes)
  return { isKnown, isCounted: isKnown }
}

/** What a count costs in a large store is not paid again by the next process. */
async function saveCount(store: IndexedStore, before: IndexState, { countedMs }: IndexState): Promise<void> {
  const { layers, table, savedFolderMs } = before // as loaded: every segment is in a file
  if (table.present <= COUNT_ALWAYS || countedMs === before.countedMs) return
  await saveIndex(store.disk, store.layout, { layers, folderMs: savedFolderMs, countedMs }, store.now())
}

/** True if the state lacks only what was noted: no other program wrote since. */
function explained(before: IndexState, changes: readonly FolderChange[], folderMs: number): boolean {
  return before.folderMs !== undefined && !before.isYoung && explains(changes, before.folderMs, folderMs)
}

/**
 * Whether the files must be counted before the notes are believed: notes are not flushed, a clock that was set back
 * gives the same time twice, and another program may write while satchel does. Once in a process, and in a large store
 * only where the folder changed since the last count.
 */
function mustCount({ checkedMs, countedMs, table }: IndexState, folderMs: number, isHasty: boolean): boolean {
  if (checkedMs !== Number.NEGATIVE_INFINITY) return false
  return table.present <= COUNT_ALWAYS || (countedMs !== folderMs && !isHasty)
}

/**
 * True if the folder has as many files as the index and the notes know. A noted file that is missing was lost in a power
 * cut, since it is noted before its name is flushed, and another one may be there without its note.
 */
async function isComplete(
  store: IndexedStore,
  { table, folderMs = 0 }: IndexState,
  changes: readonly FolderChange[],
): Promise<boolean> {
  const noted = changedSince(changes, folderMs)
  const names = await listed(store)
  const present = noted.length === 0 ? undefined : new Set(names)
  if (!noted.every((name) => present?.has(name))) return false
  const added = noted.filter((name) => table.known(name) === undefined)
  return names.length === table.present + added.length
}

async function listed({ disk, layout }: IndexedStore): Promise<string[]> {
  return ((await orMissing(disk.list(layout.records))) ?? []).filter((name) => name.endsWith('.json'))
}

interface Looking {
  readonly names: readonly string[]
  /** Known files that are looked at besides. */
  readonly due: Iterable<KnownFile>
  /** The names are all that exist. */
  readonly isListed: boolean
  readonly time: Time
}

/** The layers with the files that changed, and without those that were removed. */
async function foundIn(
  store: IndexedStore,
  { table, layers: before }: IndexState,
  { names, due, isListed, time }: Looking,
): Promise<Shortcomings & { readonly layers: readonly Layer[] }> {
  const look = await lookAt(store, candidatesOf(table, names, due), time)
  const removed = isListed ? missingFrom(table, names) : look.removed.filter((name) => table.known(name))
  let layers = removed.length > 0 ? withoutFiles(before, removed) : before
  const { read, lost } = await readFiles(store, look.changed, time, async (bytes) => {
    layers = withSegment(layers, await keptSegment(store, bytes))
  })
  if (lost.length > 0) layers = withoutFiles(layers, lost)
  return {
    layers: withFewUnsaved(layers),
    unread: look.unseen + look.changed.length - read,
    unchecked: look.unchecked,
  }
}

/** The named files, then the due ones, one by one: a list of all of them would cost more to keep than to make. */
function* candidatesOf(
  table: FileTable,
  names: readonly string[],
  due: Iterable<KnownFile>,
): Iterable<Candidate> {
  for (const name of names) yield { name, before: table.known(name) }
  let named: ReadonlySet<string> | undefined
  for (const file of due) {
    named ??= new Set(names)
    if (!named.has(file.name)) yield { name: file.name, before: file }
  }
}

/** A large segment is written as soon as it is complete, so that memory stays small; a small one is copied. */
export async function keptSegment({ disk, layout }: IndexedStore, bytes: Buffer): Promise<Segment> {
  if (segmentOf(bytes).count >= SEGMENT_ROWS / 2) {
    try {
      return await written(disk, layout, bytes)
    } catch {
      // A store that cannot be written has its index in memory.
    }
  }
  return segmentOf(Buffer.from(bytes))
}

function missingFrom(table: FileTable, names: readonly string[]): readonly string[] {
  if (table.present === 0) return []
  const present = new Set(names)
  return Array.from(table.files(), ({ name }) => name).filter((name) => !present.has(name))
}

/** Whether there is enough to save, and the last time is long enough ago. */
export function isWorthSaving(state: IndexState, nowMs: number, isFull: boolean): boolean {
  if (nowMs - state.savedMs < SAVE_EVERY_MS) return false
  const unsaved = state.layers.reduce((sum, { segment }) => sum + (segment.bytes ? segment.count : 0), 0)
  return unsaved >= WORTH_SAVING || (isFull && state.folderMs !== state.savedFolderMs)
}

/** The state with its index on disk. */
export async function saved({ disk, layout, now }: IndexedStore, state: IndexState): Promise<IndexState> {
  const { folderMs, countedMs } = state
  const layers = await saveIndex(
    disk,
    layout,
    { layers: withFewSmall(state.layers), folderMs, countedMs },
    now(),
  )
  const isSaved = layers.every(({ segment }) => segment.bytes === undefined)
  return {
    ...state,
    layers,
    table: tableOf(layers),
    savedMs: now(),
    savedFolderMs: isSaved ? folderMs : state.savedFolderMs,
  }
}
