import { hasAny, type PlanTerm, planTerms } from './plan-terms.ts'
import { folded, stem } from './words.ts'

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

// design handoff, section 8a
const SIMILAR_FROM = 0.35
/** Chosen by the first halves of the pairs in testdata: 0.6, as designed, missed half of the repeats in other words. */
const REPEAT_FROM = 0.51
/** The same where the plan does something else with the same objects. */
const REPEAT_FROM_OTHER_DEED = 0.63
const MAX_MATCHES = 5
/** Weight of the text that the other covers more: one is often a part of the other. */
const MORE_COVERED = 0.6
export const MAX_PLAN_CHARS = 4000

/** Compares a plan with the failed attempts of a lineage; the same approach twice counts once, the nearest record first. */
export function checkPlan(
  plan: string,
  attempts: readonly PastAttempt[],
): { readonly matches: readonly PlanMatch[]; readonly verdict: PlanVerdict } {
  const distinct = withoutRepeats(attempts).map((attempt) => ({
    attempt,
    tried: planTerms(attempt.approach),
  }))
  const rarity = rarityIn(distinct)
  const meant = readPlan(plan)
  const found = distinct
    .map(({ attempt, tried }) => ({ attempt, ...compare(meant, tried, rarity) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.attempt.id < b.attempt.id ? -1 : 1))
    .slice(0, MAX_MATCHES)
  const isRepeat = found.some(
    ({ attempt, score, repeatsFrom }) => attempt.avoid_repeating && score >= repeatsFrom,
  )
  return {
    matches: found.map(({ attempt, score, matched_terms }) => ({ ...attempt, score, matched_terms })),
    verdict: isRepeat ? 'repeat' : found.length > 0 ? 'similar' : 'clear',
  }
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

/** A term that many attempts share counts less. */
function rarityIn(attempts: readonly { readonly tried: readonly PlanTerm[] }[]): Rarity {
  const counts = new Map<string, number>()
  for (const { tried } of attempts) {
    for (const { term } of tried) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const total = Math.max(1, attempts.length)
  return ({ term, weight }) => weight * (1 + Math.log(total / (counts.get(term) ?? 1)) / 4)
}

type Rarity = (term: PlanTerm) => number

interface MeantPlan {
  readonly terms: readonly PlanTerm[]
  /** What the plan says it does not do. */
  readonly refused: readonly PlanTerm[]
  /** The plan states a difference to something. */
  readonly differs: boolean
}

/** Words after which the plan names what it does not do, up to the end of the clause. */
const TURNED_AWAY =
  /\b(?:instead of|rather than|in place of|as opposed to|without|avoid(?:ing)?|no longer|not|never|don'?t|do not|skip(?:ping)?|stop(?:ping)?|replac(?:e|ing)|drop(?:ping)?|revert(?:ing)?|undo(?:ing)?)\b([^,.;:]*?)(?=[,.;:]|\b(?:but|with|by|and then|use|using|to)\b|$)/gi
const DIFFERENCE = /\b(?:but (?:this time|with|now)|this time|except|unless|unlike|differently|only after)\b/i

function readPlan(plan: string): MeantPlan {
  const text = plan.slice(0, MAX_PLAN_CHARS)
  const refused = [...text.matchAll(TURNED_AWAY)].map(([part]) => part).join(' ')
  return {
    terms: planTerms(text.replace(TURNED_AWAY, ' ')),
    refused: planTerms(refused),
    differs: DIFFERENCE.test(text),
  }
}

interface Comparison extends Pick<PlanMatch, 'score' | 'matched_terms'> {
  /** The score from which the plan is a repeat. */
  readonly repeatsFrom: number
}

function compare(plan: MeantPlan, tried: readonly PlanTerm[], rarity: Rarity): Comparison {
  const matched = tried.filter((term) => hasAny(plan.terms, term))
  const met = plan.terms.filter((term) => hasAny(tried, term))
  const weigh = (terms: readonly PlanTerm[]) => terms.reduce((sum, term) => sum + rarity(term), 0)
  const shared = weigh(matched)
  if (shared === 0) return { score: 0, matched_terms: [], repeatsFrom: REPEAT_FROM }
  const recall = shared / weigh(tried)
  const precision = weigh(met) / weigh(plan.terms)
  const [more, less] = [Math.max(recall, precision), Math.min(recall, precision)]
  let score = MORE_COVERED * more + (1 - MORE_COVERED) * less
  if (isOpposite(plan.terms, tried)) score *= 0.5
  if (tried.some((term) => term.weight >= 1 && hasAny(plan.refused, term))) score *= 0.5
  const isOther = isOtherDeed(plan.terms, tried)
  if (isOther) score *= 0.8
  if (plan.differs) score *= 0.75
  return {
    score: Math.round(score * 1000) / 1000,
    matched_terms: matched.map(({ term }) => term),
    repeatsFrom: isOther ? REPEAT_FROM_OTHER_DEED : REPEAT_FROM,
  }
}

/** What a sentence does is said by its first word: the same objects treated otherwise are another plan. */
function isOtherDeed(plan: readonly PlanTerm[], tried: readonly PlanTerm[]): boolean {
  const [meant, done] = [plan, tried].map((terms) => terms.find(({ isLight }) => !isLight))
  return meant !== undefined && done !== undefined && !hasAny(tried, meant) && !hasAny(plan, done)
}

function isOpposite(plan: readonly PlanTerm[], tried: readonly PlanTerm[]): boolean {
  const [own, other] = [plan, tried].map((terms) => new Set(terms.map(({ term }) => term)))
  const only = (set: ReadonlySet<string> | undefined, one: string, without: string): boolean =>
    set?.has(one) === true && !set.has(without)
  return OPPOSITES.some(
    ([a, b]) => (only(own, a, b) && only(other, b, a)) || (only(own, b, a) && only(other, a, b)),
  )
}

const OPPOSITES: readonly (readonly [string, string])[] = (
  [
    ['add', 'remove'],
    ['enable', 'disable'],
    ['increase', 'decrease'],
    ['upgrade', 'downgrade'],
    ['start', 'stop'],
    ['lock', 'unlock'],
    ['synchronous', 'asynchronous'],
    ['before', 'after'],
    ['client', 'server'],
    ['read', 'write'],
    ['split', 'merge'],
    ['global', 'local'],
    ['eager', 'lazy'],
    ['encode', 'decode'],
    ['install', 'uninstall'],
    ['parallel', 'sequential'],
    ['internal', 'external'],
    ['push', 'pull'],
    ['static', 'dynamic'],
    ['mock', 'real'],
    ['inline', 'external'],
    ['strong', 'weak'],
  ] as const
).map(([a, b]) => [stem(a), stem(b)] as const)
