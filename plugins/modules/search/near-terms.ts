import type { WeightedTerm } from './keyword-score.ts'
import type { TextIndex } from './text-index.ts'

const PREFIX_WEIGHT = 0.375
const FUZZY_WEIGHT = 0.45
/** Letters that may differ, as a share of the length of the word. */
const FUZZY_SHARE = 0.2

/** The terms of the index that begin with a word or are spelled like it, for a query that matches nothing as written. */
export function nearTerms(index: TextIndex, words: readonly string[]): WeightedTerm[] {
  const wanted = [...new Set(words)]
  const near: WeightedTerm[] = []
  for (const { term } of index.startingWith('')) {
    for (const source of wanted) {
      const weight = likeness(source, term)
      if (weight > 0) near.push({ term, source, weight })
    }
  }
  return near
}

/** 1 for the word itself, 0 for one that is too different. */
function likeness(word: string, term: string): number {
  if (term === word) return 1
  if (term.startsWith(word)) {
    return (PREFIX_WEIGHT * term.length) / (term.length + 0.3 * (term.length - word.length))
  }
  const most = Math.round(word.length * FUZZY_SHARE)
  if (most === 0 || Math.abs(term.length - word.length) > most) return 0
  const distance = editDistance(word, term, most)
  return distance > most ? 0 : (FUZZY_WEIGHT * term.length) / (term.length + distance)
}

/** Letters to insert, remove or exchange; stops counting above `most`. */
function editDistance(a: string, b: string, most: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1
      next.push(Math.min((row[j - 1] ?? 0) + same, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) > most) return most + 1
    row = next
  }
  return row[b.length] ?? 0
}
