import type { Weights } from './fusion.ts'
import type { KeywordMatch } from './keyword-index.ts'

/** Explains the rank of a result. */
export interface Explanation {
  readonly keyword: KeywordExplanation
  readonly vector?: { readonly cosine: number; readonly scaled: number }
  readonly weights: Weights
  readonly fused: number
}

export interface KeywordExplanation {
  readonly score: number
  /** 0..1 among all candidates. */
  readonly scaled: number
  /** What each word gave, by field; with `concepts` the shares sum to 1. */
  readonly terms: { readonly term: string; readonly field: string; readonly share: number }[]
  readonly concepts: { readonly concept: string; readonly share: number }[]
}

/** The keyword part: a word's score is divided evenly between the fields it was found in. */
export function explainKeyword(hit: KeywordMatch | undefined, scaled: number): KeywordExplanation {
  if (!hit || hit.score === 0) return { score: 0, scaled: 0, terms: [], concepts: [] }
  const concepts = Object.entries(hit.concepts).map(([concept, score]) => ({
    concept,
    share: score / hit.score,
  }))
  const left = 1 - concepts.reduce((sum, { share }) => sum + share, 0)
  const places = Object.entries(hit.match).flatMap(([term, fields]) =>
    fields.map((field) => ({ term, field })),
  )
  const terms = places.map((place) => ({ ...place, share: left / places.length }))
  return { score: hit.score, scaled, terms, concepts }
}
