import { join } from 'node:path'
import { type Disk, orMissing, realDisk, systemCode } from '../../../server/plugin.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { stateDir } from '../output/module-index.ts'
import { DamagedFile } from '../segments/section-file.ts'
import { openSegmentSet, type SegmentSet, saveSegmentSet } from '../segments/segment-set.ts'
import type { Lexicon } from './lexicon.ts'
import { emptySearchIndex, type SearchIndex, searchIndexOf } from './search-index.ts'
import { type IndexSource, isMadeBy, updateSet } from './search-index-update.ts'

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

/**
 * An index of just the records of `source`, in memory: `before` with what changed since. That is not written, because
 * readers take no lock; the next ingest or rebuild does.
 */
export async function currentSearchIndex(
  before: SearchIndex | undefined,
  source: IndexSource,
): Promise<SearchIndex> {
  const updated = await usableUpdate(before?.set, source)
  if (updated) return searchIndexOf(updated.set, source.lexicon)
  return before ?? emptySearchIndex(source.lexicon)
}

/**
 * Makes the index as a whole and keeps it on disk, where none is that this version can read: the next process has it then.
 * `isCurrent`: whether the modules are still those of `source`. Nothing is kept while an ingest runs, or where the folder
 * cannot be written.
 */
export async function remadeSearchIndex(
  outputDir: string,
  source: IndexSource,
  { isCurrent, disk = realDisk }: { isCurrent(): boolean; readonly disk?: Disk },
): Promise<SearchIndex> {
  const made = await updateSet(undefined, source)
  if (!made) return emptySearchIndex(source.lexicon)
  const lock = await takeIngestLock(join(stateDir(outputDir), 'ingest.lock'), { disk }).catch(() => undefined)
  try {
    const stored = lock && openSearchIndex(outputDir, source.lexicon, disk)
    if (stored)
      closed(stored.set) // another process made it meanwhile
    else if (lock && isCurrent())
      await saveSegmentSet(searchIndexFolder(outputDir), made.set, made.added, disk)
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown
  } finally {
    await lock?.release()
  }
  return searchIndexOf(made.set, source.lexicon)
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
