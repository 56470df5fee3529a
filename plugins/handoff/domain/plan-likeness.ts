import { factsOf, type Rarity } from './plan-facts.ts'
import { nearness } from './plan-nearness.ts'
import type { MeantPlan, TriedAttempt } from './plan-reading.ts'
import { isRefused } from './plan-refusals.ts'
import { hasOwn } from './plan-terms.ts'
import { isOtherwise } from './plan-values.ts'
import { BIAS, FACTS, WEIGHTS } from './plan-weights.ts'

/** How likely a plan repeats an attempt, from 0 to 1, by the words they share and those they do not. */
export function likenessOf(whole: MeantPlan, tried: TriedAttempt, rarity: Rarity): number {
  const isTurned = isTurnedFrom(whole, tried)
  const facts = factsOf(isTurned ? whole.kept : whole, tried, rarity)
  const sum = FACTS.reduce((so, fact) => so + WEIGHTS[fact] * facts[fact], BIAS)
  const isSameDeed = facts.triedDeed > 0 || facts.planDeed > 0
  const part =
    (whole.differs ? DIFFERING : 1) *
    (isSameDeed ? 1 : SAME_PURPOSE) *
    (isTurned ? REFUSING : facts.opposite ? OPPOSING : 1)
  const likeness = part / (1 + Math.exp(-sum))
  const isOther = likeness >= ALIKE && isOtherwise(whole.stated(), tried.stated())
  return Math.round((isOther ? OTHERWISE : 1) * likeness * 1000) / 1000
}

/**
 * Most attempts of a lineage have nothing to do with a plan, nor most of its parts with an attempt: this tells so sooner
 * than the facts. What the whole plan lacks, its parts lack.
 */
export function partsLike(parts: readonly MeantPlan[], { head }: TriedAttempt): readonly MeantPlan[] {
  const least = LEAST * head.reduce((sum, { weight }) => sum + weight, 0)
  let rest = head
  return parts.filter((part) => {
    const index = part.index()
    const near = rest.map((term) => term.weight * nearness(term, index))
    if (part === parts[0]) rest = rest.filter((_, n) => (near[n] ?? 0) > 0)
    const met = near.reduce((sum, one) => sum + one, 0)
    return met > 0 && met >= least
  })
}

/** The part of an attempt that a plan shares with it at the least. */
const LEAST = 0.2

/** The plan refuses what was tried, or does what the attempt did without. */
export function isTurnedFrom({ turned, kept }: MeantPlan, { terms, left, lacking }: TriedAttempt): boolean {
  return (
    isRefused(turned.refused, terms, left) ||
    lacking.some((term) => term.weight >= 1 && hasOwn(kept.terms, term))
  )
}

/** A plan that says that it differs. */
const DIFFERING = 0.75
/** A plan that refuses what was tried is not a repeat of it, however much they share. */
const REFUSING = 0.45
/** The plan has the other side of a pair of opposites. */
const OPPOSING = 0.6
/** What is set, or what it is done to, is another: similar at most (docs/decisions/0164). */
const OTHERWISE = 0.5
/** Of less than that, what is stated is not read. */
const ALIKE = 0.15
/** Nothing that is done is shared, only what for. */
const SAME_PURPOSE = 0.5
