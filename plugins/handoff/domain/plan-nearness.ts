import { addTo } from '../../../server/plugin.ts'
import type { PlanTerm } from './plan-terms.ts'

/** Where the terms of a text are, by their keys. */
export type TermIndex = ReadonlyMap<string, readonly number[]>

export function indexOf(terms: readonly PlanTerm[]): TermIndex {
  const index = new Map<string, number[]>()
  for (const [n, { keys }] of terms.entries()) for (const key of keys) addTo(index, key, n)
  return index
}

const SAME = 1
const SYNONYM = 0.8
/** Of `queue` and `jobs`, a `queue` is one: the second that it would match is hardly met. */
const REUSED = 0.2

/** How near a text has each of these terms, if each of its own words matches one of them. */
export function nearnessOf(terms: readonly PlanTerm[], index: TermIndex): readonly number[] {
  const used = new Set<number>()
  const found = terms.map(({ keys }) => {
    let near = 0
    for (const key of keys) {
      const places = index.get(key)
      if (!places) continue
      if (isGroup(key)) near = Math.max(near, SYNONYM)
      else {
        near = SAME
        for (const place of places) used.add(place)
      }
    }
    return near
  })
  return found.map((near, n) => {
    if (near !== SYNONYM) return near
    const free = terms[n]?.keys.flatMap((key) => index.get(key) ?? []).find((place) => !used.has(place))
    if (free === undefined) return REUSED
    used.add(free)
    return near
  })
}

/** The text has the term, or a synonym that means nothing else in it. */
export function isMet(near: number): boolean {
  return near > REUSED
}

const LATIN = /^[\x00-\x7f]*$/

/** A word of no group of synonyms. The groups are of English words: of another script, that says nothing. */
export function isName({ term, keys, isLight }: PlanTerm): boolean {
  return !isLight && LATIN.test(term) && !keys.some(isGroup)
}

/** A key of a group of synonyms. */
export function isGroup(key: string): boolean {
  return key.startsWith('group ')
}
