import type { Reading } from '../output/module-index.ts'
import type { ChosenRef } from './choose-refs.ts'
import type { PlannedEntry } from './plan.ts'
import type { ReadingBook } from './reading-book.ts'

/** Earlier readings whose summaries all still exist. */
export interface KnownReadings {
  /** Announces the entries to come: their files are checked while git talks to the remote. */
  expect(repository: string, entries: readonly PlannedEntry[]): void
  find(repository: string, ref: ChosenRef, entry: PlannedEntry): Promise<Reading | undefined>
}

/** How many files are checked before the remote has answered. */
const MAX_EXPECTED_FILES = 64

/**
 * Uses the readings of the book; `isIntact` checks the files of a reading, and must not reject. What another entry of the
 * URL has under a name of its own is not intact: it is read again, so that the warning is repeated.
 */
export function createKnownReadings(
  book: Pick<ReadingBook, 'expect' | 'find' | 'of'>,
  isIntact: (repository: string, reading: Reading, name: string) => Promise<boolean>,
): KnownReadings {
  const expected = new Map<Reading, Promise<boolean>>()
  return {
    expect(repository, entries) {
      book.expect(repository, entries)
      let left = MAX_EXPECTED_FILES
      for (const entry of entries) {
        for (const reading of book.of(repository, entry)) {
          left -= reading.directories.length
          if (left < 0) return
          expected.set(reading, isIntact(repository, reading, entry.name))
        }
      }
    },
    async find(repository, ref, entry) {
      const reading = book.find(repository, ref, entry)
      if (reading === undefined) return undefined
      const isThere = await (expected.get(reading) ?? isIntact(repository, reading, entry.name))
      return isThere ? reading : undefined
    },
  }
}
