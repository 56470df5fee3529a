import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** Delays of the event loop in the last one to two windows, in milliseconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const RESOLUTION_MS = 10
const WINDOW_MS = 30_000
const NS_PER_MS = 1e6

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
  const worst = (of: (histogram: IntervalHistogram) => number): number =>
    Math.max(0, ...[current, last].flatMap((one) => (one ? [millis(of(one))] : [])))
  return {
    read: () => ({
      p50: worst((histogram) => histogram.percentile(50)),
      p99: worst((histogram) => histogram.percentile(99)),
      max: worst((histogram) => histogram.max),
    }),
    stop() {
      clearInterval(turn)
      current.disable()
    },
  }
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
