import { type CursorKey, compareKeys } from '../../../server/plugin.ts'
import type { Hits } from './record-search.ts'
import type { RecordTable } from './record-table.ts'

export const SORTS = ['relevance', 'updated', 'created', 'title'] as const
export type Sort = (typeof SORTS)[number]

/** The order of a list: keys that ascend, of hits by their places. */
export interface Order {
  /** The parts at the beginning of a key that are numbers. */
  readonly numbers: readonly ((at: number) => number)[]
  /** The id makes each key unique. */
  keyOf(at: number): CursorKey
}

/** The order of these hits; `titles` are needed to sort by title. */
export function orderOf(
  table: RecordTable,
  { records, scores }: Hits,
  { sort, titles }: { readonly sort: Sort; readonly titles: ReadonlyMap<number, string> | undefined },
): Order {
  const newest = (at: number) => -table.updatedMs(records[at] ?? 0)
  const id = (at: number) => table.id(records[at] ?? 0)
  if (sort === 'title') {
    const title = (at: number) => titles?.get(records[at] ?? 0) ?? ''
    return { numbers: [], keyOf: (at) => [title(at), newest(at), id(at)] }
  }
  if (sort === 'relevance') {
    const best = (at: number) => -(scores?.[at] ?? 0)
    return { numbers: [best, newest], keyOf: (at) => [best(at), newest(at), id(at)] }
  }
  const first = sort === 'created' ? (at: number) => -table.createdMs(records[at] ?? 0) : newest
  return { numbers: [first], keyOf: (at) => [first(at), id(at)] }
}

/** A hit by its place among all, with its key. */
export interface Keyed {
  readonly at: number
  readonly key: CursorKey
}

/** The first of so many hits behind a key in their order, at most `limit`. The others are never sorted. */
export function firstBehind(
  count: number,
  { numbers, keyOf }: Order,
  { after, limit }: { readonly after: CursorKey | undefined; readonly limit: number },
): readonly Keyed[] {
  const first: Keyed[] = []
  /** The last key once there are enough: most hits end at a comparison with its numbers. */
  let highest: CursorKey | undefined
  const most = highestOf(count, numbers, { after, limit })
  const isOutside = (hit: number): boolean =>
    (numbers[0]?.(hit) ?? 0) > most ||
    (highest !== undefined && comparedNumbers(numbers, hit, highest) > 0) ||
    (after !== undefined && comparedNumbers(numbers, hit, after) < 0)
  for (let hit = 0; hit < count; hit++) {
    if (isOutside(hit)) continue
    const key = keyOf(hit)
    if (after && compareKeys(key, after) <= 0) continue
    first.splice(placeOf(first, key), 0, { at: hit, key })
    if (first.length > limit) first.pop()
    if (first.length === limit) highest = first.at(-1)?.key
  }
  return first
}

/**
 * The highest first number that a hit among the first so many has. To find it makes no key: in an order that is the wrong
 * way round every hit would need one, and would be the first until the next one comes.
 */
function highestOf(
  count: number,
  numbers: Order['numbers'],
  { after, limit }: { readonly after: CursorKey | undefined; readonly limit: number },
): number {
  const [number] = numbers
  if (!number || count <= limit) return Number.POSITIVE_INFINITY
  const lowest = new Float64Array(limit).fill(Number.POSITIVE_INFINITY) // ascending
  for (let hit = 0; hit < count; hit++) {
    const own = number(hit)
    if (own >= (lowest[limit - 1] ?? 0)) continue
    // Hits with the numbers of the cursor may be before it: they do not count.
    if (after && comparedNumbers(numbers, hit, after) <= 0) continue
    let at = limit - 1
    for (; at > 0 && own < (lowest[at - 1] ?? 0); at--) lowest[at] = lowest[at - 1] ?? 0
    lowest[at] = own
  }
  return lowest[limit - 1] ?? 0
}

/** Above 0 if the numbers of a hit are behind those of a key, 0 if they are equal. */
function comparedNumbers(numbers: Order['numbers'], hit: number, key: CursorKey): number {
  for (let n = 0; n < numbers.length; n++) {
    const difference = (numbers[n]?.(hit) ?? 0) - Number(key[n])
    if (difference !== 0) return difference
  }
  return 0
}

function placeOf(sorted: readonly Keyed[], key: CursorKey): number {
  let at = sorted.length
  while (at > 0 && compareKeys(key, sorted[at - 1]?.key ?? []) < 0) at--
  return at
}
