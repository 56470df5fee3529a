import type { IndexRecord, ModuleIndex } from './module-index.ts'

/** Summary files that no record of an output directory names any more, to be removed. */
export interface Leftovers {
  /** A record names this file. */
  named(file: string): void
  /** The files that none of these records names. */
  beside(records: ReadonlyMap<string, IndexRecord>): string[]
  /** These files are no longer there. */
  removed(files: readonly string[]): void
}

/** Starts with the files that an earlier run named or left over. */
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
