import { editDistance } from '../../../server/plugin.ts'
import type { WeightedTerm } from './keyword-score.ts'
import { letterMask, nearBytes } from './letter-mask.ts'
import type { TextIndex } from './text-index.ts'

const PREFIX_WEIGHT = 0.375
const FUZZY_WEIGHT = 0.45
/** Letters that may differ, as a share of the length of the word. */
const FUZZY_SHARE = 0.2

/** The terms of the index that begin with a word or are spelled like it, for a query that matches nothing as written. */
export function nearTerms(index: TextIndex, words: readonly string[]): WeightedTerm[] {
  return [...new Set(words)].flatMap((source) => [
    ...beginningWith(index, source),
    ...spelledLike(index, source),
  ])
}

function beginningWith(index: TextIndex, source: string): WeightedTerm[] {
  return Array.from(index.startingWith(source), ({ term }) => {
    const more = term.length - source.length
    const weight = more === 0 ? 1 : (PREFIX_WEIGHT * term.length) / (term.length + 0.3 * more)
    return { term, source, weight }
  })
}

/** Terms with another first letter are other words more than misspelt ones, and there may be hundreds of thousands. */
function spelledLike(index: TextIndex, source: string): WeightedTerm[] {
  const most = Math.round(source.length * FUZZY_SHARE)
  if (most === 0) return []
  const near: WeightedTerm[] = []
  const bytes = Buffer.byteLength(source)
  const alike = {
    leastBytes: bytes - 3 * most, // a letter has up to three
    mostBytes: bytes + 3 * most,
    isLikely: nearBytes(letterMask(source), most),
  }
  for (const { term } of index.startingWith([...source][0] ?? '', alike)) {
    if (Math.abs(term.length - source.length) > most) continue
    const distance = term.startsWith(source) ? 0 : editDistance(source, term, most)
    if (distance === 0 || distance > most) continue
    near.push({ term, source, weight: (FUZZY_WEIGHT * term.length) / (term.length + distance) })
  }
  return near
}
