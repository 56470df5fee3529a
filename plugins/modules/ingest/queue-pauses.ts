import { setTimeout as timer } from 'node:timers/promises'
import type { IngestReport } from './report.ts'

/** Small repositories take less than the longest pause, which what waits for their end would otherwise wait for. */
const FIRST_MS = 20
const LONGEST_MS = 320

/**
 * Pauses between looks at the queue: short ones after something was read, because others are about to end what they read,
 * and twice as long each time.
 */
export interface QueuePauses {
  /** Waits; less long where `signal` aborts, which the caller looks at. */
  next(): Promise<void>
  /** Tells of a run. One that was given nothing to read shortens no pause. */
  after(report: Pick<IngestReport, 'refs'>): void
}

/** `wait` never rejects. */
export function createQueuePauses(
  signal: AbortSignal,
  wait: (ms: number) => Promise<unknown> = (ms) => timer(ms, undefined, { signal }).catch(() => undefined),
): QueuePauses {
  let ms = FIRST_MS
  return {
    async next() {
      await wait(ms)
      ms = Math.min(LONGEST_MS, ms * 2)
    },
    after({ refs }) {
      if (refs.processed + refs.unchanged + refs.empty + refs.failed > 0) ms = FIRST_MS
    },
  }
}
