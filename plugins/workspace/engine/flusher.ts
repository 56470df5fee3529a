import type { Meter } from './meter.ts'

/** Group commit: one flush at a time, each covering everything appended before it began. */
export interface Flusher {
  /** The highest `seq` on disk. */
  durable(): number
  /**
   * Calls `settle` in the order of these calls once everything up to `seq` is durable, or with the poison.
   * Nothing is flushed before `kick`, which the caller runs once for each group that it appends.
   */
  whenDurable(seq: number, settle: (poison?: Error) => void): void
  kick(): void
  /** Resolves when everything appended so far is durable. */
  settled(): Promise<void>
  /** Fails all current and later waiters. */
  poison(reason: Error): void
}

interface FlusherSeams {
  /** Makes everything appended so far durable; see `Journal`. */
  flush(isAwaited: boolean): Promise<void>
  /** The newest appended `seq`. */
  appended(): number
  /** Throws when this process may no longer answer: a successor owns the room. */
  fence(): void
  readonly meter?: Pick<Meter, 'flushes'>
  /** A flush failed or the fence closed: the page cache may claim what the disk has not. */
  failed(reason: unknown): void
}

export function createFlusher(seams: FlusherSeams, alreadyDurable: number): Flusher {
  const waiting: { seq: number; settle: (poison?: Error) => void }[] = []
  let durable = alreadyDurable
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
    await seams.flush(waiting.length > 1)
    if (seams.meter) seams.meter.flushes++
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
      // Nothing to flush, but an answer anyway: a buried owner must not show an old room.
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
