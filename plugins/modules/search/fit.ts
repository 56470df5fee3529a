import type { MeantConcept } from './concept-phrases.ts'
import { CLOUDS } from './provider-names.ts'
import type { QueryPlan } from './query-plan.ts'
import { stem } from './stemmer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Share of a query's rare words that a module must have when the query means no concept. */
const ENOUGH_WORDS = 0.58
/** Words of a phrase, times how near they are, from which a concept alone says that something fits. */
const ENOUGH_CONCEPT = 1.5
/** The same in a small index. */
const ENOUGH_IN_SMALL = 1
/** A concept that is clearer than this share of the clearest one says what a query is about. */
const MAIN_SHARE = 0.5
/** So many of the words are in no module: one of them names something that is not here ("jumpcloud user group"). */
const UNKNOWN_SHARE = 0.25
/** In fewer texts a word may be missing by chance: what counts frequencies is not asked. */
const MANY_TEXTS = 100

/** A product in more texts than this share is named in other words as well; rarer words say what a query is about. */
const RARE_PRODUCT = 0.05
/** What is named by none of the first results is not what they are about. */
const NAMING = 3
/** A word in no more texts than this share names something, if no result has it ("octopus deploy project"). */
const RARE_WORD = 0.01
/** So many of the words are rare and in no result. */
const MISSING_SHARE = 0.3

/** What one of the best results has of a query. */
export interface FitEvidence {
  /** Terms anywhere in its text, and those in its name, description or names of its parts. */
  readonly terms: ReadonlySet<string>
  readonly named: ReadonlySet<string>
  /** Terms in its name, its description or types of its resources. */
  readonly shown: ReadonlySet<string>
  /** Concepts that its name, description or resources say. */
  readonly about: ReadonlySet<string>
  /** Those that its name or its description says. */
  readonly says: ReadonlySet<string>
  /** It is of the provider that is wanted, or none is. */
  readonly isOfProvider: boolean
}

/**
 * Whether a query asks for what no module here is about. `best`: what each of the best results has of it. `hasProvider`:
 * whether any module is of the provider that the query names. Calibrated on queries of both sorts: it recognises four of
 * five, and is wrong about one in fifty at most.
 */
export function nothingFits(
  whole: QueryPlan,
  vocabulary: Vocabulary,
  best: readonly FitEvidence[],
  hasProvider: boolean,
): boolean {
  // What is only guessed ranks, but says nothing of what is here.
  const plan = {
    ...whole,
    concepts: new Map([...whole.concepts].filter(([, { certainty }]) => certainty > 0)),
  }
  if (plan.terms.length === 0) return plan.concepts.size === 0
  if (plan.names.some(({ isSure, share }) => isSure || share === 1)) return false
  if (plan.provider && !hasProvider && !isMentioned(plan.provider.words, best)) return true
  const isLarge = vocabulary.texts >= MANY_TEXTS
  if (lacksNamed(plan, vocabulary, best)) return true
  if (saysWhatIsSpokenFor(plan, best)) return false
  const concepts = [...plan.concepts]
  const isHad = ([group]: (typeof concepts)[number]): boolean => isAbout(group, best, isLarge)
  if (!isLarge && concepts.length > 0 && !hasMain(concepts, best)) return hasTooFew(plan, vocabulary, best)
  const isClear = concepts.some((one) => isClearly(one[1], isLarge) && isHad(one))
  if (isClear) return false
  const tellsMuch = plan.translations.length === 0 && isLarge
  if (tellsMuch && unknownWords(plan) >= UNKNOWN_SHARE * plan.terms.length) return true
  if (tellsMuch && missingWords(plan, vocabulary, best) >= MISSING_SHARE * plan.terms.length) return true
  const share = Math.max(0, ...best.map(({ terms }) => shareOf(plan, vocabulary, terms)))
  return share < ENOUGH_WORDS && !concepts.some((one) => one[1].isExact && isHad(one))
}

/** Whether the first result says what a sentence speaks for, of which every word is known. */
function saysWhatIsSpokenFor({ spokenFor, unknown }: QueryPlan, [first]: readonly FitEvidence[]): boolean {
  return spokenFor !== undefined && unknown.length === 0 && (first?.says.has(spokenFor) ?? false)
}

/** Whether a concept is enough to say what is asked for. In a small index an unknown word of the query counts little. */
function isClearly({ certainty, words }: MeantConcept, isLarge: boolean): boolean {
  return certainty * words >= (isLarge ? ENOUGH_CONCEPT : ENOUGH_IN_SMALL)
}

/** Whether a result is about a concept. In a small index its resources alone do not say so, without a word of the query. */
function isAbout(group: string, best: readonly FitEvidence[], isLarge: boolean): boolean {
  return best.some(({ about, says, shown }) =>
    isLarge ? about.has(group) : says.has(group) || (about.has(group) && shown.size > 0),
  )
}

