import type { Clock } from './clock.ts'
import type { Disk } from './disk.ts'

/** Group commit: one flush at a time, each covering everything appended before it began. */
export interface Flusher {
  /** The highest `seq` on disk. */
  durable(): number
  /**
   * Calls `settle` in the order of these calls once everything up to `seq` is durable, or with the poison.
   * Nothing is flushed before `kick`: whoever appends a group asks once.
   */
  whenDurable(seq: number, settle: (poison?: Error) => void): void
  kick(): void
  /** Resolves when everything appended so far is durable. */
  settled(): Promise<void>
  /** Fails everybody who waits, now and later. */
  poison(reason: Error): void
}

interface FlusherSeams {
  readonly disk: Disk
  readonly clock: Clock
  /** The file the newest records went to. */
  file(): number
  /** The newest appended `seq`. */
  appended(): number
  /** Throws when this process may no longer answer: a successor owns the room. */
  fence(): void
  /** A flush failed or the fence closed: the page cache may claim what the disk has not. */
  failed(reason: unknown): void
}

const FAST_FLUSH_MS = 1 // design workspace-engine 1, step 5

export function createFlusher(seams: FlusherSeams, alreadyDurable: number): Flusher {
  const waiting: { seq: number; settle: (poison?: Error) => void }[] = []
  let durable = alreadyDurable
  let lastFlushMs = Number.POSITIVE_INFINITY
  let flushing = false
  let poison: Error | undefined

  const release = (): void => {
    while (waiting[0] && waiting[0].seq <= durable) waiting.shift()?.settle()
  }
  /** Sets `poison` through `failed` when it does not hold. */
  const tryFence = (): void => {
    try {
      seams.fence()
    } catch (thrown) {
      seams.failed(thrown)
    }
  }
  const flushOnce = async (): Promise<void> => {
    const target = seams.appended()
    const started = seams.clock.elapsedMs()
    // The asynchronous call costs a turn of the thread pool; with one waiter and a fast disk that is most of the time.
    if (waiting.length <= 1 && lastFlushMs < FAST_FLUSH_MS) seams.disk.flushSync(seams.file())
    else await seams.disk.flush(seams.file())
    lastFlushMs = seams.clock.elapsedMs() - started
    seams.fence()
    durable = target
  }
  const run = async (): Promise<void> => {
    flushing = true
    try {
      while (!poison && seams.appended() > durable) {
        await flushOnce()
        if (!poison) release()
      }
    } catch (thrown) {
      seams.failed(thrown)
    } finally {
      flushing = false
    }
  }

  const flusher: Flusher = {
    durable: () => durable,
    whenDurable: (seq, settle) => {
      if (poison) return settle(poison)
      if (seq > durable || waiting.length > 0) {
        waiting.push({ seq, settle })
        return
      }
      // Nothing to flush, but an answer all the same: a buried owner must not show an old room.
      tryFence()
      settle(poison)
    },
    kick: () => {
      // `run` catches everything it can throw and hands it to `failed`.
      if (!flushing && !poison) void run()
    },
    settled: () =>
      new Promise((resolve, reject) => {
        flusher.whenDurable(seams.appended(), (reason) => (reason ? reject(reason) : resolve()))
        flusher.kick()
      }),
    poison: (reason) => {
      poison = reason
      for (const { settle } of waiting.splice(0)) settle(reason)
    },
  }
  return flusher
}
