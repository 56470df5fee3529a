import { randomBytes } from 'node:crypto'

/** Time as the engine needs it. */
export interface Clock {
  /** Wall clock, milliseconds since the epoch: only compared with the times of files. */
  nowMs(): number
  /** Milliseconds that never go back: for durations. */
  elapsedMs(): number
  /** Runs `work` once after `ms`; gives the cancel. Does not keep the process alive. */
  after(ms: number, work: () => void): () => void
  /** Resolves after `ms`; keeps the process alive meanwhile. */
  pause(ms: number): Promise<void>
}

export const realClock: Clock = {
  nowMs: () => Date.now(),
  elapsedMs: () => performance.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
  pause: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    }),
}

/** `bytes` random bytes in hex. */
export type Random = (bytes: number) => string

export const realRandom: Random = (bytes) => randomBytes(bytes).toString('hex')
