import { type Disk, orMissing } from '../../../server/plugin.ts'
import { newestAmong } from '../domain/record-table.ts'
import { lookAt, readFiles, removedFile, type Time } from './file-scan.ts'
import { changedSince, explains, type FolderChange, loadChanges, YOUNG_MS } from './folder-changes.ts'
import type { Layout } from './layout.ts'
import { type Segment, segmentOf } from './open-segment.ts'
import { type FileTable, tableOf } from './record-table.ts'
import { loadIndex, saveIndex, written } from './saved-index.ts'
import { SEGMENT_ROWS } from './segment.ts'

export interface Shortcomings {
  /** Files that were not read in time. The table lacks them. */
  readonly unread: number
  /** Files that were not checked for changes in time. The table has their last known state. */
  readonly unchecked: number
}

/** What a process knows of a store. */
export interface IndexState extends Shortcomings {
  readonly segments: readonly Segment[]
  readonly table: FileTable
  /** The folder's time at the last look; undefined: files are missing. */
  readonly folderMs: number | undefined
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

// design handoff-store, section 1
export const FULL_PASS_EVERY_MS = 5000
const SAVE_EVERY_MS = 5000
/** A table of this age is not asked: the background pass has had a second by then. */
export const SEEN_WITHIN_MS = 6000
/** Share of the time budget for finding changed files; the rest is for reading them. */
const LOOKING_SHARE = 0.7
/** Known files that are all looked at for edits in place; of more, some at a time. */
const LOOK_AT_ALL = 20_000
const LOOK_AT_ALL_IN_HASTE = 2000
const LOOK_AT_SOME = 1000
/** Unsaved rows that are worth a file. Fewer are read again by the next process. */
const WORTH_SAVING = 16
const MAX_SMALL_SEGMENTS = 6

/** The state without any record. */
export function emptyState(): IndexState {
  return stateOf([], undefined)
}

/** The state of an index on disk, or what is left of it. */
export async function loadState({ disk, layout }: IndexedStore): Promise<IndexState> {
  const { segments, folderMs } = await loadIndex(disk, layout)
  return stateOf(segments, folderMs)
}

/** The state without the segments of a damaged file, to be completed by the next refresh. */
export function withoutFile({ segments }: IndexState, file: string | undefined): IndexState {
  return stateOf(
    segments.filter((segment) => segment.file !== file),
    undefined,
  )
}

function stateOf(segments: readonly Segment[], folderMs: number | undefined): IndexState {
  return {
    segments,
    table: tableOf(segments),
    folderMs,
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
  store: IndexedStore,
  before: IndexState,
  { folderMs, budgetMs }: { readonly folderMs: number; readonly budgetMs: number },
): Promise<IndexState> {
  const fromMs = store.now()
  const changes = await loadChanges(store.disk, store.layout)
  const isFirst = before.checkedMs === Number.NEGATIVE_INFINITY
  const isKnown =
    isExplained(before, changes, folderMs) && !(isFirst && (await isMissingFiles(store, before, changes)))
  const isHasty = Number.isFinite(budgetMs)
  const isDue = !isKnown || fromMs - before.checkedMs >= (isHasty ? FULL_PASS_EVERY_MS : SEEN_WITHIN_MS)
  const names = isKnown
    ? [
        ...changedSince(changes, before.folderMs ?? 0),
        ...(isDue ? await dueNames(before.table, isHasty, fromMs) : []),
      ]
    : (await listed(store)).toSorted().toReversed()
  const time: Time = {
    toLook: () => store.now() - fromMs < budgetMs * LOOKING_SHARE,
    toRead: () => store.now() - fromMs < budgetMs,
  }
  const found = await foundIn(store, before, { names, isListed: !isKnown, time })
  const segments = [...before.segments, ...found.segments]
  const isNoted = changes.some(({ after }) => after === folderMs)
  const after: IndexState = {
    ...before,
    segments,
    table: found.segments.length > 0 ? tableOf(segments) : before.table,
    folderMs: found.unread > 0 ? undefined : folderMs,
    isYoung: fromMs - folderMs < YOUNG_MS && !isNoted,
    checkedMs: isDue ? fromMs : before.checkedMs,
    unread: found.unread,
    unchecked: found.unchecked,
  }
  return isWorthSaving(after, store.now(), !isKnown) ? saved(store, after) : after
}

/** True if the state lacks only what was noted: no other program wrote since. */
function isExplained(before: IndexState, changes: readonly FolderChange[], folderMs: number): boolean {
  return before.folderMs !== undefined && !before.isYoung && explains(changes, before.folderMs, folderMs)
}

/**
 * True if the folder has other files than the index and the notes know. Notes are not flushed, and a clock that was set
 * back gives the same time twice.
 */
async function isMissingFiles(
  store: IndexedStore,
  { table, folderMs = 0 }: IndexState,
  changes: readonly FolderChange[],
): Promise<boolean> {
  const added = changedSince(changes, folderMs).filter((name) => table.known(name) === undefined)
  return (await listed(store)).length !== table.present + added.length
}

async function listed({ disk, layout }: IndexedStore): Promise<readonly string[]> {
  return ((await orMissing(disk.list(layout.records))) ?? []).filter((name) => name.endsWith('.json'))
}

interface Looking {
  readonly names: readonly string[]
  /** The names are all that exist. */
  readonly isListed: boolean
  readonly time: Time
}

/** Segments of the files that changed or were removed. */
async function foundIn(
  store: IndexedStore,
  { table }: IndexState,
  { names, isListed, time }: Looking,
): Promise<Shortcomings & { readonly segments: readonly Segment[] }> {
  const look = await lookAt(store, names, table, time)
  const removed = isListed
    ? await missingFrom(table, new Set(names))
    : look.removed.filter((name) => table.known(name))
  const segments: Segment[] = []
  const read = await readFiles(store, look.changed, time, {
    partSize: SEGMENT_ROWS,
    take: async (part) => {
      segments.push(await keptSegment(store, await segmentOf(part)))
    },
  })
  for (let from = 0; from < removed.length; from += SEGMENT_ROWS) {
    segments.push(await segmentOf(removed.slice(from, from + SEGMENT_ROWS).map(removedFile)))
  }
  return { segments, unread: look.unseen + look.changed.length - read, unchecked: look.unchecked }
}

/** A large segment is written as soon as it is complete, so that memory stays small. */
async function keptSegment({ disk, layout }: IndexedStore, segment: Segment): Promise<Segment> {
  if (segment.count < SEGMENT_ROWS / 2 || !segment.bytes) return segment
  try {
    return await written(disk, layout, segment.bytes)
  } catch {
    return segment // a store that cannot be written has its index in memory
  }
}

async function missingFrom(table: FileTable, names: ReadonlySet<string>): Promise<readonly string[]> {
  if (table.present === 0) return []
  return (await table.names()).filter((name) => !names.has(name))
}

/** The known files whose turn it is to be looked at: all, or the newest and some of the others. */
async function dueNames(table: FileTable, isHasty: boolean, nowMs: number): Promise<readonly string[]> {
  if (table.present <= (isHasty ? LOOK_AT_ALL_IN_HASTE : LOOK_AT_ALL)) {
    return (await table.names()).toSorted().toReversed()
  }
  const half = LOOK_AT_SOME / 2
  const from = (Math.floor(nowMs / 1000) * half) % Math.max(1, table.records.length - half)
  const chosen = [...newestAmong(table, half), ...table.records.slice(from, from + half)]
  return chosen.map((record) => `${table.id(record)}.json`)
}

function isWorthSaving(state: IndexState, nowMs: number, isFull: boolean): boolean {
  if (nowMs - state.savedMs < SAVE_EVERY_MS) return false
  const unsaved = state.segments.reduce((sum, { bytes, count }) => sum + (bytes ? count : 0), 0)
  return unsaved >= WORTH_SAVING || (isFull && state.folderMs !== state.savedFolderMs)
}

async function saved({ disk, layout, now }: IndexedStore, state: IndexState): Promise<IndexState> {
  const merged = await withoutSmall(state)
  const segments = await saveIndex(disk, layout, { segments: merged, folderMs: state.folderMs }, now())
  const isSaved = segments.every(({ bytes }) => bytes === undefined)
  return {
    ...state,
    segments,
    table: tableOf(segments),
    savedMs: now(),
    savedFolderMs: isSaved ? state.folderMs : state.savedFolderMs,
  }
}

/** The segments, with small ones put together when there are many. */
async function withoutSmall({ segments, table }: IndexState): Promise<readonly Segment[]> {
  const small = segments.flatMap((segment, at) => {
    const live = table.live[at] ?? 0
    return live < SEGMENT_ROWS / 2 ? [{ segment, at, live }] : []
  })
  if (small.length <= MAX_SMALL_SEGMENTS) return segments
  const merged: Segment[] = []
  let part = []
  for (const { at } of small.sort((a, b) => a.live - b.live)) {
    const files = await table.filesOf(at)
    if (part.length + files.length > SEGMENT_ROWS) {
      merged.push(await segmentOf(part))
      part = []
    }
    part.push(...files)
  }
  merged.push(await segmentOf(part))
  const replaced = new Set(small.map(({ segment }) => segment))
  return [...segments.filter((segment) => !replaced.has(segment)), ...merged]
}
