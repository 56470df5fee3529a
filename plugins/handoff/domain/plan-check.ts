import {
  likenessOf,
  type MeantPlan,
  type Rarity,
  readAttempt,
  readPlan,
  type TriedAttempt,
} from './plan-likeness.ts'
import type { PlanTerm } from './plan-terms.ts'
import { isSameVersion } from './plan-values.ts'
import { folded } from './words.ts'

/** A failed attempt of a lineage, as a plan is compared with it. */
export interface PastAttempt {
  readonly record: string
  readonly id: string
  readonly approach: string
  readonly reason: string | null
  readonly avoid_repeating: boolean
  readonly evidence: readonly PastEvidence[]
}

export interface PastEvidence {
  readonly id: string
  readonly type: string
  readonly claim: string
  readonly result: string | null
}

export interface PlanMatch extends PastAttempt {
  /** 0 to 1. */
  readonly score: number
  readonly matched_terms: readonly string[]
}

export const PLAN_VERDICTS = ['clear', 'similar', 'repeat'] as const
export type PlanVerdict = (typeof PLAN_VERDICTS)[number]

/** docs/decisions/0065, 0152 and 0186: chosen for the weights of likeness, in place of 0.35 as designed. */
const SIMILAR_FROM = 0.1
const REPEAT_FROM = 0.58
const MAX_MATCHES = 5
export const MAX_PLAN_CHARS = 4000

/** Compares a plan with the failed attempts of a lineage; the same approach twice counts once, the nearest record first. */
export function checkPlan(
  plan: string,
  attempts: readonly PastAttempt[],
): { readonly matches: readonly PlanMatch[]; readonly verdict: PlanVerdict } {
  const distinct = withoutRepeats(attempts).map((attempt) => ({
    attempt,
    tried: readAttempt(attempt.approach),
  }))
  const rarity = rarityIn(distinct.map(({ tried }) => tried.terms))
  const readings = readPlan(plan.slice(0, MAX_PLAN_CHARS))
  const found = distinct
    .map(({ attempt, tried }) => ({ ...attempt, ...nearest(readings, tried, rarity) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_MATCHES)
  const isRepeat = found.some(({ avoid_repeating, score }) => avoid_repeating && score >= REPEAT_FROM)
  return { matches: found, verdict: isRepeat ? 'repeat' : found.length > 0 ? 'similar' : 'clear' }
}

/** How the part of a plan that is most like an attempt matches it. */
function nearest(readings: readonly MeantPlan[], tried: TriedAttempt, rarity: Rarity) {
  const scored = readings.map((meant) => ({ meant, score: likenessOf(meant, tried, rarity) }))
  const { meant, score } = scored.reduce((best, one) => (one.score > best.score ? one : best))
  return { score, matched_terms: tried.terms.filter(isIn(meant, tried)).map(({ term }) => term) }
}

/** What both name: a synonym only if it is not in the attempt itself, a version only if it is the same. */
function isIn({ terms }: MeantPlan, tried: TriedAttempt): (term: PlanTerm) => boolean {
  const own = new Set(tried.terms.map(({ term }) => term))
  return ({ term, keys }) =>
    terms.some((one) => {
      if (one.term === term) return true
      if (own.has(one.term) || !one.keys.some((key) => keys.includes(key))) return false
      return !/^\d/.test(term) || !/^\d/.test(one.term) || isSameVersion(one.term, term)
    })
}

function withoutRepeats(attempts: readonly PastAttempt[]): PastAttempt[] {
  const byApproach = new Map<string, PastAttempt>()
  for (const attempt of attempts) {
    const key = folded(attempt.approach).replace(/\s+/g, ' ').trim()
    const first = byApproach.get(key)
    if (!first) byApproach.set(key, attempt)
    else if (attempt.avoid_repeating && !first.avoid_repeating)
      byApproach.set(key, { ...first, avoid_repeating: true })
  }
  return [...byApproach.values()]
}

/** Of how many attempts a term is counted, so that a score does not grow with the lineage (docs/decisions/0161). */
const USUAL_ATTEMPTS = 50

/** A term that many attempts share counts less. */
function rarityIn(attempts: readonly (readonly PlanTerm[])[]): Rarity {
  const counts = new Map<string, number>()
  for (const terms of attempts) {
    for (const { term } of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const part = Math.min(1, USUAL_ATTEMPTS / Math.max(1, attempts.length))
  const factorOf = (count: number) => 1 + Math.log(USUAL_ATTEMPTS / Math.max(1, count * part)) / 4
  const rarest = factorOf(1)
  const factors = new Map([...counts].map(([term, count]) => [term, factorOf(count)]))
  return ({ term, weight }) => weight * (factors.get(term) ?? rarest)
}
