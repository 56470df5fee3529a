import { LIVE, type SegmentSet } from '../segments/segment-set.ts'
import type { RecordColumns } from './record-columns.ts'

/**
 * Finds the rows of a module, newest version first. The rows of all modules are chained once, in two lists of numbers: a
 * search asks for each of its results.
 */
export function versionFinder(set: SegmentSet, columns: readonly RecordColumns[]) {
  const mask = 2 ** Math.ceil(Math.log2(set.records + 1)) - 1
  const first = new Int32Array(mask + 1).fill(-1)
  const before = new Int32Array(set.records)
  const modules = new Float64Array(set.records)
  for (const [segment, held] of columns.entries())
    modules.set(held.modules(), set.segments[segment]?.base ?? 0)
  for (let row = 0; row < set.records; row++) {
    if (((set.flags[row] ?? 0) & LIVE) === 0) continue
    const place = ((modules[row] ?? 0) >>> 0) & mask
    before[row] = first[place] ?? -1
    first[place] = row
  }
  return (module: number): readonly number[] => {
    const rows: number[] = []
    for (let row = first[(module >>> 0) & mask] ?? -1; row >= 0; row = before[row] ?? -1)
      if (modules[row] === module) rows.push(row)
    return rows.sort((a, b) => (set.places[a] ?? 0) - (set.places[b] ?? 0))
  }
}
