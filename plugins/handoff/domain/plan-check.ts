import { folded, stem, wordsOf } from './words.ts'

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
const REPEAT_FROM = 0.6
const MAX_MATCHES = 5
export const MAX_PLAN_CHARS = 4000

/** Compares a plan with the failed attempts of a lineage; the same approach twice counts once, the nearest record first. */
export function checkPlan(
  plan: string,
  attempts: readonly PastAttempt[],
): { readonly matches: readonly PlanMatch[]; readonly verdict: PlanVerdict } {
  const distinct = withoutRepeats(attempts)
  const rarity = rarityIn(distinct)
  const meant = readPlan(plan)
  const matches = distinct
    .map((attempt) => ({ ...attempt, ...compare(meant, attempt, rarity) }))
    .filter(({ score }) => score >= SIMILAR_FROM)
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
    .slice(0, MAX_MATCHES)
  const isRepeat = matches.some(({ avoid_repeating, score }) => avoid_repeating && score >= REPEAT_FROM)
  return { matches, verdict: isRepeat ? 'repeat' : matches.length > 0 ? 'similar' : 'clear' }
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

type Rarity = (term: string) => number

/** A term that many attempts share counts less. */
function rarityIn(attempts: readonly PastAttempt[]): Rarity {
  const counts = new Map<string, number>()
  for (const { approach } of attempts) {
    for (const term of termsOf(approach)) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  const total = Math.max(1, attempts.length)
  return (term) => (1 + Math.log(total / (counts.get(term) ?? 1)) / 2) * (VERBS.has(term) ? 0.6 : 1)
}

interface MeantPlan {
  readonly terms: ReadonlySet<string>
  /** The plan states a difference to something. */
  readonly differs: boolean
}

/** Words after which the plan names what it does not do, up to the end of the clause. */
const TURNED_AWAY =
  /\b(?:instead of|rather than|in place of|as opposed to|without|avoid(?:ing)?|no longer|not|never|don'?t|do not|skip(?:ping)?|stop(?:ping)?|replac(?:e|ing)|drop(?:ping)?|revert(?:ing)?|undo(?:ing)?)\b([^,.;:]*?)(?=[,.;:]|\b(?:but|with|by|and then|use|using|to)\b|$)/gi
const DIFFERENCE = /\b(?:but (?:this time|with|now)|this time|except|unless|unlike|differently|only after)\b/i

function readPlan(plan: string): MeantPlan {
  const text = plan.slice(0, MAX_PLAN_CHARS)
  return { terms: new Set(termsOf(text.replace(TURNED_AWAY, ' '))), differs: DIFFERENCE.test(text) }
}

function compare(
  plan: MeantPlan,
  attempt: PastAttempt,
  rarity: Rarity,
): { readonly score: number; readonly matched_terms: readonly string[] } {
  const tried = [...new Set(termsOf(attempt.approach))]
  const matched = tried.filter((term) => plan.terms.has(term))
  const weigh = (terms: Iterable<string>) => [...terms].reduce((sum, term) => sum + rarity(term), 0)
  const shared = weigh(matched)
  if (shared === 0) return { score: 0, matched_terms: [] }
  const recall = shared / weigh(tried)
  const precision = shared / weigh(plan.terms)
  // One replaced word in a short sentence makes another plan: the share counts more than linearly.
  let score = recall ** 1.5 * (0.8 + 0.2 * precision)
  if (isOpposite(plan.terms, tried)) score *= 0.5
  if (plan.differs) score *= 0.75
  return { score: Math.round(score * 1000) / 1000, matched_terms: matched }
}

function isOpposite(plan: ReadonlySet<string>, tried: readonly string[]): boolean {
  return OPPOSITES.some(
    ([a, b]) =>
      (plan.has(a) && !plan.has(b) && tried.includes(b) && !tried.includes(a)) ||
      (plan.has(b) && !plan.has(a) && tried.includes(a) && !tried.includes(b)),
  )
}

/** Stems of the significant words. */
function termsOf(text: string): string[] {
  return wordsOf(text)
    .filter((word) => word.length > 1 && !STOP_WORDS.has(word))
    .map(stem)
    .map((term) => SAME.get(term) ?? term)
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be been but by can could do does for from had has have here how i if in into is it its just let like may might more most must my need no of off on once one or our out over own please same shall should so some such than that the their them then there these they this those through to too try trying tried up us very via want was we were what when where which while who will with would you your again first now next maybe still also actually simply instead rather'.split(
    ' ',
  ),
)

const stems = (words: string) => words.split(' ').map(stem)

/** Verbs, which say less than their objects. */
const VERBS: ReadonlySet<string> = new Set(
  stems(
    'use make add set put get run change update create write call move keep give take apply switch introduce implement enable configure build store save handle fix do work wrap convert pass perform',
  ),
)

/** Synonyms in plans. */
const SAME: ReadonlyMap<string, string> = new Map(
  (
    [
      ['save', 'store'],
      ['keep', 'store'],
      ['persist', 'store'],
      ['bump', 'upgrade'],
      ['raise', 'increase'],
      ['grow', 'increase'],
      ['lower', 'decrease'],
      ['reduce', 'decrease'],
      ['delete', 'remove'],
      ['drop', 'remove'],
      ['turn', 'switch'],
      ['db', 'database'],
      ['config', 'configuration'],
      ['auth', 'authentication'],
      ['mock', 'stub'],
      ['retry', 'repeat'],
      ['async', 'asynchronous'],
      ['sync', 'synchronous'],
      ['regexp', 'regex'],
      ['libs', 'library'],
      ['lib', 'library'],
      ['repo', 'repository'],
    ] as const
  ).map(([from, to]) => [stem(from), stem(to)]),
)

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
  ] as const
).map(([a, b]) => [stem(a), stem(b)] as const)
