import { nearness, nearnessOf, type TermIndex } from './plan-nearness.ts'
import type { Reading, TriedAttempt } from './plan-reading.ts'
import type { PlanTerm } from './plan-terms.ts'

/** How much each of these terms says among the attempts of a lineage. */
export type Rarity = (terms: readonly PlanTerm[]) => readonly number[]

/** What tells a plan that repeats an attempt from one that treats the same things otherwise. */
export interface PlanFacts {
  /** The shared part of the text of which less is shared. */
  readonly covered: number
  /** The shared part of what the plan does, and of what the attempt did. */
  readonly planDeed: number
  readonly triedDeed: number
  /** The shared part of the means (`by`, `with`, `using`): a half if none are told. */
  readonly planMeans: number
  readonly triedMeans: number
  /** How much of what the plan is for was done or wanted before, and how much of its deed was a purpose before. */
  readonly planPurpose: number
  readonly purposeDeed: number
  /** 1 if neither starts with a deed that the other has. */
  readonly otherDeed: number
  /** 1 if the plan has the other side of a pair of opposites. */
  /** 1 if the attempt starts with a deed that is not in the plan. */
  readonly lostDeed: number
  readonly opposite: number
  readonly numbers: number
  /** Words of the attempt that are in no group, most of them names: those that the plan has, and those that it lacks. */
  readonly namesMet: number
  readonly namesMissed: number
  /** Words of the attempt's deed that the plan lacks, without those that say little. */
  readonly missed: number
  /** How much the attempt and the deed of the plan tell. */
  readonly triedTerms: number
  readonly planDeeds: number
}

const MAX_NUMBERS = 2
/** Nearer than that, the other text has the word. */
const MET = 0.3
const LATIN = /^[\x00-\x7f]*$/
/** The share of nothing: it speaks neither for nor against. */
const UNKNOWN = 0.5

export function factsOf(plan: Reading, tried: TriedAttempt, rarity: Rarity): PlanFacts {
  const meant = sumsOf(plan, tried.index(), rarity)
  const done = sumsOf(tried, plan.index(), rarity)
  const isMet = (_: PlanTerm, n: number) => (done.near[n] ?? 0) >= MET
  const names = tried.terms.filter((term) => term.isHead && isName(term)).length
  const namesMet = tried.terms.filter((term, n) => term.isHead && isName(term) && isMet(term, n)).length
  return {
    covered: Math.min(partOf(done.met, done.all, 0), partOf(meant.met, meant.all, 0)),
    planDeed: partOf(meant.metHead, meant.head, 0),
    triedDeed: partOf(done.metHead, done.head, 0),
    planMeans: shareOf(plan.means(), tried.index(), rarity),
    triedMeans: shareOf(tried.means(), plan.index(), rarity),
    planPurpose: partOf(meant.met - meant.metHead, meant.all - meant.head, UNKNOWN),
    purposeDeed: shareOf(plan.head, tried.purposeIndex(), rarity),
    otherDeed: isDeedIn(plan, tried) || isDeedIn(tried, plan) ? 0 : 1,
    lostDeed: isDeedIn(tried, plan) ? 0 : 1,
    opposite: plan.contrary.some((side) => tried.sides.has(side)) ? 1 : 0,
    numbers: Math.min(MAX_NUMBERS, plan.numbers.filter((term) => nearness(term, tried.index()) > 0).length),
    namesMet: Math.log1p(namesMet),
    namesMissed: Math.log1p(names - namesMet),
    missed: Math.log1p(
      tried.terms.filter((term, n) => term.isHead && term.weight >= 1 && !isMet(term, n)).length,
    ),
    triedTerms: Math.log1p(tried.terms.length),
    planDeeds: Math.log1p(plan.head.length),
  }
}

/** The groups are of English words: of another script, that a word is in none says nothing. */
function isName({ term, keys, isLight }: PlanTerm): boolean {
  return !isLight && LATIN.test(term) && !keys.some((key) => key.startsWith('group '))
}

function partOf(part: number, all: number, ofNothing: number): number {
  return all > 0 ? part / all : ofNothing
}

/** How much the terms of a text weigh, those that another text has too, and of both those that say what is done. */
function sumsOf({ terms }: Reading, others: TermIndex, rarity: Rarity) {
  const near = nearnessOf(terms, others)
  const weights = rarity(terms)
  const sums = { all: 0, met: 0, head: 0, metHead: 0, near }
  for (const [n, term] of terms.entries()) {
    const weight = weights[n] ?? 0
    const met = weight * (near[n] ?? 0)
    sums.all += weight
    sums.met += met
    if (term.isHead) sums.head += weight
    if (term.isHead) sums.metHead += met
  }
  return sums
}

function shareOf(terms: readonly PlanTerm[], others: TermIndex, rarity: Rarity): number {
  if (terms.length === 0) return UNKNOWN
  const near = nearnessOf(terms, others)
  const weights = rarity(terms)
  let all = 0
  let met = 0
  for (const [n, weight] of weights.entries()) {
    all += weight
    met += weight * (near[n] ?? 0)
  }
  return partOf(met, all, UNKNOWN)
}

/** What a sentence does is said by its first word: the same objects treated otherwise are another plan. */
function isDeedIn(text: Reading, other: Reading): boolean {
  const deed = text.terms.find(({ isLight }) => !isLight)
  return !deed || nearness(deed, other.index()) > 0
}
