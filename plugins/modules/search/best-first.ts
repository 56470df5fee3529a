import { compare } from '../domain/order.ts'

/** What decides between equal scores. */
export interface Place {
  readonly isLatest: boolean
  readonly ref: string
  readonly repository: string
  readonly path: string
}

/** More candidates than results: several versions may be of one module. */
const SPARE = 8

/**
 * Numbers of candidates by falling score; the first `needed` of them (and more) are in their final order, in which ties go
 * to the latest version, then the newer ref, then repository and path. Looks at few places: each may be read from a file.
 */
export function bestFirst(
  candidates: readonly number[],
  scores: Float64Array,
  placeOf: (candidate: number) => Place,
  needed: number,
): readonly number[] {
  const scoreOf = (candidate: number): number => scores[candidate] ?? 0
  const ranked = byFallingScore(candidates, scores)
  for (let from = 0; from < Math.min(ranked.length, needed * SPARE); ) {
    const score = scoreOf(ranked[from] ?? 0)
    let to = from + 1
    while (to < ranked.length && scoreOf(ranked[to] ?? 0) === score) to++
    if (to - from > 1) ranked.set(inPlaceOrder([...ranked.subarray(from, to)], placeOf), from)
    from = to
  }
  return Array.from(ranked)
}

/** Equal ones stay in their order. Numbers alone sort several times as fast as by a function that compares them. */
function byFallingScore(candidates: readonly number[], scores: Float64Array): Uint32Array {
  const { length } = candidates
  const sorted = sortedScores(candidates, scores)
  const ranked = new Uint32Array(length)
  const placed = new Uint32Array(length + 1)
  for (let at = 0; at < length; at++) {
    const candidate = candidates[at] ?? 0
    const first = length - numbersUpTo(sorted, scores[candidate] ?? 0)
    const place = first + (placed[first] ?? 0)
    placed[first] = place - first + 1
    ranked[place] = candidate
  }
  return ranked
}

/** Rising. */
function sortedScores(candidates: readonly number[], scores: Float64Array): Float64Array {
  const sorted = new Float64Array(candidates.length)
  for (let at = 0; at < sorted.length; at++) sorted[at] = scores[candidates[at] ?? 0] ?? 0
  return sorted.sort()
}

/** How many of these rising numbers are not above `value`. */
function numbersUpTo(rising: Float64Array, value: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rising[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** The `count` candidates with the highest scores, best first; equal ones in the order in which they are given. */
export function highest(
  candidates: readonly number[],
  scores: Float64Array,
  count: number,
): readonly number[] {
  const scoreOf = (candidate: number): number => scores[candidate] ?? 0
  const sorted = sortedScores(candidates, scores)
  const least = sorted[Math.max(0, sorted.length - count)] ?? 0
  const likely = candidates.filter((candidate) => scoreOf(candidate) >= least)
  return likely.sort((a, b) => scoreOf(b) - scoreOf(a)).slice(0, count)
}

function inPlaceOrder(tied: readonly number[], placeOf: (candidate: number) => Place): readonly number[] {
  return tied
    .map((candidate) => ({ candidate, place: placeOf(candidate) }))
    .sort(({ place: a }, { place: b }) => comparePlaces(a, b))
    .map(({ candidate }) => candidate)
}

function comparePlaces(a: Place, b: Place): number {
  return (
    Number(b.isLatest) - Number(a.isLatest) ||
    compare(b.ref, a.ref) ||
    compare(a.repository, b.repository) ||
    compare(a.path, b.path)
  )
}

/** The first `limit` candidates of different modules. */
export function onePerModule(
  ranked: readonly number[],
  moduleOf: (candidate: number) => number,
  limit: number,
): readonly number[] {
  const seen = new Set<number>()
  const chosen: number[] = []
  for (const candidate of ranked) {
    if (chosen.length === limit) break
    const module = moduleOf(candidate)
    if (seen.has(module)) continue
    seen.add(module)
    chosen.push(candidate)
  }
  return chosen
}
