import type { RemoteListing } from '../git/remote.ts'
import type { ModuleIndex, Reading, RepositoryRow } from '../index/module-index.ts'
import type { ChosenRef } from './choose-refs.ts'
import type { PlannedEntry } from './plan.ts'

/** Which refs were read how: what an index says of its repositories. */
export interface ReadingBook {
  /** The reading of this very commit with these options, if there was one. */
  find(repository: string, ref: ChosenRef, entry: PlannedEntry): Reading | undefined
  /** All readings of this directory with these options. */
  of(repository: string, entry: PlannedEntry): readonly Reading[]
  note(repository: string, ref: ChosenRef, entry: PlannedEntry, directories: readonly string[]): void
  /** What the remote says of itself now; what was read before stays known. */
  listed(repository: string, name: string, listing: RemoteListing): void
  rows(): RepositoryRow[]
}

/** Starts from what an earlier run knew. */
export function createReadingBook(earlier: ModuleIndex | undefined): ReadingBook {
  const rows = new Map((earlier?.repositories ?? []).map((row) => [row.repository, openRow(row)]))
  return {
    find(repository, ref, entry) {
      const reading = rows.get(repository)?.readings.get(keyOf(ref.ref, entry.path))
      if (reading?.commit !== ref.commit || reading.options_digest !== entry.optionsDigest) return undefined
      return reading.ref_kind === ref.kind ? reading : undefined
    },
    of(repository, { path, optionsDigest }) {
      const known = [...(rows.get(repository)?.readings.values() ?? [])]
      return known.filter((reading) => reading.path === path && reading.options_digest === optionsDigest)
    },
    note(repository, { ref, kind, commit }, { path, optionsDigest }, directories) {
      rows.get(repository)?.readings.set(keyOf(ref, path), {
        ref,
        ref_kind: kind,
        path,
        commit,
        options_digest: optionsDigest,
        directories: [...directories],
      })
    },
    listed(repository, name, listing) {
      const readings = rows.get(repository)?.readings ?? new Map<string, Reading>()
      rows.set(repository, { repository, name, default_branch: listing.defaultBranch ?? null, readings })
    },
    rows: () => [...rows.values()].map((row) => ({ ...row, readings: [...row.readings.values()] })),
  }
}

interface Row extends Omit<RepositoryRow, 'readings'> {
  readonly readings: Map<string, Reading>
}

function openRow(row: RepositoryRow): Row {
  return {
    ...row,
    readings: new Map(row.readings.map((reading) => [keyOf(reading.ref, reading.path), reading])),
  }
}

function keyOf(ref: string, path: string): string {
  return `${ref}\0${path}`
}
