import type { IndexRecord, ModuleIndex } from './module-index.ts'

/** Summary files of an output directory that no record names any more; they are to be removed. */
export interface Leftovers {
  /** A record names this file. */
  named(file: string): void
  /** What is left over when these are the records. */
  beside(records: ReadonlyMap<string, IndexRecord>): string[]
  /** These files are no longer there. */
  removed(files: readonly string[]): void
}

/** Begins with what an earlier run named, and what it left. */
export function createLeftovers(earlier: ModuleIndex | undefined): Leftovers {
  const files = new Set([...(earlier?.leftovers ?? []), ...fileNames(earlier?.records ?? [])])
  return {
    named(file) {
      files.add(file)
    },
    beside(records) {
      // Case is ignored, as some disks do: names that differ only in case may be the same file.
      const named = new Set(fileNames(records.values()).map((file) => file.toLowerCase()))
      return [...files].filter((file) => !named.has(file.toLowerCase()))
    },
    removed(deleted) {
      for (const file of deleted) files.delete(file)
    },
  }
}

function fileNames(records: Iterable<IndexRecord>): string[] {
  return [...records].map(({ summary_file }) => summary_file)
}
