import { join } from 'node:path'
import { type Disk, orMissing, realDisk } from '../../../server/plugin.ts'
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
 * An index of just the records of `source`, in memory: `before` with what changed since. Nothing is written, because
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
