import { LIVE, type Segment, type SegmentSet } from './segment-set.ts'

/**
 * Which segments an update keeps. The newest ones are written again with the new records while they are not much larger,
 * so that there are few segments and every record is written again only now and then; so is one that is mostly replaced.
 * `isKept`: whether a row stays as it is.
 */
export function segmentsToKeep(
  set: SegmentSet,
  added: number,
  isKept: (row: number) => boolean,
): readonly Segment[] {
  const alive = set.segments.map((segment) => {
    let count = 0
    for (let row = segment.base; row < segment.base + segment.records; row++)
      if (((set.flags[row] ?? 0) & LIVE) !== 0 && isKept(row)) count++
    return { segment, count }
  })
  const kept = alive.filter(({ segment, count }) => count * 2 > segment.records)
  let again = added + alive.reduce((sum, one) => (kept.includes(one) ? sum : sum + one.count), 0)
  if (again === 0) return kept.map(({ segment }) => segment)
  for (let last = kept.at(-1); last && last.count <= again * 2; last = kept.at(-1)) {
    again += last.count
    kept.pop()
  }
  return kept.map(({ segment }) => segment)
}
