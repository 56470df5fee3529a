import { join } from 'node:path'
import type { Disk, SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

const FILE_MODE = 0o600

/** The open journal of one generation. Owned by the store. */
export interface Journal {
  readonly generation: number
  /** Bytes of records in it. */
  length(): number
  /**
   * Writes a record behind the last one; it is durable only after a flush. On an error nothing of it stays.
   * Errors: `unavailable`/`store_unavailable` (usable again when there is space); anything else means the file is in
   * an unknown state and the store must be poisoned.
   */
  append(record: Uint8Array): void
  /**
   * Resolves when everything appended before this call is durable. `isAwaited`: more callers than one wait for it, and more
   * may join the next one. Errors: the store must be poisoned.
   */
  flush(isAwaited: boolean): Promise<void>
  close(): void
}

/** Where journals in files are made. */
export interface JournalPlace {
  readonly disk: Disk
  /** The same; flushes in place while it is quick. */
  readonly paced: Disk
  readonly sidecar: string
  readonly preallocateBytes: number
}

export function journalPath(sidecar: string, generation: number): string {
  return join(sidecar, `journal-${generation}.log`)
}

/** Creates the file of zeros, so that a commit is one write and one flush and changes no metadata. */
export async function createJournal(place: JournalPlace, generation: number): Promise<Journal> {
  const { disk, sidecar, preallocateBytes } = place
  await disk.create(journalPath(sidecar, generation), Buffer.alloc(preallocateBytes), FILE_MODE)
  await disk.syncDirectory(sidecar)
  return openEmptyJournal(place, generation)
}

/** Opens a journal that holds no record. */
export function openEmptyJournal(place: JournalPlace, generation: number): Journal {
  const { disk, sidecar } = place
  const path = journalPath(sidecar, generation)
  const allocated = disk.statSync(path)?.size ?? 0
  return journalOf(place, { generation, file: disk.openSync(path) }, allocated)
}

function journalOf(
  { disk, paced, preallocateBytes: preallocate }: JournalPlace,
  { generation, file }: { readonly generation: number; readonly file: number },
  alreadyAllocated: number,
): Journal {
  let end = 0
  let allocated = alreadyAllocated
  return {
    generation,
    length: () => end,
    append: (record) => {
      try {
        if (end + record.length > allocated) {
          const more = Math.max(preallocate, record.length)
          // Durable with the record's own flush: fdatasync covers the size it needs.
          disk.writeSync(file, Buffer.alloc(end + record.length + more - allocated), allocated)
          allocated = end + record.length + more
        }
        disk.writeSync(file, record, end)
      } catch (thrown) {
        // What stayed of a refused record could later read as valid: cut it, and durably.
        disk.truncateSync(file, end)
        disk.flushSync(file)
        allocated = end
        throw storeUnavailable(thrown)
      }
      end += record.length
    },
    flush: (isAwaited) => (isAwaited ? disk : paced).flush(file),
    close: () => disk.closeSync(file),
  }
}

/** The refusal of a disk that did not take the write: nothing was stored. */
export function storeUnavailable(cause: unknown): SatchelError {
  return refusals.store_unavailable({ cause })
}
