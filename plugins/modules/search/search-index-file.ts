import { join } from 'node:path'
import { type Disk, type Log, orMissing, realDisk, systemCode } from '../../../server/plugin.ts'
import { loadIndexHead } from '../output/index-file.ts'
import { takeFreeIngestLock } from '../output/ingest-lock.ts'
import { stateDir } from '../output/module-index.ts'
import { DamagedFile } from '../segments/section-file.ts'
import { openSegmentSet, type SegmentSet, saveSegmentSet } from '../segments/segment-set.ts'
import type { Lexicon } from './lexicon.ts'
import { closeLater, emptySearchIndex, type SearchIndex, searchIndexOf } from './search-index.ts'
import { type IndexSource, isMadeBy, isOfNewer, type UpdatedSet, updateSet } from './search-index-update.ts'

/** The folder of the search index of an output directory. */
export function searchIndexFolder(outputDir: string): string {
  return join(stateDir(outputDir), 'search')
}

/** The index on disk; undefined where there is none that this version, tokenizer and lexicon made, or it is damaged. */
export function openSearchIndex(
  outputDir: string,
  lexicon: Lexicon,
  disk: Disk = realDisk,
): SearchIndex | undefined {
  const set = openSet(outputDir, disk)
  if (!set) return undefined
  if (!isMadeBy(set, lexicon)) return closed(set)
  try {
    return searchIndexOf(set, lexicon)
  } catch (thrown) {
    closed(set)
    if (thrown instanceof DamagedFile) return undefined
    throw thrown
  }
}

/** Brings the index on disk up to date. The caller holds the lock of the output directory. */
export async function saveSearchIndex(
  outputDir: string,
  source: IndexSource,
  disk: Disk = realDisk,
): Promise<void> {
  const before = openSet(outputDir, disk)
  try {
    const updated = await usableUpdate(before, source)
    if (updated) await saveSegmentSet(searchIndexFolder(outputDir), updated.set, updated.added, disk)
    await orMissing(disk.unlink(join(stateDir(outputDir), 'keyword.json'))) // of version 0.1.0
  } finally {
    if (before) closed(before)
  }
}

/** The step of an ingest that brings the index on disk up to date. */
export function searchIndexSaver(loadLexicon: () => Promise<Lexicon>) {
  return async ({ outputDir, disk, ...source }: SavedSource): Promise<void> =>
    saveSearchIndex(outputDir, { ...source, lexicon: await loadLexicon() }, disk)
}

interface SavedSource extends Omit<IndexSource, 'lexicon'> {
  readonly outputDir: string
  readonly disk?: Disk | undefined
}

/** Rebuilds the index on disk and ignores what is there. The caller holds the lock of the output directory. */
export async function replaceSearchIndex(
  outputDir: string,
  source: IndexSource,
  disk: Disk = realDisk,
): Promise<void> {
  const made = await updateSet(undefined, source)
  if (made) await saveSegmentSet(searchIndexFolder(outputDir), made.set, made.added, disk)
}

/** An index of just the records of `source`, in memory: `before` with what changed since. */
export async function currentSearchIndex(
  before: SearchIndex | undefined,
  source: IndexSource,
): Promise<SearchIndex> {
  const updated = await usableUpdate(before?.set, source)
  if (updated) return searchIndexOf(updated.set, source.lexicon)
  return before ?? emptySearchIndex(source.lexicon)
}

/** What a search brings up to date. */
export interface SearchedFolder {
  readonly outputDir: string
  /** What the head of the module index said before that was loaded. */
  readonly content: string
  readonly log: Pick<Log, 'warn'>
  readonly disk?: Disk | undefined
}

/**
 * As `currentSearchIndex`, and on disk for other processes, too (decision 226). It stays in memory where an ingest runs or
 * the modules changed meanwhile, where a newer version of satchel made the index on disk, and where the disk refuses.
 */
export async function keptSearchIndex(
  folder: SearchedFolder,
  before: SearchIndex | undefined,
  source: IndexSource,
): Promise<SearchIndex> {
  const updated = await usableUpdate(before?.set, source)
  if (!updated) return before ?? emptySearchIndex(source.lexicon)
  const isKept = await keepSet(folder, updated, source.lexicon).catch((thrown: unknown) => {
    const code = systemCode(thrown)
    if (code === undefined) throw thrown
    folder.log.warn(NOT_KEPT, { code, output_dir: folder.outputDir })
    return false
  })
  const stored = isKept ? openSearchIndex(folder.outputDir, source.lexicon, folder.disk) : undefined
  if (stored === undefined || stored.source !== updated.set.meta['source'])
    return searchIndexOf(updated.set, source.lexicon)
  if (before) closeLater(before, stored)
  return stored // its pages are read where they are needed
}

/** A folder that is read-only, or a disk that is full, costs each process its own update. */
const NOT_KEPT =
  'the search index cannot be written, so every process makes its own: run `satchel modules rebuild` where it can'

/** Whether the set is on disk now. An ingest that runs will write one itself. */
async function keepSet(
  { outputDir, content, disk = realDisk }: SearchedFolder,
  { set, added }: UpdatedSet,
  lexicon: Lexicon,
): Promise<boolean> {
  const folder = searchIndexFolder(outputDir)
  // A folder that no ingest of this version wrote stays as it is, also for the earlier one.
  if (!(await orMissing(disk.list(folder)))?.includes('current')) return false
  const lock = await takeFreeIngestLock(join(stateDir(outputDir), 'ingest.lock'), disk)
  if (!lock) return false
  try {
    if ((loadIndexHead(outputDir, disk)?.content ?? '') !== content || isNewerOnDisk(folder, lexicon, disk))
      return false
    // Others may have written and joined segments meanwhile, and some of ours may be in memory only.
    const there = new Set(await orMissing(disk.list(folder)))
    const earlier = added ? set.segments.slice(0, -1) : set.segments
    if (!earlier.every(({ name }) => there.has(name))) return false
    await saveSegmentSet(folder, set, added, disk)
    return true
  } finally {
    await lock.release()
  }
}

function isNewerOnDisk(folder: string, lexicon: Lexicon, disk: Disk): boolean {
  try {
    const set = openSegmentSet(folder, disk)
    if (!set) return false
    closed(set)
    return isOfNewer(set, lexicon)
  } catch (thrown) {
    if (thrown instanceof DamagedFile) return thrown.format !== undefined
    throw thrown
  }
}

/** A damaged set is rebuilt: everything in it follows from the summaries. */
async function usableUpdate(before: SegmentSet | undefined, source: IndexSource) {
  try {
    return await updateSet(before, source)
  } catch (thrown) {
    if (thrown instanceof DamagedFile) return await updateSet(undefined, source)
    throw thrown
  }
}

function openSet(outputDir: string, disk: Disk): SegmentSet | undefined {
  try {
    return openSegmentSet(searchIndexFolder(outputDir), disk)
  } catch (thrown) {
    if (thrown instanceof DamagedFile) return undefined
    throw thrown
  }
}

function closed({ segments }: SegmentSet): undefined {
  for (const { file } of segments) file.close()
}
