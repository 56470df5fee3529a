import { repositoryKey } from '../domain/module-source.ts'
import { hasRef, type RemoteListing } from '../git/remote.ts'
import type { IndexRecord } from '../output/module-index.ts'
import { asksFor } from './directories.ts'
import type { PlannedEntry } from './plan.ts'
import type { ReadingBook } from './reading-book.ts'

/** The current state of the remotes as seen by one run; pruning uses it to find records that no longer exist there. */
export interface Sightings {
  /** The refs of a repository; called only after a successful listing. */
  listed(repository: string, listing: RemoteListing): void
  /** Every module directory of a ref, asked for or not. */
  saw(repository: string, ref: string, directories: ReadonlySet<string>): void
  /** An entry has read all it asks for of a ref, in this run or unchanged in an earlier one. */
  read(repository: string, ref: string, entry: PlannedEntry): void
  /**
   * Whether the remote lacks the ref, the ref lacks the directory, or an entry of this run reaches the directory and no
   * reading of the ref has it: then `exclude_paths` leave it out. A directory that was not looked at is kept. So is absent
   * what was read under another spelling of the URL of a repository.
   */
  isAbsent(record: Pick<IndexRecord, 'repository' | 'ref' | 'ref_kind' | 'path'>): boolean
}

/** `readings`: asked once all of this run are noted. */
export function createSightings(readings: Pick<ReadingBook, 'lists'>): Sightings {
  const listings = new Map<string, RemoteListing>()
  const keys = new Set<string>()
  const directoriesOf = new Map<string, ReadonlySet<string>>()
  const entriesOf = new Map<string, readonly PlannedEntry[]>()
  return {
    listed(repository, listing) {
      listings.set(repository, listing)
      keys.add(repositoryKey(repository))
    },
    saw: (repository, ref, directories) => void directoriesOf.set(refKey(repository, ref), directories),
    read(repository, ref, entry) {
      const key = refKey(repository, ref)
      entriesOf.set(key, [...(entriesOf.get(key) ?? []), entry])
    },
    isAbsent({ repository, ref, ref_kind, path }) {
      const listing = listings.get(repository)
      if (listing === undefined) return keys.has(repositoryKey(repository))
      if (!hasRef(listing, { ref, ref_kind })) return true
      const key = refKey(repository, ref)
      if (directoriesOf.get(key)?.has(path) === false) return true
      const isReached = entriesOf.get(key)?.some((entry) => asksFor(entry, path)) === true
      return isReached && !readings.lists(repository, ref, path)
    },
  }
}

function refKey(repository: string, ref: string): string {
  return `${repository}\0${ref}`
}
