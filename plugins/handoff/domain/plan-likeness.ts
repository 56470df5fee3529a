import { once } from '../../../server/plugin.ts'
import { deedFirst, otherReadings } from './plan-deeds.ts'
import { indexOf, isGroup, isMet, isName, nearnessOf, type TermIndex } from './plan-nearness.ts'
import { isKept, isRefused, leftBy, type Turned, turnedFrom } from './plan-refusals.ts'
import { rootOf as stem } from './plan-stems.ts'
import { type PlanTerm, planTerms } from './plan-terms.ts'
import { isOtherwise, paceOf, type Stated, statedIn } from './plan-values.ts'

/** A text as it is compared with another. */
interface Reading {
  readonly terms: readonly PlanTerm[]
  readonly keys: ReadonlySet<string>
  /** The sides of opposites that it has, and those that would contradict it. */
  readonly sides: ReadonlySet<string>
  readonly contrary: readonly string[]
  readonly numbers: readonly PlanTerm[]
  /** The terms that say what is done. */
  readonly head: readonly PlanTerm[]
  /** Read only of texts that share a word. */
  readonly index: () => TermIndex
  /** Read only of texts that are alike. */
  readonly stated: () => Stated
}

/** A plan, or a step of it, as it is compared with attempts. */
export interface MeantPlan extends Reading {
  readonly headKeys: ReadonlySet<string>
  /** What the plan says it does not do, and the plan without that. */
  readonly turned: Turned
  readonly kept: Reading
  /** The plan states a difference to something. */
  readonly differs: boolean
}

/** An attempt as plans are compared with it. */
export interface TriedAttempt extends Reading {
  /** What it turned away from itself: a plan that does so too refuses nothing of it. */
  readonly left: readonly PlanTerm[]
  /** What it did without. */
  readonly lacking: readonly PlanTerm[]
}

/** How much a term says among the attempts of a lineage. */
export type Rarity = (term: PlanTerm) => number

const CAME_OUT =
  "(?:did|does|has|have|had)(?: not|n't) (?:help|work)(?:ed)?|(?:was|were|is) no use|made no difference|already failed"
/** A clause that tells what became of something is not a plan to do it. */
const OUTCOME = new RegExp(
  `(?<!\\b(?:that|which|who) )\\b(?:${CAME_OUT}|(?:we|i|'ve|have|has|had|was|were|been|already) tried|dead end)\\b`,
  'i',
)
/** It tells what became of what the clause before names. */
const ITS_OUTCOME = new RegExp(`^(?:(?:but|and) )?(?:which|it|that|this|they) (?:${CAME_OUT})\\b`, 'i')
const CLAUSE = /(?<=[.;,])\s+|\s+(?=(?:so|but)\b)/
const DIFFERENCE = /\b(?:but (?:this time|with|now)|this time|except|unless|unlike|differently|only after)\b/i

/** What may part the deed of an attempt from what came of it. */
const ENDS = /;|(?<!\.)[.!](?=\s)|:(?=\s)|\s[-\u2013\u2014](?=\s)/g
const MIN_WORDS = 3

export function readAttempt(text: string): TriedAttempt {
  const deed = deedOf(text)
  const turned = turnedFrom(deed)
  return { ...readingOf(deed), left: leftBy(deed, turned), lacking: turned.lacking }
}

/** An attempt without what came of it, which plans of any kind mention. A label before a colon is part of it. */
function deedOf(text: string): string {
  for (const { 0: sign, index } of text.matchAll(ENDS)) {
    const words = text.slice(0, index).trim().split(/\s+/).length
    if (words >= (sign === ':' ? MIN_WORDS + 1 : MIN_WORDS)) return text.slice(0, index)
  }
  return text
}

