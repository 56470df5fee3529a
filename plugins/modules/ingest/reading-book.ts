import { grouped } from '../../../server/plugin.ts'
import { hasRef, type RemoteListing } from '../git/remote.ts'
import { isDeleted, type ModuleIndex, type Reading, type RepositoryRow } from '../output/module-index.ts'
import type { ChosenRef } from './choose-refs.ts'
import type { PlannedEntry } from './plan.ts'

/** Records which refs were read with which options: the repositories of an index. */
export interface ReadingBook {
  /**
   * Sets the entries of this run and starts to check the files of their readings, while git talks to the remote. Once
   * an entry reads a directory, readings of it by entries of other runs are dropped.
   */
  expect(repository: string, entries: readonly PlannedEntry[]): void
  /** The reading of this very commit with these options, if there was one and its summaries all still exist. */
  find(repository: string, ref: ChosenRef, entry: PlannedEntry): Promise<Reading | undefined>
  note(repository: string, ref: ChosenRef, entry: PlannedEntry, directories: readonly string[]): void
  /** The commit that an earlier run read at this ref, or this run has noted. */
  commitBefore(repository: string, ref: string): string | undefined
  /** Whether a reading of this ref gave a summary of the directory. */
  lists(repository: string, ref: string, directory: string): boolean
  /** What the remote lists now; earlier readings of other refs are marked as deleted. */
  listed(repository: string, name: string, listing: RemoteListing): void
  rows(): RepositoryRow[]
  row(repository: string): RepositoryRow | undefined
}

/** How many files are checked before the remote has answered. */
const MAX_EXPECTED_FILES = 64

/** Whether the summaries of a reading all exist under this name. Must not reject. */
export type IsIntact = (repository: string, reading: Reading, name: string) => Promise<boolean>

/**
 * Starts from the index of an earlier run. What another entry of the URL has under a name of its own is not intact: it
 * is read again, so that the warning is repeated.
 */
export function createReadingBook(earlier: ModuleIndex | undefined, isIntact: IsIntact): ReadingBook {
  const rows = createRows(earlier?.repositories ?? [])
  const expected = new Map<string, ReadonlySet<string>>()
  const checks = new Map<Reading, Promise<boolean>>()
  const at = (repository: string, ref: string): readonly Reading[] =>
    rows.open(repository)?.readings.get(ref) ?? []
  return {
    expect(repository, entries) {
      expected.set(repository, new Set(entries.map(({ optionsDigest }) => optionsDigest)))
      const known = [...(rows.open(repository)?.readings.values() ?? [])].flat()
      let left = MAX_EXPECTED_FILES
      for (const entry of entries) {
        for (const reading of known.filter((one) => isOf(entry, one))) {
          left -= reading.directories.length
          if (left < 0) return
          checks.set(reading, isIntact(repository, reading, entry.name))
        }
      }
    },
    async find(repository, { ref, kind, commit }, entry) {
      const reading = at(repository, ref).find(
        (one) => one.commit === commit && one.ref_kind === kind && isOf(entry, one),
      )
      if (reading === undefined) return undefined
      return (await (checks.get(reading) ?? isIntact(repository, reading, entry.name))) ? reading : undefined
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
      rows.open(repository)?.readings.set(ref, [...at(repository, ref).filter(isKept), reading])
    },
    commitBefore: (repository, ref) => at(repository, ref)[0]?.commit || undefined,
    lists: (repository, ref, directory) =>
      at(repository, ref).some(({ directories }) => directories.includes(directory)),
    listed(repository, name, listing) {
      const earlier = rows.open(repository)?.readings ?? new Map<string, readonly Reading[]>()
      const readings = new Map(
        [...earlier].map(([ref, read]) => [ref, read.map((one) => asListed(one, listing))]),
      )
      rows.set({ repository, name, default_branch: listing.defaultBranch ?? null, readings })
    },
    rows: rows.all,
    row(repository) {
      const row = rows.open(repository)
      return row && closedRow(row)
    },
  }
}

/** The reading of a deleted ref has no commit and no directories. */
function asListed(reading: Reading, listing: RemoteListing): Reading {
  if (isDeleted(reading) || hasRef(listing, reading)) return reading
  return { ...reading, commit: '', directories: [] }
}

function isOf({ path, optionsDigest }: PlannedEntry, reading: Reading): boolean {
  return reading.path === path && reading.options_digest === optionsDigest
}

interface Row extends Omit<RepositoryRow, 'readings'> {
  /** By ref. */
  readonly readings: Map<string, readonly Reading[]>
}

/** The rows of an index. Those that a run does not look at stay the objects that they were. */
function createRows(earlier: readonly RepositoryRow[]) {
  const closed = new Map<string, RepositoryRow | undefined>()
  for (const row of earlier) closed.set(row.repository, row)
  const opened = new Map<string, Row>()
  return {
    open(repository: string): Row | undefined {
      const held = opened.get(repository)
      const row = closed.get(repository)
      if (held !== undefined || row === undefined) return held
      const open = openRow(row)
      opened.set(repository, open)
      return open
    },
    set(row: Row): void {
      opened.set(row.repository, row)
      if (!closed.has(row.repository)) closed.set(row.repository, undefined) // its place
    },
    all(): RepositoryRow[] {
      const rows: RepositoryRow[] = []
      for (const [repository, row] of closed) {
        const open = opened.get(repository)
        if (open) rows.push(closedRow(open))
        else if (row) rows.push(row)
      }
      return rows
    },
  }
}

function closedRow(row: Row): RepositoryRow {
  return { ...row, readings: [...row.readings.values()].flat() }
}

function openRow(row: RepositoryRow): Row {
  return { ...row, readings: grouped(row.readings, ({ ref }) => ref) }
}
