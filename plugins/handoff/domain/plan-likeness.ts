import { hasAny, type PlanTerm, planTerms } from './plan-terms.ts'
import { stem } from './words.ts'

/** A plan as it is compared with attempts. */
export interface MeantPlan {
  readonly terms: readonly PlanTerm[]
  readonly keys: ReadonlySet<string>
  /** The terms that say what is done. */
  readonly head: readonly PlanTerm[]
  readonly headKeys: ReadonlySet<string>
  /** What the plan says it does not do. */
  readonly refused: readonly Refusal[]
  /** The plan states a difference to something. */
  readonly differs: boolean
}

interface Refusal {
  /** The words that turn away: `drop`, `instead of`. */
  readonly by: readonly PlanTerm[]
  readonly terms: readonly PlanTerm[]
}

/** An attempt as plans are compared with it. */
export interface TriedAttempt {
  readonly terms: readonly PlanTerm[]
  /** What it turned away from itself: a plan that does so too refuses nothing of it. */
  readonly left: readonly PlanTerm[]
}

/** How much a term says among the attempts of a lineage. */
export type Rarity = (term: PlanTerm) => number

/** Words after which the plan names what it does not do, up to the end of the clause. */
const TURNED_AWAY =
  /\b(instead of|rather than|in place of|as opposed to|without|avoid(?:ed|ing)?|no longer|not|never|don'?t|do not|skip(?:ped|ping)?|stop(?:ped|ping)?|replac(?:ed?|ing)|drop(?:ped|ping)?|revert(?:ed|ing)?|undo(?:ing)?)\b([^,.;:]*?)(?=[,.;:]|\b(?:but|with|by|and then|use|using|to|because|so)\b|$)/gi
const DIFFERENCE = /\b(?:but (?:this time|with|now)|this time|except|unless|unlike|differently|only after)\b/i

/** What is left for something else. */
const LEFT = /\bfrom\b([^,;:]*?)\b(?:in)?to\b/gi

export function readAttempt(text: string): TriedAttempt {
  const turned = [...text.matchAll(TURNED_AWAY)].map(([, , what = '']) => what)
  const left = [...text.matchAll(LEFT)].map(([, what = '']) => what)
  return { terms: planTerms(text), left: [...turned, ...left].flatMap(planTerms) }
}

export function readPlan(text: string): MeantPlan {
  const refused = [...text.matchAll(TURNED_AWAY)].map(([, by = '', what = '']) => ({
    by: planTerms(by),
    terms: planTerms(what),
  }))
  const terms = planTerms(text)
  const head = headOf(terms)
  return {
    terms,
    keys: keysIn(terms),
    head,
    headKeys: keysIn(head),
    refused,
    differs: DIFFERENCE.test(text),
  }
}

function headOf(terms: readonly PlanTerm[]): readonly PlanTerm[] {
  return terms.filter(({ isHead }) => isHead)
}

function keysIn(terms: readonly PlanTerm[]): ReadonlySet<string> {
  return new Set(terms.flatMap(({ keys }) => keys))
}

/** How likely a plan repeats an attempt, from 0 to 1, by the words they share and those they do not. */
export function likenessOf(plan: MeantPlan, tried: TriedAttempt, rarity: Rarity): number {
  const facts = factsOf(plan, tried, rarity)
  if (facts.shared === 0) return 0
  const sum = FACTS.reduce((so, fact) => so + WEIGHTS[fact] * facts[fact], BIAS)
  const isSameDeed = facts.triedDeed > 0 || facts.planDeed > 0
  const likeness = ((plan.differs ? DIFFERING : 1) * (isSameDeed ? 1 : SAME_PURPOSE)) / (1 + Math.exp(-sum))
  return Math.round(likeness * 1000) / 1000
}

/**
 * A logistic regression over the pairs and the triples in testdata but the second halves of `plan-unseen.json` and
 * `plan-threads.json`, and all of `plan-judge.json` (docs/decisions/0065).
 */
const WEIGHTS = {
  /** The share of the shared words in the text of which they are less. */
  covered: 1.68,
  /** The share of the words that say what is done, in the attempt and in the plan. */
  triedDeed: 1.06,
  planDeed: 1.85,
  /** The share of such words that both texts use to say what is done. */
  bothDeeds: 0.67,
  /** How much the texts share, and how much the plan does that the attempt did not, as logarithms. */
  shared: 1.34,
  foreign: -0.97,
  /** How much of the purpose of the attempt the plan mentions, as a logarithm. */
  purpose: 0.97,
  otherDeed: -0.35,
  opposite: -3.98,
  refused: -2.35,
  numbers: 1.9,
} as const
const BIAS = -3.71
/** A plan that says that it differs. */
const DIFFERING = 0.75
/** Nothing that is done is shared, only what for. */
const SAME_PURPOSE = 0.5

type Fact = keyof typeof WEIGHTS
const FACTS = Object.keys(WEIGHTS) as readonly Fact[] // the keys of the table
const MAX_NUMBERS = 2

function factsOf(
  plan: MeantPlan,
  { terms: tried, left }: TriedAttempt,
  rarity: Rarity,
): Readonly<Record<Fact, number>> {
  const weigh = (some: readonly PlanTerm[]) => some.reduce((sum, term) => sum + rarity(term), 0)
  const met = (some: readonly PlanTerm[], others: ReadonlySet<string>) =>
    weigh(some.filter(({ keys }) => keys.some((key) => others.has(key))))
  const share = (some: readonly PlanTerm[], others: ReadonlySet<string>) =>
    some.length > 0 ? met(some, others) / weigh(some) : 0
  const triedKeys = keysIn(tried)
  const triedHead = headOf(tried)
  return {
    covered: Math.min(share(tried, plan.keys), share(plan.terms, triedKeys)),
    triedDeed: share(triedHead, plan.keys),
    planDeed: share(plan.head, triedKeys),
    bothDeeds: share(triedHead, plan.headKeys),
    shared: Math.log1p(met(tried, plan.keys)),
    foreign: Math.log1p(weigh(plan.head) - met(plan.head, triedKeys)),
    purpose: Math.log1p(
      met(
        tried.filter(({ isHead }) => !isHead),
        plan.keys,
      ),
    ),
    otherDeed: isOtherDeed(plan.terms, tried) ? 1 : 0,
    opposite: isOpposite(plan.terms, tried) ? 1 : 0,
    refused: isRefused(plan.refused, { terms: tried, left }) ? 1 : 0,
    numbers: Math.min(
      MAX_NUMBERS,
      plan.terms.filter(({ term, keys }) => /\d/.test(term) && keys.some((key) => triedKeys.has(key))).length,
    ),
  }
}

/** The plan turns away from what was tried. A plan that leaves what the attempt left turns away from nothing of it. */
function isRefused(refused: readonly Refusal[], { terms: tried, left }: TriedAttempt): boolean {
  const objects = tried.filter(({ isHead, weight }) => isHead && weight >= 1)
  return refused.some(
    ({ by, terms }) =>
      objects.some((term) => hasAny(terms, term)) &&
      !by.some((term) => hasAny(tried, term)) &&
      !terms.some((term) => term.weight >= 1 && hasAny(left, term)),
  )
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