/** Whether a result is about a main concept of the query; a lesser one has to be said by the first result. */
function hasMain(
  concepts: readonly (readonly [string, MeantConcept])[],
  best: readonly FitEvidence[],
): boolean {
  const clearness = ({ certainty, words }: MeantConcept): number => certainty * Math.min(words, 2)
  const most = Math.max(...concepts.map(([, meant]) => clearness(meant)))
  return concepts.some(([group, meant]) =>
    clearness(meant) > MAIN_SHARE * most ? isAbout(group, best, false) : (best[0]?.says.has(group) ?? false),
  )
}

/** Whether no result has enough of the words. Two words may be in one README by chance: they have to be named. */
function hasTooFew(plan: QueryPlan, vocabulary: Vocabulary, best: readonly FitEvidence[]): boolean {
  const isLong = plan.terms.length > 2 || isName(plan, vocabulary)
  const shares = best.map(({ terms, shown }) => shareOf(plan, vocabulary, isLong ? terms : shown))
  return Math.max(0, ...shares) < ENOUGH_WORDS
}

/** Whether the words are the name of an input or of something else that a module has ("multi az"). */
function isName({ terms }: QueryPlan, vocabulary: Vocabulary): boolean {
  return terms.length > 1 && vocabulary.count(stem(terms.map(({ source }) => source).join(''))) > 0
}

/** A result that names the provider may be what is wanted though it is of another. */
function isMentioned(name: string, best: readonly FitEvidence[]): boolean {
  const words = name.split(' ').map(stem)
  return best.slice(0, NAMING).some(({ named }) => words.every((word) => named.has(word)))
}

function lacksNamed(plan: QueryPlan, vocabulary: Vocabulary, best: readonly FitEvidence[]): boolean {
  const isLarge = vocabulary.texts >= MANY_TEXTS
  if (lacksEquivalent(plan, best)) return true
  return isLarge ? lacksProducts(plan, vocabulary, best) : lacksShownProducts(plan, best)
}

/** The first results of the wanted cloud. A tool that is named ("from github") is not where a product has to be. */
function namingOf(provider: QueryPlan['provider'], best: readonly FitEvidence[]): readonly FitEvidence[] {
  const isTool = provider?.providers.every((name) => !CLOUDS.has(name)) ?? false
  return best.slice(0, NAMING).filter(({ isOfProvider }) => isOfProvider || isTool)
}

/** Whether no result of the wanted provider names a product that is asked for. What a README mentions is not about it. */
function lacksProducts(
  { products, provider }: QueryPlan,
  vocabulary: Vocabulary,
  best: readonly FitEvidence[],
): boolean {
  const rare = products.filter(
    ([word = '', ...more]) => more.length > 0 || vocabulary.count(word) <= RARE_PRODUCT * vocabulary.texts,
  )
  const naming = namingOf(provider, best)
  const isNamed = (product: readonly string[]): boolean =>
    naming.some(({ named }) => product.every((word) => named.has(word)))
  return rare.length > 0 && rare.length === products.length && !rare.some(isNamed)
}

/**
 * As `lacksProducts`, where few texts say nothing of which products are rare. A large module has inputs and outputs for
 * other products ("redshift_subnets" of a network): they count only where its name or description says a concept of the query.
 */
function lacksShownProducts(
  { products, concepts, provider }: QueryPlan,
  best: readonly FitEvidence[],
): boolean {
  const naming = namingOf(provider, best)
  const isThere = (product: readonly string[]): boolean =>
    naming.some(({ terms, shown, says }) => {
      const isOfKind = [...concepts.keys()].some((group) => says.has(group))
      return product.every((word) => (isOfKind ? terms : shown).has(word))
    })
  return products.length > 0 && !products.some(isThere)
}

/** Whether no result of the wanted provider is about what another one's product is. */
function lacksEquivalent({ provider, concepts }: QueryPlan, best: readonly FitEvidence[]): boolean {
  if (provider?.kind !== 'equivalent' || concepts.size === 0) return false
  return !best.some(({ isOfProvider, about }) => isOfProvider && about.size > 0)
}

/** How many words no text and no phrase has. */
function unknownWords({ terms, unknown }: QueryPlan): number {
  return terms.filter(({ term, weight }) => weight >= TOLD && unknown.includes(term)).length
}

/** How many words are rare, of no concept and in no result. */
function missingWords(
  { terms, strange }: QueryPlan,
  vocabulary: Vocabulary,
  best: readonly FitEvidence[],
): number {
  const isMissing = (word: string): boolean =>
    vocabulary.count(word) <= RARE_WORD * vocabulary.texts && !best.some((one) => one.terms.has(word))
  return terms.filter(({ term, weight }) => weight >= TOLD && strange.includes(term) && isMissing(term))
    .length
}

/** Everyday words have less weight. */
const TOLD = 0.5

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
