import type { PlanTerm } from './plan-terms.ts'

/** Where the terms of a text are by their keys, to tell how near they make another term. */
export type TermIndex = ReadonlyMap<string, Places>

interface Places {
  readonly own: number[]
  readonly keys: number[]
  readonly hints: number[]
}

export function indexOf(terms: readonly PlanTerm[]): TermIndex {
  const index = new Map<string, Places>()
  const add = (key: string, as: keyof Places, n: number): void => {
    const places = index.get(key) ?? { own: [], keys: [], hints: [] }
    index.set(key, places)
    places[as].push(n)
  }
  for (const [n, term] of terms.entries()) {
    for (const key of term.own) add(key, 'own', n)
    for (const key of term.keys) add(key, 'keys', n)
    for (const key of term.hints) add(key, 'hints', n)
  }
  return index
}

const SYNONYM = 0.8
const HINT = 0.4
/** One word matches one other: of `queue` and `Sidekiq`, a `queue` is one. */
const REUSED = 0.25

/** How near a text has a term: 1 for the word itself, less for a synonym, least for a word that describes it. */
export function nearness({ own, keys, hints }: PlanTerm, index: TermIndex): number {
  let near = 0
  for (const key of keys) {
    const places = index.get(key)
    if (!places) continue
    if (places.own.length > 0 && own.includes(key)) return 1
    near = Math.max(near, places.keys.length > 0 ? SYNONYM : HINT)
  }
  if (near > 0) return near
  return hints.some((key) => (index.get(key)?.keys.length ?? 0) > 0) ? HINT : 0
}

/** How near a text has each of these terms, if each of its own words matches one of them. */
export function nearnessOf(terms: readonly PlanTerm[], index: TermIndex): readonly number[] {
  const used = new Set<number>()
  const found = terms.map((term) => {
    const near = nearness(term, index)
    if (near === 1) for (const key of term.own) for (const n of index.get(key)?.own ?? []) used.add(n)
    return near
  })
  for (const [n, term] of terms.entries()) {
    const near = found[n] ?? 0
    if (near === 0 || near === 1) continue
    const free = placesOf(term, index, near).find((place) => !used.has(place))
    if (free === undefined) found[n] = near * REUSED
    else used.add(free)
  }
  return found
}

function placesOf({ keys, hints }: PlanTerm, index: TermIndex, near: number): readonly number[] {
  if (near === SYNONYM) return keys.flatMap((key) => index.get(key)?.keys ?? [])
  return [
    ...keys.flatMap((key) => index.get(key)?.hints ?? []),
    ...hints.flatMap((key) => index.get(key)?.keys ?? []),
  ]
}
