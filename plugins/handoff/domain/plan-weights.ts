import type { PlanFacts } from './plan-facts.ts'

/** Made by `scripts/fit-plans.ts` (docs/decisions/0174). */
export const WEIGHTS: Readonly<Record<keyof PlanFacts, number>> = {
  covered: 3.49,
  planDeed: 4.55,
  triedDeed: 4.13,
  planMeans: 3.37,
  triedMeans: 2.67,
  planPurpose: -0.43,
  purposeDeed: -1.56,
  otherDeed: -0.4,
  lostDeed: -0.32,
  opposite: -1.62,
  numbers: 1.58,
  namesMet: 1.53,
  namesMissed: 0.79,
  missed: -0.4,
  triedTerms: 1.32,
  planDeeds: -0.26,
}
export const BIAS = -10.32
export const FACTS = Object.keys(WEIGHTS) as readonly (keyof PlanFacts)[] // the keys of the table
