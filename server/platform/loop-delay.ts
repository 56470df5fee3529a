import { type Histogram, type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** Delays of the event loop in the last one to two windows, in milliseconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const RESOLUTION_MS = 10
const WINDOW_MS = 30_000
const NS_PER_MS = 1e6
/** Ten seconds: of fewer samples the 99th percentile is the longest one. */
const FEW_SAMPLES = 1000

/** Measures until `stop`. Two windows take turns, so that a delay is seen for at least 30 s and forgotten after a minute. */
export function watchLoopDelay(): { read(): LoopDelay; stop(): void } {
  let current = opened()
  let last: IntervalHistogram | undefined
  const turn = setInterval(() => {
    last?.disable()
    last = current
    last.disable()
    current = opened()
  }, WINDOW_MS).unref()
  const windows = (): readonly Histogram[] => (last ? [current, last] : [current])
  return {
    read: () => ({
      p50: worstShare(windows(), 50),
      p99: worstShare(windows(), 99),
      max: Math.max(...windows().map(({ max }) => millis(max))),
    }),
    stop() {
      clearInterval(turn)
      current.disable()
    },
  }
}

/** A percentile in milliseconds: of the worse window, without one that has too few samples yet. */
export function worstShare(windows: readonly Histogram[], percent: number): number {
  const enough = windows.filter(({ count }) => count >= FEW_SAMPLES)
  const counted = enough.length > 0 ? enough : windows
  return Math.max(...counted.map((window) => millis(window.percentile(percent))))
}

function opened(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  return histogram
}

/** The histogram counts whole intervals of its timer: without a delay each is as long as the resolution. */
function millis(ns: number): number {
  return Math.max(0, Math.round((ns / NS_PER_MS - RESOLUTION_MS) * 10) / 10)
}