/** The whole plan and, if it has several, each of its steps: one step that repeats an attempt is enough. */
export function readPlan(text: string): readonly MeantPlan[] {
  const { meant, told } = clausesOf(text)
  // A line says with its reasons what its sentences say without.
  const lines = meant.split(LINE)
  const parts = new Set([meant, ...lines, ...lines.flatMap((line) => line.split(SENTENCE))])
  const toldOf = told.map((clause) => ({ by: [], terms: planTerms(clause), isReason: false }))
  return [...parts]
    .filter((part) => part === meant || planTerms(part).length > 1)
    .flatMap((part) => [part, ...otherReadings(part)])
    .slice(0, MAX_STEPS)
    .map((part) => ofPace(readPart(part, toldOf), meant))
}

const LINE = /\s*\n\s*(?:[-*\u2022]\s+|\d+[.)]\s+)?/
const SENTENCE = /(?<=[.;!?])\s+(?:\d+[.)]\s+)?|,?\s+(?:and\s+)?then\s+(?!(?:the|an?|its|our|this|that)\b)/
const MAX_STEPS = 40

/** A step goes about it as the plan does: `Upgrade to v6. Do so in two steps`. */
function ofPace(part: MeantPlan, whole: string): MeantPlan {
  const stated = once(() => {
    const own = part.stated()
    return { ...own, pace: own.pace ?? paceOf(whole) }
  })
  return { ...part, stated }
}

function readPart(said: string, told: Turned['refused']): MeantPlan {
  const text = deedFirst(said)
  const turned = turnedFrom(text)
  const reading = readingOf(text)
  return {
    ...reading,
    headKeys: keysIn(reading.head),
    turned: { ...turned, refused: [...turned.refused, ...told] },
    kept: turned.refused.length > 0 ? readingOf(turned.kept) : reading,
    differs: DIFFERENCE.test(text),
  }
}

function readingOf(text: string): Reading {
  const terms = planTerms(text)
  return {
    terms,
    keys: keysIn(terms),
    ...sidesOf(new Set([...terms.map(({ term }) => term), ...(AFTER.test(text) ? [stem('after')] : [])])),
    numbers: terms.filter(({ term }) => /\d/.test(term)),
    head: headOf(terms),
    index: once(() => indexOf(terms)),
    stated: once(() => statedIn(text, terms)),
  }
}

/** `after` says when something is done, ahead of any reason; elsewhere it says too little to be a term. */
const AFTER = /^(?:(?!\b(?:so|because)\b)[^,.;:])*\bafter\b/i

/** Of which opposites a text has one side alone, and what the text would say that has the other. */
function sidesOf(words: ReadonlySet<string>): Pick<Reading, 'sides' | 'contrary'> {
  const sides = new Set<string>()
  const contrary: string[] = []
  for (const [n, [one, other]] of OPPOSITES.entries()) {
    if (words.has(one) === words.has(other)) continue
    const [own, opposite] = words.has(one) ? ['one', 'other'] : ['other', 'one']
    sides.add(`${own} ${n}`)
    contrary.push(`${opposite} ${n}`)
  }
  return { sides, contrary }
}

/** What a plan says it does, and the clauses that tell what was tried before. */
function clausesOf(text: string): { readonly meant: string; readonly told: readonly string[] } {
  const clauses = text.split(CLAUSE)
  const told = clauses.filter(
    (clause, n) =>
      OUTCOME.test(clause) || [clause, clauses[n + 1] ?? ''].some((one) => ITS_OUTCOME.test(one)),
  )
  if (told.length === 0 || told.length === clauses.length) return { meant: text, told: [] }
  return { meant: clauses.filter((clause) => !told.includes(clause)).join(' '), told }
}

function headOf(terms: readonly PlanTerm[]): readonly PlanTerm[] {
  return terms.filter(({ isHead }) => isHead)
}

function keysIn(terms: readonly PlanTerm[]): ReadonlySet<string> {
  return new Set(terms.flatMap(({ keys }) => keys))
}

