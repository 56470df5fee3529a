import type { RemoteListing } from '../git/remote.ts'
import type { ModuleIndex, Reading, RepositoryRow } from '../output/module-index.ts'
import type { ChosenRef } from './choose-refs.ts'
import type { PlannedEntry } from './plan.ts'

/** Records which refs were read with which options: the repositories of an index. */
export interface ReadingBook {
  /** Sets the entries of this run. Once one of them reads a directory, readings of it by other entries are dropped. */
  expect(repository: string, entries: readonly PlannedEntry[]): void
  /** The reading of this very commit with these options, if there was one. */
  find(repository: string, ref: ChosenRef, entry: PlannedEntry): Reading | undefined
  /** All readings of this directory with these options. */
  of(repository: string, entry: PlannedEntry): readonly Reading[]
  note(repository: string, ref: ChosenRef, entry: PlannedEntry, directories: readonly string[]): void
  /** Whether a reading of this ref gave a summary of the directory. */
  lists(repository: string, ref: string, directory: string): boolean
  /** What the remote lists now; earlier readings are kept. */
  listed(repository: string, name: string, listing: RemoteListing): void
  rows(): RepositoryRow[]
}

/** Starts from the index of an earlier run. */
export function createReadingBook(earlier: ModuleIndex | undefined): ReadingBook {
  const rows = new Map((earlier?.repositories ?? []).map((row) => [row.repository, openRow(row)]))
  const expected = new Map<string, ReadonlySet<string>>()
  const at = (repository: string, ref: string): readonly Reading[] =>
    rows.get(repository)?.readings.get(ref) ?? []
  return {
    expect(repository, entries) {
      expected.set(repository, new Set(entries.map(({ optionsDigest }) => optionsDigest)))
    },
    find: (repository, { ref, kind, commit }, { path, optionsDigest }) =>
      at(repository, ref).find(
        (reading) =>
          reading.commit === commit &&
          reading.ref_kind === kind &&
          reading.path === path &&
          reading.options_digest === optionsDigest,
      ),
    of(repository, { path, optionsDigest }) {
      const known = [...(rows.get(repository)?.readings.values() ?? [])].flat()
      return known.filter((reading) => reading.path === path && reading.options_digest === optionsDigest)
    },
    note(repository, { ref, kind, commit }, { path, optionsDigest }, directories) {
      const isKept = (other: Reading): boolean =>
        other.path !== path ||
        (other.options_digest !== optionsDigest &&
          expected.get(repository)?.has(other.options_digest) === true)
      const reading: Reading = {
        ref,
        ref_kind: kind,
        path,
        commit,
        options_digest: optionsDigest,
        directories: [...directories],
      }
      rows.get(repository)?.readings.set(ref, [...at(repository, ref).filter(isKept), reading])
    },
    lists: (repository, ref, directory) =>
      at(repository, ref).some(({ directories }) => directories.includes(directory)),
    listed(repository, name, listing) {
      const readings = rows.get(repository)?.readings ?? new Map<string, readonly Reading[]>()
      rows.set(repository, { repository, name, default_branch: listing.defaultBranch ?? null, readings })
    },
    rows: () => [...rows.values()].map((row) => ({ ...row, readings: [...row.readings.values()].flat() })),
  }
}

interface Row extends Omit<RepositoryRow, 'readings'> {
  /** By ref. */
  readonly readings: Map<string, readonly Reading[]>
}

function openRow(row: RepositoryRow): Row {
  const readings = new Map<string, readonly Reading[]>()
  for (const reading of row.readings) {
    readings.set(reading.ref, [...(readings.get(reading.ref) ?? []), reading])
  }
  return { ...row, readings }
}
