import { addTo } from '../../../server/plugin.ts'
import type { PlanTerm } from './plan-terms.ts'

/** The terms of a text by their keys, by how near they make another term. */
export interface TermIndex {
  readonly own: ReadonlyMap<string, readonly number[]>
  readonly keys: ReadonlyMap<string, readonly number[]>
  readonly hints: ReadonlyMap<string, readonly number[]>
}

export function indexOf(terms: readonly PlanTerm[]): TermIndex {
  const own = new Map<string, number[]>()
  const keys = new Map<string, number[]>()
  const hints = new Map<string, number[]>()
  for (const [n, term] of terms.entries()) {
    for (const key of term.own) addTo(own, key, n)
    for (const key of term.keys) addTo(keys, key, n)
    for (const key of term.hints) addTo(hints, key, n)
  }
  return { own, keys, hints }
}

const SYNONYM = 0.8
const HINT = 0.4
/** One word stands for one other: of `queue` and `Sidekiq`, a `queue` is one. */
const REUSED = 0.25

/** How near a text has a term: 1 for the word itself, less for a synonym, least for a word that describes it. */
export function nearness({ own, keys, hints }: PlanTerm, index: TermIndex): number {
  if (own.some((key) => index.own.has(key))) return 1
  if (keys.some((key) => index.keys.has(key))) return SYNONYM
  if (keys.some((key) => index.hints.has(key)) || hints.some((key) => index.keys.has(key))) return HINT
  return 0
}

/** How near a text has each of these terms, if each of its own words stands for one of them. */
export function nearnessOf(terms: readonly PlanTerm[], index: TermIndex): readonly number[] {
  const used = new Set<number>()
  const found = terms.map((term) => {
    const near = nearness(term, index)
    if (near === 1) for (const key of term.own) for (const n of index.own.get(key) ?? []) used.add(n)
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
  if (near === SYNONYM) return keys.flatMap((key) => index.keys.get(key) ?? [])
  return [
    ...keys.flatMap((key) => index.hints.get(key) ?? []),
    ...hints.flatMap((key) => index.keys.get(key) ?? []),
  ]
}
