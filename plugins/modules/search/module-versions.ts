import { LIVE, type SegmentSet } from '../segments/segment-set.ts'
import type { RecordColumns } from './record-columns.ts'

/** A process that asks for more modules chains the rows of all: one that searches once looks through them faster. */
const LOOKED_THROUGH = 32

/** Finds the rows of a module, newest version first: a search asks for each of its results. */
export function versionFinder(set: SegmentSet, columns: readonly RecordColumns[]) {
  const modules = new Float64Array(set.records)
  for (const [segment, held] of columns.entries())
    modules.set(held.modules(), set.segments[segment]?.base ?? 0)
  const isLive = (row: number): boolean => ((set.flags[row] ?? 0) & LIVE) !== 0
  let asked = 0
  let find = lookThrough(modules)
  return (module: number): readonly number[] => {
    if (asked++ === LOOKED_THROUGH) find = chained(modules)
    return find(module)
      .filter(isLive)
      .sort((a, b) => (set.places[a] ?? 0) - (set.places[b] ?? 0) || b - a)
  }
}

function lookThrough(modules: Float64Array): (module: number) => number[] {
  return (module) => {
    const rows: number[] = []
    for (let row = modules.indexOf(module); row >= 0; row = modules.indexOf(module, row + 1)) rows.push(row)
    return rows
  }
}

/** The rows of all modules in two lists of numbers. */
function chained(modules: Float64Array): (module: number) => number[] {
  const mask = 2 ** Math.ceil(Math.log2(modules.length + 1)) - 1
  const first = new Int32Array(mask + 1).fill(-1)
  const before = new Int32Array(modules.length)
  for (let row = 0; row < modules.length; row++) {
    const place = ((modules[row] ?? 0) >>> 0) & mask
    before[row] = first[place] ?? -1
    first[place] = row
  }
  return (module) => {
    const rows: number[] = []
    for (let row = first[(module >>> 0) & mask] ?? -1; row >= 0; row = before[row] ?? -1)
      if (modules[row] === module) rows.push(row)
    return rows
  }
}
