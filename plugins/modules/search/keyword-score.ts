import { grouped } from '../../../server/plugin.ts'
import type { TextIndex } from './text-index.ts'

/** BM25+ with the usual constants: saturation of repeated words, weight of a field's length, floor of a match. */
const K = 1.2
const B = 0.7
const D = 0.5

/** One word of a query; `weight` below 1 for a word that is only like it. */
export interface WeightedTerm {
  readonly term: string
  /** The word of the query that this one is taken for; absent: itself. */
  readonly source?: string
  readonly weight: number
}

/** The scores of texts by number; 0 for those without a match. */
export type TextScores = Float64Array

/**
 * The sum of what each term gives in each of `fields`, times the number of query words that a text has. `fields` has the
 * weight of each field by its number; 0 leaves it out.
 */
export function scoreTexts(
  index: TextIndex,
  terms: readonly WeightedTerm[],
  fields: readonly number[],
): TextScores {
  const scores = new Float64Array(index.bound)
  const bySource = grouped(terms, ({ source, term }) => source ?? term)
  const counter = { found: new Uint16Array(index.bound), lastSource: new Uint16Array(index.bound), source: 0 }
  for (const group of bySource.values()) {
    counter.source++
    for (const term of group) addWord(scores, counter, { index, term, fields })
  }
  const { found } = counter
  if (terms.length > 1)
    for (let text = 0; text < scores.length; text++) scores[text] = (scores[text] ?? 0) * (found[text] ?? 0)
  return scores
}

/** Of how many words of the query each text has one, and which was the last. */
interface Counter {
  readonly found: Uint16Array
  readonly lastSource: Uint16Array
  source: number
}

interface Word {
  readonly index: TextIndex
  readonly term: WeightedTerm
  readonly fields: readonly number[]
}

function addWord(
  scores: TextScores,
  { found, lastSource, source }: Counter,
  { index, term, fields }: Word,
): void {
  const { texts, length, fields: places } = index.postings(term.term)
  const given = gainsOf(index, term, fields)
  for (let at = 0; at < length; at++) {
    if (fields[places[at] ?? 0] === 0) continue
    const text = texts[at] ?? 0
    scores[text] = (scores[text] ?? 0) + (given[at] ?? 0)
    if (lastSource[text] === source) continue
    lastSource[text] = source
    found[text] = (found[text] ?? 0) + 1
  }
}

/**
 * Adds to the score of each text what a term gives it in all of `fields`, times a factor. Gives what each entry of the
 * term gave, before the factor.
 */
export function addTerm(
  scores: TextScores,
  index: TextIndex,
  term: WeightedTerm & { readonly factor: number },
  fields: readonly number[],
): Float64Array {
  const { texts, length } = index.postings(term.term)
  const given = gainsOf(index, term, fields)
  for (let at = 0; at < length; ) {
    const text = texts[at] ?? 0
    let sum = 0
    for (; at < length && texts[at] === text; at++) sum += given[at] ?? 0
    scores[text] = (scores[text] ?? 0) + term.factor * sum
  }
  return given
}

/** What each entry of a term gives its text; 0 in a field that is left out. */
function gainsOf(index: TextIndex, { term, weight }: WeightedTerm, boosts: readonly number[]): Float64Array {
  const { length, texts, fields, counts, inField } = index.postings(term)
  const rarity = Float64Array.from(boosts, (_, field) => {
    const count = inField[field] ?? 0
    return Math.log(1 + (index.texts - count + 0.5) / (count + 0.5))
  })
  const means = Float64Array.from(index.averageLengths, (mean) => mean || 1)
  const gains = new Float64Array(length)
  const { lengths, fields: width } = index
  for (let at = 0; at < length; at++) {
    const field = fields[at] ?? 0
    const boost = boosts[field] ?? 0
    if (boost === 0) continue
    const count = counts[at] ?? 0
    const share = (lengths[(texts[at] ?? 0) * width + field] ?? 0) / (means[field] ?? 1)
    const saturated = (count * (K + 1)) / (count + K * (1 - B + B * share))
    gains[at] = weight * boost * (rarity[field] ?? 0) * (D + saturated)
  }
  return gains
}
