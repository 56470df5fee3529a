import type { Weights } from './fusion.ts'
import type { KeywordMatch } from './keyword-index.ts'
import type { QueryPlan } from './query-plan.ts'
import { stem } from './stemmer.ts'
import { sixDecimals } from './vector-record.ts'

/** Explains the rank of a result. */
export interface Explanation {
  readonly keyword: KeywordExplanation
  readonly vector?: { readonly cosine: number; readonly scaled: number }
  readonly weights: Weights
  readonly fused: number
  /** What the score was made of, the largest effect first. */
  readonly decided: Decision[]
}

/** One thing that raised or lowered a score, and by how much. */
export interface Decision {
  readonly by: 'words' | 'corrections' | 'concepts' | 'vector' | 'preferences'
  readonly effect: number
  readonly what: string
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

interface Scored {
  readonly hit: KeywordMatch | undefined
  /** Both scaled to 0..1 among all candidates. */
  readonly keyword: number
  readonly vector: number
  readonly score: number
  readonly kept: number
}

/** Words, corrected words, concepts, vector and preferences (the wanted provider, modules before their parts), by effect. */
export function whatDecided(plan: QueryPlan, scored: Scored, weights: Weights): Decision[] {
  const sum = weights.keyword + weights.vector
  const found = Object.keys(scored.hit?.match ?? {})
  const meant = new Set(plan.corrections.flatMap(({ to }) => to.split(' ').map(stem)))
  const corrected = found.filter((term) => meant.has(term))
  const own = found.filter((term) => !meant.has(term))
  const concepts = Object.entries(scored.hit?.concepts ?? {})
  const score = scored.hit?.score || 1
  const byConcepts = concepts.reduce((total, [, added]) => total + added, 0) / score
  const byKeyword = (weights.keyword * scored.keyword) / sum
  const byWord = (byKeyword * (1 - byConcepts)) / Math.max(1, found.length)
  const before = scored.kept === 0 ? 0 : scored.score / scored.kept
  const provider = plan.provider ? `provider ${plan.provider.words}, ` : ''
  const decisions: Decision[] = [
    { by: 'words', effect: byWord * own.length, what: own.join(' ') },
    { by: 'corrections', effect: byWord * corrected.length, what: corrected.join(' ') },
    { by: 'concepts', effect: byKeyword * byConcepts, what: concepts.map(([group]) => group).join(' ') },
    { by: 'vector', effect: (weights.vector * scored.vector) / sum, what: 'words and concepts together' },
    { by: 'preferences', effect: scored.score - before, what: `${provider}modules before their parts` },
  ]
  return decisions
    .map((one) => ({ ...one, effect: sixDecimals(one.effect) }))
    .filter(({ effect }) => effect !== 0)
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
}
