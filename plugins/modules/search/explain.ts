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

/** One thing that raised or lowered a score, and by how much; all effects together are the score. */
export interface Decision {
  readonly by: 'words' | 'corrections' | 'concepts' | 'vector' | Preference
  readonly effect: number
  readonly what: string
}

/** Why a score is raised or lowered after both lists are joined, in the order in which that is done. */
export type Preference = 'provider' | 'kind' | 'name' | 'removed'

/** A score once both lists were joined, and after each preference. */
export interface ScoreStep {
  readonly by: 'lists' | Preference
  readonly score: number
}

/** Keeps what each step made of the scores of all candidates. */
export interface ScoreSteps {
  note(by: ScoreStep['by']): void
  of(candidate: number): readonly ScoreStep[]
}

/** The steps of `scores`, which change in place; none is kept where nothing is explained. */
export function scoreSteps(scores: Float64Array, isExplained: boolean): ScoreSteps {
  const kept: { readonly by: ScoreStep['by']; readonly scores: Float64Array }[] = []
  return {
    note(by) {
      if (isExplained) kept.push({ by, scores: scores.slice() })
    },
    of: (candidate) => kept.map((step) => ({ by: step.by, score: step.scores[candidate] ?? 0 })),
  }
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
  /** Scaled to 0..1 among all candidates. */
  readonly vector: number
  readonly steps: readonly ScoreStep[]
}

/** Words, corrected words, concepts, vector and preferences, the largest effect first. */
export function whatDecided(plan: QueryPlan, { hit, vector, steps }: Scored, weights: Weights): Decision[] {
  const found = Object.keys(hit?.match ?? {})
  const meant = new Set(plan.corrections.flatMap(({ to }) => to.split(' ').map(stem)))
  const corrected = found.filter((term) => meant.has(term))
  const own = found.filter((term) => !meant.has(term))
  const concepts = Object.entries(hit?.concepts ?? {})
  const score = hit?.score || 1
  const byConcepts = concepts.reduce((total, [, added]) => total + added, 0) / score
  const byVector = (weights.vector * vector) / (weights.keyword + weights.vector)
  const byKeyword = (steps[0]?.score ?? 0) - byVector
  const byWord = (byKeyword * (1 - byConcepts)) / Math.max(1, found.length)
  const said = { ...SAID, provider: plan.provider?.words ?? '' }
  const decisions: Decision[] = [
    { by: 'words', effect: byWord * own.length, what: own.join(' ') },
    { by: 'corrections', effect: byWord * corrected.length, what: corrected.join(' ') },
    { by: 'concepts', effect: byKeyword * byConcepts, what: concepts.map(([group]) => group).join(' ') },
    { by: 'vector', effect: byVector, what: 'words and concepts together' },
    ...steps.flatMap(({ by, score: after }, at) =>
      by === 'lists' ? [] : [{ by, effect: after - (steps[at - 1]?.score ?? 0), what: said[by] }],
    ),
  ]
  return decisions
    .map((one) => ({ ...one, effect: sixDecimals(one.effect) }))
    .filter(({ effect }) => effect !== 0)
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect))
}

const SAID = {
  kind: 'modules before their parts',
  name: 'names in the query',
  removed: 'missing in the newest release',
}
