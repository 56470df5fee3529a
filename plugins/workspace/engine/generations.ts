import type { Log } from '../../../server/plugin.ts'
import { type Checkpoint, writeCheckpoint } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import { type Disk, removeQuietly } from './disk.ts'
import type { Flusher } from './flusher.ts'
import { createJournal, isFlushFailure, type Journal, journalPath } from './journal.ts'
import type { Ledger } from './ledger.ts'
import { inQueue, type Queue } from './queue.ts'

/** How journals grow, and when one becomes a checkpoint (design workspace-engine 2 "Checkpoint"). */
export interface JournalLimits {
  /** Zeros written ahead of the records. */
  readonly preallocateBytes: number
  readonly idleBytes: number
  readonly idleMs: number
  readonly forceBytes: number
}

export const JOURNAL_LIMITS: JournalLimits = {
  preallocateBytes: 1024 * 1024,
  idleBytes: 4 * 1024 * 1024,
  idleMs: 2_000,
  forceBytes: 16 * 1024 * 1024,
}

/** The journal in use, and its replacement by checkpoints while the room works. */
export interface Generations {
  journal(): Journal
  /** To be called after each record: starts a checkpoint when it is time. */
  appended(): void
  /** Resolves when no checkpoint is under way. */
  quiet(): Promise<void>
  /** Inside the queue and quiet, at the clean stop: everything into a new image, an empty journal after it. */
  finish(): Promise<void>
  close(): void
}

export interface GenerationSeams {
  readonly disk: Disk
  readonly clock: Clock
  readonly log: Log
  readonly sidecar: string
  readonly limits: JournalLimits
  readonly ledger: Ledger
  readonly queue: Queue
  flusher(): Flusher
  tempPath(): string
  fence(): void
  isPoisoned(): boolean
  failed(reason: unknown): void
}

export function createGenerations(seams: GenerationSeams, first: Journal): Generations {
  const { disk, sidecar, ledger, limits } = seams
  let journal = first
  // An image that is taken but not yet on disk; it stays valid, because records after it are in the newest journal.
  let pending: Checkpoint | undefined
  let running: Promise<void> | undefined
  let cancelIdle = (): void => {}

  const createNext = async (): Promise<Journal> => {
    const generation = journal.generation + 1
    const path = journalPath(sidecar, generation)
    try {
      // An earlier attempt got this far and no further; nothing was ever appended to it.
      if (disk.stat(path)) await disk.unlink(path)
      return await createJournal(disk, sidecar, generation, limits.preallocateBytes)
    } catch (thrown) {
      await removeQuietly(disk, path)
      throw thrown
    }
  }
  /** Inside the queue: nothing is appended between the flush, the image and the switch. */
  const switchTo = async (next: Journal): Promise<void> => {
    await seams.flusher().settled()
    pending = { generation: next.generation, image: ledger.export(next.generation) }
    journal.close()
    journal = next
  }
  const writePending = async (): Promise<void> => {
    if (!pending) return
    await writeCheckpoint(seams, pending)
    pending = undefined
  }
  const checkpoint = async (): Promise<void> => {
    try {
      if (!pending) {
        const next = await createNext()
        await inQueue(seams.queue, () => switchTo(next))
      }
      if (!seams.isPoisoned()) await writePending()
    } catch (thrown) {
      // A full disk: the records are safe in their journals, the next round tries again.
      if (isFlushFailure(thrown)) seams.failed(thrown)
      else seams.log.warn('The room could not write its checkpoint yet', { error: String(thrown) })
    } finally {
      running = undefined
    }
  }
  const start = (): void => {
    // `checkpoint` catches everything.
    if (!seams.isPoisoned()) running ??= checkpoint()
  }

  return {
    journal: () => journal,
    appended: () => {
      if (journal.length() >= limits.forceBytes) return start()
      if (journal.length() < limits.idleBytes) return
      cancelIdle()
      cancelIdle = seams.clock.after(limits.idleMs, start)
    },
    quiet: async () => {
      cancelIdle()
      await running
    },
    finish: async () => {
      if (pending) await writePending()
      if (journal.length() > 0) {
        await switchTo(await createNext())
        await writePending()
      }
    },
    close: () => {
      cancelIdle()
      journal.close()
    },
  }
}