/** How likely a plan repeats an attempt, from 0 to 1, by the words they share and those they do not. */
export function likenessOf(plan: MeantPlan, tried: TriedAttempt, rarity: Rarity): number {
  if (!tried.terms.some(({ keys }) => keys.some((key) => plan.keys.has(key)))) return 0
  const facts = factsOf(plan, tried, rarity)
  const sum = FACTS.reduce((so, fact) => so + WEIGHTS[fact] * facts[fact], BIAS)
  const isSameDeed = facts.triedDeed + facts.planDeed > 0 && (!facts.otherDeed || sharesWords(plan, tried))
  const part =
    (plan.differs ? DIFFERING : 1) * (isSameDeed ? 1 : SAME_PURPOSE) * (facts.refused ? REFUSING : 1)
  const likeness = part / (1 + Math.exp(-sum))
  const isOther = likeness >= ALIKE && isOtherwise(plan.stated(), tried.stated())
  return Math.round((isOther ? OTHERWISE : 1) * likeness * 1000) / 1000
}

/**
 * A logistic regression over the triples in testdata but `plan-other.json`, whose weights are between those of
 * docs/decisions/0065 and those of the pairs since (docs/decisions/0186).
 */
const WEIGHTS = {
  /** The share of the shared words in the text of which they are less. */
  covered: 0.92,
  /** The share of the words that say what is done, in the attempt and in the plan. */
  triedDeed: 0.58,
  planDeed: 1.02,
  /** The share of such words that both texts use to say what is done. */
  bothDeeds: 0.37,
  /** How much the texts share, and how much the plan does that the attempt did not, as logarithms. */
  shared: 1.77,
  foreign: -0.53,
  /** How much of the purpose of the attempt the plan mentions, as a logarithm. */
  purpose: 0.53,
  /** The share of what the plan does that the attempt did, each word matched once and synonyms counted less. */
  nearDeed: 2.75,
  /** Words of what the attempt did that the plan lacks: names, which may be told in words, and all that say something. */
  namesMissed: 0.46,
  missed: -0.73,
  otherDeed: -0.19,
  opposite: -3.2,
  refused: -2.35,
  numbers: 1.6,
} as const
const BIAS = -4.57
/** A plan that says that it differs. */
const DIFFERING = 0.75
/** A plan that refuses what was tried is not a repeat of it, however much they share. */
const REFUSING = 0.45
/** What is set, or what it is done to, is another: similar at most (docs/decisions/0164). */
const OTHERWISE = 0.5
/** Of less than that, what is stated is not read. */
const ALIKE = 0.15
/** Nothing that is done is shared, only what for. */
const SAME_PURPOSE = 0.5

type Fact = keyof typeof WEIGHTS
const FACTS = Object.keys(WEIGHTS) as readonly Fact[] // the keys of the table
const MAX_NUMBERS = 2

function factsOf(whole: MeantPlan, tried: TriedAttempt, rarity: Rarity): Readonly<Record<Fact, number>> {
  const isTurned =
    isRefused(whole.turned.refused, tried.terms, tried.left) ||
    isKept(whole.turned, tried.left) ||
    tried.lacking.some(({ weight, keys }) => weight >= 1 && keys.some((key) => whole.kept.keys.has(key)))
  const plan = isTurned ? { ...whole, ...whole.kept, headKeys: keysIn(whole.kept.head) } : whole
  const meantSums = sumsOf(plan, tried.keys, rarity)
  const triedSums = sumsOf(tried, plan.keys, rarity)
  const share = (part: number, all: number) => (all > 0 ? part / all : 0)
  const bothDeeds = sumMet(tried.head, plan.headKeys, rarity)
  const missed = missedBy(plan, tried)
  return {
    covered: Math.min(share(triedSums.met, triedSums.all), share(meantSums.met, meantSums.all)),
    triedDeed: share(triedSums.metHead, triedSums.head),
    planDeed: share(meantSums.metHead, meantSums.head),
    bothDeeds: share(bothDeeds, triedSums.head),
    shared: Math.log1p(triedSums.met),
    foreign: Math.log1p(meantSums.head - meantSums.metHead),
    purpose: Math.log1p(triedSums.met - triedSums.metHead),
    nearDeed: share(nearDeed(plan, tried, rarity), meantSums.head),
    namesMissed: Math.log1p(missed.filter(isName).length),
    missed: Math.log1p(missed.filter(({ weight }) => weight >= 1).length),
    otherDeed: isOtherDeed(plan, tried) ? 1 : 0,
    opposite: plan.contrary.some((side) => tried.sides.has(side)) ? 1 : 0,
    refused: isTurned ? 1 : 0,
    numbers: Math.min(
      MAX_NUMBERS,
      plan.numbers.filter(({ keys }) => keys.some((key) => tried.keys.has(key))).length,
    ),
  }
}

