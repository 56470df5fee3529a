import type { Moment } from './server-watch.ts'

/** What is judged of a run. */
export interface ChurnRun {
  readonly visits: number
  readonly curve: readonly Moment[]
  /** Descriptors before the first visitor and after the last. */
  readonly before: number
  readonly after: number
}

const WARM_UP_SHARE = 0.2
const NEIGHBOURS = 2
const MEMORY_SHARE = 0.1 // design workspace-engine 7

/**
 * What did not hold: memory beside the rows within a tenth of what it was when warm, every descriptor back. Memory is the
 * lowest of five moments: the image of a checkpoint, as large as the rows, may wait for minutes to be collected, and what
 * leaks is never collected.
 */
export function faultsOf({ curve, before, after }: ChurnRun): readonly string[] {
  const warm = lowest(curve.slice(Math.ceil(curve.length * WARM_UP_SHARE)).map(besideRows))
  const [first = 0] = warm
  const worst = Math.max(...warm.map((mib) => Math.abs(mib - first)), 0)
  return [
    ...(worst > first * MEMORY_SHARE
      ? [`memory beside the rows moved by ${worst.toFixed(1)} MiB from ${first.toFixed(1)} MiB`]
      : []),
    ...(after > before ? [`${after - before} descriptors did not come back`] : []),
  ]
}

/** Of each moment with its two neighbours on either side, as far as there are. */
function lowest(values: readonly number[]): readonly number[] {
  return values.map((_, at) => Math.min(...values.slice(Math.max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1)))
}

function besideRows({ resident_mib, rows_mib }: Moment): number {
  return resident_mib - rows_mib
}
