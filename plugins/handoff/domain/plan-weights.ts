import type { PlanFacts } from './plan-facts.ts'

/** Made by `scripts/fit-plans.ts` (docs/decisions/0174). */
export const WEIGHTS: Readonly<Record<keyof PlanFacts, number>> = {
  covered: 3.46,
  planDeed: 4.5,
  triedDeed: 4.2,
  planMeans: 3.37,
  triedMeans: 2.58,
  planPurpose: -0.24,
  purposeDeed: -1.56,
  otherDeed: -0.57,
  opposite: -1.69,
  numbers: 1.58,
  namesMet: 1.55,
  namesMissed: 0.8,
  missed: -0.42,
  triedTerms: 1.31,
  planDeeds: -0.29,
}
export const BIAS = -10.38
export const FACTS = Object.keys(WEIGHTS) as readonly (keyof PlanFacts)[] // the keys of the table
