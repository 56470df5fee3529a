import { join } from 'node:path'
import { makeDirectoryDurably, realDisk, replaceFile } from '../../../server/plugin.ts'
import type { Stamp } from './file-stamps.ts'
import { storageFailure } from './summary-files.ts'

/** The row of a summary in an index. */
interface SummaryRow {
  readonly summary_file: string
}

/** Writes summaries of one directory so that each file is old or new at any moment. */
export interface SummaryWriter<Row extends SummaryRow> {
  /**
   * Starts a write; waits only while the limit of memory for pending writes is reached. Errors: those of an earlier
   * write, as for `flush`.
   */
  write(row: Row, pieces: readonly Uint8Array[]): Promise<void>
  /** Resolves when everything handed over so far is on disk. Errors: `unavailable`/`storage_failed`. */
  flush(): Promise<void>
  /** Files on disk so far. */
  count(): number
}

const WRITES_AT_ONCE = 16
const MAX_HELD_BYTES = 4 * 1024 * 1024

/**
 * Calls `onDisk` once a summary is durable, with the stamp of the renamed file. Only then may an index name the summary.
 */
export function createSummaryWriter<Row extends SummaryRow>(
  directory: string,
  onDisk: (row: Row, stamp: Stamp | undefined) => void,
  disk = realDisk,
): SummaryWriter<Row> {
  const writing = new Map<string, Promise<void>>()
  let begun: { readonly row: Row; readonly written: Promise<Stamp | undefined> }[] = []
  let directoryMade: Promise<void> | undefined
  let failure: unknown
  let held = 0
  let count = 0
  const begin = async (row: Row, pieces: readonly Uint8Array[]): Promise<Stamp | undefined> => {
    directoryMade ??= makeDirectoryDurably(directory, undefined, disk)
    await directoryMade
    const path = join(directory, row.summary_file)
    await replaceFile(path, Buffer.concat(pieces), { disk })
    return await disk.stamp(path)
  }
  const nameAll = async (): Promise<void> => {
    const batch = begun
    begun = []
    const ends = await Promise.allSettled(batch.map(({ written }) => written))
    for (const end of ends) if (end.status === 'rejected') throw storageFailure(end.reason)
    if (batch.length > 0) await disk.syncDirectory(directory)
    for (const { row, written } of batch) onDisk(row, await written)
    count += batch.length
  }
  return {
    async write(row, pieces) {
      if (failure !== undefined) throw failure
      const name = row.summary_file
      const bytes = bytesOf(pieces)
      const mustWait = (): boolean =>
        writing.has(name) || writing.size >= WRITES_AT_ONCE || (held > 0 && held + bytes > MAX_HELD_BYTES)
      while (mustWait()) await Promise.race(writing.values())
      held += bytes
      const written = begin(row, pieces)
      begun.push({ row, written })
      const end = (): void => {
        writing.delete(name)
        held -= bytes
      }
      writing.set(
        name,
        written.then(end, (thrown) => {
          failure ??= storageFailure(thrown)
          end()
        }),
      )
    },
    flush: createGroup(nameAll),
    count: () => count,
  }
}

/** Runs `work` one at a time; calls made while it runs share the next run. After a failure every call fails. */
function createGroup(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= running.then(() => {
      running = next ?? running
      next = undefined
      return work()
    })
    return next
  }
}

function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}
