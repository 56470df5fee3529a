import type { PlanFacts } from './plan-facts.ts'

/** Made by `scripts/fit-plans.ts` (docs/decisions/0174). */
export const WEIGHTS: Readonly<Record<keyof PlanFacts, number>> = {
  covered: 3.52,
  planDeed: 4.47,
  triedDeed: 4.2,
  planMeans: 3.38,
  triedMeans: 2.58,
  planPurpose: -0.44,
  purposeDeed: -1.55,
  otherDeed: -0.57,
  opposite: -1.7,
  numbers: 1.59,
  namesMet: 1.54,
  namesMissed: 0.79,
  missed: -0.42,
  triedTerms: 1.3,
  planDeeds: -0.25,
}
export const BIAS = -10.35
export const FACTS = Object.keys(WEIGHTS) as readonly (keyof PlanFacts)[] // the keys of the table
