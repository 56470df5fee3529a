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
  const [only] = terms
  if (terms.length === 1 && only) {
    addTerm(index, only, fields, (text, score) => {
      scores[text] = (scores[text] ?? 0) + score
    })
    return scores
  }
  const bySource = new Map<string, WeightedTerm[]>()
  for (const term of terms) {
    const source = term.source ?? term.term
    bySource.set(source, [...(bySource.get(source) ?? []), term])
  }
  let number = 0
  const matched = new Uint16Array(index.bound)
  const lastSource = new Uint16Array(index.bound)
  for (const group of bySource.values()) {
    number++
    for (const term of group) {
      addTerm(index, term, fields, (text, score) => {
        scores[text] = (scores[text] ?? 0) + score
        if (lastSource[text] === number) return
        lastSource[text] = number
        matched[text] = (matched[text] ?? 0) + 1
      })
    }
  }
  for (let text = 0; text < scores.length; text++) scores[text] = (scores[text] ?? 0) * (matched[text] ?? 0)
  return scores
}

function addTerm(
  index: TextIndex,
  { term, weight }: WeightedTerm,
  fields: readonly number[],
  add: (text: number, score: number) => void,
): void {
  const postings = index.postings(term)
  const found = new Array<number>(fields.length).fill(0)
  for (let at = 0; at < postings.length; at++) {
    const field = postings.fields[at] ?? 0
    found[field] = (found[field] ?? 0) + 1
  }
  const rarity = found.map((count) => Math.log(1 + (index.texts - count + 0.5) / (count + 0.5)))
  for (let at = 0; at < postings.length; at++) {
    const field = postings.fields[at] ?? 0
    const boost = fields[field] ?? 0
    if (boost === 0) continue
    const text = postings.texts[at] ?? 0
    const count = postings.counts[at] ?? 0
    const share = index.lengthOf(text, field) / (index.averageLengths[field] || 1)
    const saturated = (count * (K + 1)) / (count + K * (1 - B + B * share))
    add(text, weight * boost * (rarity[field] ?? 0) * (D + saturated))
  }
}
