import type { Log } from '../../../server/plugin.ts'
import { isFlushFailure } from '../../../server/plugin.ts'
import type { Bodies } from './bodies.ts'
import { type Checkpoint, removeDropped } from './checkpoint.ts'
import type { Clock } from './clock.ts'
import type { Flusher } from './flusher.ts'
import type { Journal } from './journal.ts'
import type { Ledger } from './ledger.ts'
import type { Medium } from './medium.ts'
import { inQueue, type Queue } from './queue.ts'

/** How journals grow, and when one becomes a checkpoint (design workspace-engine 2 "Checkpoint"). */
export interface JournalLimits {
  /** Zeros written ahead of the records. */
  readonly preallocateBytes: number
  readonly idleBytes: number
  readonly idleMs: number
  readonly forceBytes: number
  /** A longer text (UTF-8) becomes a file before its record instead of travelling in it. */
  readonly textBytes: number
  readonly idleTexts: number
  readonly forceTexts: number
}

export const JOURNAL_LIMITS: JournalLimits = {
  preallocateBytes: 1024 * 1024,
  idleBytes: 4 * 1024 * 1024,
  idleMs: 2_000,
  forceBytes: 16 * 1024 * 1024,
  // As JSON six times as long at the worst, and a transaction may bring several: far below RECORD_MAX_BYTES.
  textBytes: 256 * 1024,
  // Each becomes a file with a flush of its own, and a clean stop or a recovery waits for all of them: on a disk that
  // takes 4 ms a flush these are about a quarter of a second (four at a time), which the bytes alone would not bound.
  idleTexts: 64,
  forceTexts: 256,
}

/** The journal in use, and its replacement by checkpoints while the room works. */
export interface Generations {
  journal(): Journal
  /** To be called after each record, with the texts that it brought: starts a checkpoint when it is time. */
  appended(texts: number): void
  /** Resolves when no checkpoint is under way. */
  quiet(): Promise<void>
  /** Inside the queue and quiet, at the clean stop: everything into a new image, an empty journal after it. */
  finish(): Promise<void>
  close(): void
}

export interface GenerationSeams {
  readonly medium: Medium
  readonly clock: Clock
  readonly log: Log
  readonly limits: JournalLimits
  readonly ledger: Ledger
  readonly bodies: Bodies
  readonly queue: Queue
  flusher(): Flusher
  fence(): void
  isPoisoned(): boolean
  failed(reason: unknown): void
}

export function createGenerations(seams: GenerationSeams, first: Journal): Generations {
  const { ledger, limits } = seams
  let journal = first
  let texts = 0 // that this journal brought
  // An image that is taken but not yet on disk; it stays valid, because records after it are in the newest journal.
  let pending: Checkpoint | undefined
  let running: Promise<void> | undefined
  let cancelIdle = (): void => {}

  /** Inside the queue: nothing is appended between the flush, the image and the switch. */
  const switchTo = async (next: Journal): Promise<void> => {
    await seams.flusher().settled()
    pending = {
      generation: next.generation,
      image: ledger.export(next.generation),
      unfiled: seams.bodies.unfiled(),
    }
    journal.close()
    journal = next
    texts = 0
  }
  /** Gives the texts whose files are no longer needed. */
  const writePending = async (): Promise<readonly string[]> => {
    if (!pending) return []
    const { drops } = pending.unfiled
    await seams.medium.keep(pending, seams.bodies)
    pending = undefined
    return drops
  }
  const checkpoint = async (): Promise<void> => {
    try {
      if (!pending) {
        const next = await seams.medium.create(journal.generation + 1)
        await inQueue(seams.queue, () => switchTo(next))
      }
      if (seams.isPoisoned()) return
      const drops = await writePending()
      await inQueue(seams.queue, async () => {
        if (!seams.isPoisoned()) await removeDropped(seams, drops)
      })
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
    appended: (brought) => {
      texts += brought
      if (journal.length() >= limits.forceBytes || texts >= limits.forceTexts) return start()
      if (journal.length() < limits.idleBytes && texts < limits.idleTexts) return
      cancelIdle()
      cancelIdle = seams.clock.after(limits.idleMs, start)
    },
    quiet: async () => {
      cancelIdle()
      await running
    },
    finish: async () => {
      await removeDropped(seams, await writePending())
      if (journal.length() === 0) return
      await switchTo(await seams.medium.create(journal.generation + 1))
      await removeDropped(seams, await writePending())
    },
    close: () => {
      cancelIdle()
      journal.close()
    },
  }
}