/** `ten`, or one word that may mean another, is nothing that two texts do. */
function sharesWords(plan: Reading, tried: Reading): boolean {
  return [plan, tried].some(({ head }, n) => {
    const { keys: others } = n === 0 ? tried : plan
    const met = head.filter(({ term, keys }) => !/^\d/.test(term) && keys.some((key) => others.has(key)))
    return met.length > 1 || met.some(({ keys }) => keys.some((key) => !isGroup(key) && others.has(key)))
  })
}

/** How much the terms of a text weigh, those that another text has too, and of both those that say what is done. */
function sumsOf({ terms }: Reading, others: ReadonlySet<string>, rarity: Rarity) {
  const sums = { all: 0, met: 0, head: 0, metHead: 0 }
  for (const term of terms) {
    const weight = rarity(term)
    const isMet = term.keys.some((key) => others.has(key))
    sums.all += weight
    if (isMet) sums.met += weight
    if (term.isHead) sums.head += weight
    if (term.isHead && isMet) sums.metHead += weight
  }
  return sums
}

function sumMet(terms: readonly PlanTerm[], others: ReadonlySet<string>, rarity: Rarity): number {
  return terms.reduce((sum, term) => (term.keys.some((key) => others.has(key)) ? sum + rarity(term) : sum), 0)
}

/** How much of what the plan does the attempt has, each word once. */
function nearDeed({ terms }: Reading, tried: Reading, rarity: Rarity): number {
  const near = nearnessOf(terms, tried.index())
  return terms.reduce((sum, term, n) => (term.isHead ? sum + rarity(term) * (near[n] ?? 0) : sum), 0)
}

/** What the attempt did that the plan does not name. */
function missedBy(plan: Reading, { terms }: Reading): readonly PlanTerm[] {
  const near = nearnessOf(terms, plan.index())
  return terms.filter(({ isHead }, n) => isHead && !isMet(near[n] ?? 0))
}

/** What a sentence does is said by its first word: the same objects treated otherwise are another plan. */
function isOtherDeed(plan: Reading, tried: Reading): boolean {
  const meant = plan.terms.find(({ isLight }) => !isLight)
  const done = tried.terms.find(({ isLight }) => !isLight)
  if (!meant || !done) return false
  return !meant.keys.some((key) => tried.keys.has(key)) && !done.keys.some((key) => plan.keys.has(key))
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
    ['native', 'emulate'],
    ['recursive', 'iterative'],
    ['include', 'exclude'],
    ['public', 'private'],
    ['optimistic', 'pessimistic'],
    ['horizontal', 'vertical'],
    ['mutable', 'immutable'],
    ['manual', 'automatic'],
    ['shared', 'separate'],
    ['first', 'last'],
    ['allow', 'deny'],
    ['minimum', 'maximum'],
    ['primary', 'replica'],
    ['stateful', 'stateless'],
  ] as const
).map(([a, b]) => [stem(a), stem(b)] as const)
