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
/** So many at least: whether anything fits is told by the same ones for one result as for many. */
const LEAST = 16

/**
 * The best candidates by falling score: `needed` of them and more, in their final order, in which ties go to the latest
 * version, then the newer ref, then repository and path. Looks at few places: each may be read from a file. `count`: so
 * many at least; those far behind what is needed are in the order of their scores alone.
 */
export function bestFirst(
  candidates: ArrayLike<number>,
  scores: Float64Array,
  placeOf: (candidate: number) => Place,
  needed: number,
  count = Math.max(needed * SPARE, LEAST),
): readonly number[] {
  const scoreOf = (candidate: number): number => scores[candidate] ?? 0
  const ranked = atLeast(candidates, scores, count)
  for (let from = 0; from < Math.min(ranked.length, needed * SPARE); ) {
    const score = scoreOf(ranked[from] ?? 0)
    let to = from + 1
    while (to < ranked.length && scoreOf(ranked[to] ?? 0) === score) to++
    const tied = to - from > 1 ? inPlaceOrder(ranked.slice(from, to), placeOf) : []
    for (const [at, candidate] of tied.entries()) ranked[from + at] = candidate
    from = to
  }
  return ranked
}

/** The `count` candidates with the highest scores, best first; equal ones in the order in which they are given. */
export function highest(
  candidates: ArrayLike<number>,
  scores: Float64Array,
  count: number,
): readonly number[] {
  return atLeast(candidates, scores, count).slice(0, count)
}

/** The `count` highest and those that are equal to the last of them. */
function atLeast(candidates: ArrayLike<number>, scores: Float64Array, count: number): number[] {
  const scoreOf = (candidate: number): number => scores[candidate] ?? 0
  if (count <= 0) return []
  const least = count < candidates.length ? nthHighest(candidates, scores, count) : Number.NEGATIVE_INFINITY
  const likely: number[] = []
  for (let at = 0; at < candidates.length; at++) {
    const candidate = candidates[at] ?? 0
    if (scoreOf(candidate) >= least) likely.push(candidate)
  }
  return likely.sort((a, b) => scoreOf(b) - scoreOf(a))
}

/** The n-th highest score, without sorting all of them. */
function nthHighest(candidates: ArrayLike<number>, scores: Float64Array, n: number): number {
  const values = new Float64Array(candidates.length)
  for (let at = 0; at < values.length; at++) values[at] = scores[candidates[at] ?? 0] ?? 0
  const wanted = n - 1
  let low = 0
  let high = values.length - 1
  while (low < high) {
    const { first, last } = parted(values, low, high)
    if (wanted > last && wanted < first) break
    if (wanted <= last) high = last
    else low = first
  }
  return values[wanted] ?? 0
}

/** Puts what is above the value in the middle before what is below it: up to `last`, and from `first` on. */
function parted(values: Float64Array, low: number, high: number) {
  const pivot = values[(low + high) >>> 1] ?? 0
  let first = low
  let last = high
  while (first <= last) {
    while ((values[first] ?? 0) > pivot) first++
    while ((values[last] ?? 0) < pivot) last--
    if (first > last) break
    const value = values[first] ?? 0
    values[first++] = values[last] ?? 0
    values[last--] = value
  }
  return { first, last }
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
