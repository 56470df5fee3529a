import type { MeantConcept } from './concept-phrases.ts'
import { shownAs } from './products.ts'
import { CLOUDS } from './provider-names.ts'
import type { PlannedTerm, QueryPlan } from './query-plan.ts'
import { stem } from './stemmer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Share of a query's rare words that a module must have when the query means no concept. */
const ENOUGH_WORDS = 0.58
/** So much of the words in a name, a description or types of resources says what a concept need not say. */
const ENOUGH_SHOWN = 0.6
/** The same in a small index, where the rarest words weigh more. */
const ENOUGH_SHOWN_IN_SMALL = 0.45
/** Words of a phrase, times how near they are, from which a concept alone says that something fits. */
const ENOUGH_CONCEPT = 1.5
/** The same in a small index, and for a concept that the first result says. */
const ENOUGH_WITH_FIRST = 1
/** A concept that is clearer than this share of the clearest one says what a query is about. */
const MAIN_SHARE = 0.5
/** In fewer texts a word may be missing by chance: what counts frequencies is not asked. */
const MANY_TEXTS = 100

/** A product in more texts than this share is named in other words as well; rarer words say what a query is about. */
const RARE_PRODUCT = 0.05
/** A longer query has constraints beside what it asks for: the README may name the product that serves one of them. */
const MANY_WORDS = 5
/** What is named by none of the first results is not what they are about. */
const NAMING = 3
/** A concept that these results do not say is not what they are about. */
const SAYING = 5
/** A word in no more texts than this share names something, if no result has it ("octopus deploy project"). */
const RARE_WORD = 0.01

/** So many of the words are missing: the query is about them ("jumpcloud user group"). */
const MISSING_SHARE = 0.25
/** The same where the first result says a concept of the query, for words that are not ordinary. */
const COINED_SHARE = 0.3
/** The same for a small index, and for ordinary words where the first result says a concept. */
const MOST_WORDS = 0.5
/** The same for ordinary words of a sentence. */
const MOST_OF_SENTENCE = 0.75
/** So many words are a sentence, which has ordinary words that no module has, and of which a guess says something. */
const SENTENCE_WORDS = 4
/** What is guessed with less weight says nothing. */
const LEAST_GUESS = 0.3

/** What one of the best results has of a query. */
export interface FitEvidence {
  /**
   * Terms anywhere in its text, and those in its name, description or names of its parts: words of the query, and names of its
   * products, whose words one field has together.
   */
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

/** A query and what was found for it. */
interface Asked {
  readonly plan: QueryPlan
  readonly vocabulary: Vocabulary
  readonly best: readonly FitEvidence[]
  readonly isLarge: boolean
  readonly concepts: readonly (readonly [group: string, meant: MeantConcept])[]
  /** The first result says what a sentence speaks for. */
  readonly isGuessed: boolean
  /** The first result says a concept of the query. */
  readonly isSaidFirst: boolean
}

/**
 * Whether a query asks for what no module here is about. `best`: what each of the best results has of it. `hasProvider`:
 * whether any module is of the provider that the query names. What the query names has to be shown; else what it means has
 * to be said; else its words decide. Calibrated on queries of both sorts: it recognises four of five, and is wrong about
 * one in fifty in large indexes, more often in small ones.
 */
export function nothingFits(
  whole: QueryPlan,
  vocabulary: Vocabulary,
  best: readonly FitEvidence[],
  hasProvider: boolean,
): boolean {
  const asked = askedOf(whole, vocabulary, best)
  const { plan } = asked
  if (plan.terms.length === 0) return plan.concepts.size === 0
  if (plan.names.some(({ isSure, share }) => isSure || share === 1)) return false
  if (plan.provider && !hasProvider && !isMentioned(plan.provider.words, best)) return true
  if (lacksEquivalent(plan, best) || lacksCloud(plan, best) || lacksProducts(asked)) return true
  if (saysWhatIsSpokenFor(plan, best)) return false
  if (lacksCoined(asked)) return true
  return (asked.isLarge ? decidedByMain(asked) : decidedInSmall(asked)) ?? decidedByWords(asked)
}

function askedOf(whole: QueryPlan, vocabulary: Vocabulary, best: readonly FitEvidence[]): Asked {
  const all = [...whole.concepts]
  const isFirst = ([group]: readonly [string, MeantConcept]): boolean => best[0]?.says.has(group) ?? false
  // What is only guessed ranks, but says nothing of what is here, but for a sentence.
  const concepts = all.filter(([, { certainty }]) => certainty > 0)
  const guessed = all.filter(([, { certainty, weight }]) => certainty === 0 && weight >= LEAST_GUESS)
  const isGuessed = told(whole).length >= SENTENCE_WORDS && guessed.some(isFirst)
  return {
    plan: { ...whole, concepts: new Map(concepts) },
    vocabulary,
    best,
    isLarge: vocabulary.texts >= MANY_TEXTS,
    concepts,
    isGuessed,
    isSaidFirst: isGuessed || concepts.some(isFirst),
  }
}

/** Whether too many words name something that no result has. */
function lacksCoined(asked: Asked): boolean {
  const { plan, isLarge, isSaidFirst } = asked
  if (plan.provider?.kind === 'equivalent') return false
  const least = isSaidFirst ? COINED_SHARE : MISSING_SHARE
  return missingShare(asked, plan.coined) >= (isLarge ? least : MOST_WORDS)
}

/** Decides by the clearest concepts of a query, if there are such; undefined: they do not tell. */
function decidedByMain(asked: Asked): boolean | undefined {
  const { plan, best, concepts, isSaidFirst } = asked
  const most = Math.max(0, ...concepts.map(([, meant]) => clearness(meant)))
  if (most < ENOUGH_WITH_FIRST || plan.provider?.kind === 'equivalent') return undefined
  const main = concepts.filter(([, meant]) => clearness(meant) >= MAIN_SHARE * most)
  const isSaidBy = (looked: readonly FitEvidence[]): boolean =>
    main.some(([group, meant]) => looked.some((one) => one.says.has(group) || writes(one, meant)))
  if (isSaidBy(best.slice(0, 1))) {
    const isSentence = plan.terms.length >= SENTENCE_WORDS
    return missingShare(asked, plan.strange) >= (isSentence ? MOST_OF_SENTENCE : MOST_WORDS)
  }
  if (isSaidBy(best.slice(0, SAYING)) || isSaidFirst || plan.inputs.length > 0) return undefined
  const isTold = main.some(([, { isExact }]) => isExact) && shownShare(asked) < ENOUGH_SHOWN
  return isTold || undefined
}

/** Whether a result shows the words of the query that say a concept, though modules do not say it so. */
function writes({ shown }: FitEvidence, { stems }: MeantConcept): boolean {
  return stems.every((word) => shown.has(word))
}

/** As `decidedByMain` in a small index, where a result may be about a concept that it does not say. */
function decidedInSmall(asked: Asked): boolean | undefined {
  if (asked.isGuessed) return false
  return asked.concepts.length > 0 && !hasMain(asked) ? hasTooFew(asked) : undefined
}

function decidedByWords(asked: Asked): boolean {
  const { plan, vocabulary, best, isLarge, concepts, isGuessed, isSaidFirst } = asked
  const isHad = ([group]: (typeof concepts)[number]): boolean => isAbout(group, asked)
  if (concepts.some((one) => isClearly(one[1], isLarge) && isHad(one))) return false
  if (isLarge && missingShare(asked, plan.strange) >= (isSaidFirst ? MOST_WORDS : MISSING_SHARE)) return true
  if (isGuessed) return false
  const share = Math.max(0, ...best.map(({ terms }) => shareOf(plan, vocabulary, terms)))
  return share < ENOUGH_WORDS && !concepts.some((one) => one[1].isExact && isHad(one))
}

const clearness = ({ certainty, words }: MeantConcept): number => certainty * Math.min(words, 2)

/** How much of the words one of the first results has in its name, its description or types of its resources. */
function shownShare({ plan, vocabulary, best }: Asked): number {
  return Math.max(0, ...best.slice(0, NAMING).map(({ shown }) => shareOf(plan, vocabulary, shown)))
}

/** The share of the query's words that are among these and in no result; words of another language tell nothing. */
function missingShare({ plan, vocabulary, best, isLarge }: Asked, looked: readonly string[]): number {
  if (plan.translations.length > 0) return 0
  const isMissing = ({ term }: PlannedTerm): boolean =>
    looked.includes(term) &&
    (!isLarge || vocabulary.count(term) <= RARE_WORD * vocabulary.texts) &&
    !best.some(({ terms }) => terms.has(term))
  const words = told(plan)
  return words.filter(isMissing).length / Math.max(1, words.length)
}

function told({ terms }: QueryPlan): readonly PlannedTerm[] {
  return terms.filter(({ weight }) => weight >= TOLD)
}

/** Whether the first result says what a sentence speaks for, of which every word is known. */
function saysWhatIsSpokenFor({ spokenFor, coined }: QueryPlan, [first]: readonly FitEvidence[]): boolean {
  return spokenFor !== undefined && coined.length === 0 && (first?.says.has(spokenFor) ?? false)
}

/** Whether a concept is enough to say what is asked for. In a small index an unknown word of the query counts little. */
function isClearly({ certainty, words }: MeantConcept, isLarge: boolean): boolean {
  return certainty * words >= (isLarge ? ENOUGH_CONCEPT : ENOUGH_WITH_FIRST)
}

/** Whether a result is about a concept. In a small index its resources alone do not say so, without a word of the query. */
function isAbout(group: string, { plan, best, isLarge }: Asked): boolean {
  const isShownBy = ({ shown }: FitEvidence): boolean => plan.terms.some(({ term }) => shown.has(term))
  return best.some((one) =>
    isLarge ? one.about.has(group) : one.says.has(group) || (one.about.has(group) && isShownBy(one)),
  )
}

/** Whether a result is about a main concept of the query; a lesser one has to be said by the first result. */
function hasMain(asked: Asked): boolean {
  const { concepts, best } = asked
  const most = Math.max(...concepts.map(([, meant]) => clearness(meant)))
  return concepts.some(([group, meant]) =>
    clearness(meant) > MAIN_SHARE * most ? isAbout(group, asked) : (best[0]?.says.has(group) ?? false),
  )
}

/** Whether no result has enough of the words. Two words may be in one README by chance: they have to be named. */
function hasTooFew(asked: Asked): boolean {
  const { plan, vocabulary, best } = asked
  if (shownShare(asked) >= ENOUGH_SHOWN_IN_SMALL) return false
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

/** Whether a cloud is wanted, and none of the first results is of it. A tool that is named ("from github") is none. */
function lacksCloud({ provider }: QueryPlan, best: readonly FitEvidence[]): boolean {
  return isCloud(provider) && !best.slice(0, NAMING).some(({ isOfProvider }) => isOfProvider)
}

function isCloud(provider: QueryPlan['provider']): boolean {
  return provider?.providers.some((name) => CLOUDS.has(name)) ?? false
}

/**
 * Whether no result of the wanted provider shows any product that is asked for. Inputs and outputs may be for other products
 * ("redshift_subnets" of a network): they count only where a concept of the query is said, and with them the README for a
 * longer query and in a small index, where few texts say nothing of which products are rare.
 */
function lacksProducts({ plan, vocabulary, best, isLarge }: Asked): boolean {
  const { products, concepts, provider, terms } = plan
  const isRare = ([word = '', ...more]: readonly string[]): boolean =>
    !isLarge || more.length > 0 || vocabulary.count(word) <= RARE_PRODUCT * vocabulary.texts
  if (products.length === 0 || !products.every(isRare)) return false
  const isLong = terms.length >= MANY_WORDS
  const isTool = provider !== undefined && !isCloud(provider)
  const naming = best
    .slice(0, NAMING)
    .filter(({ isOfProvider }) => isOfProvider || isTool)
    .map((one) => {
      const isOfKind = [...concepts.keys()].some((group) => one.says.has(group))
      if (!isOfKind) return one.shown
      return isLong || !isLarge ? one.terms : one.named
    })
  const isThere = (product: readonly string[]): boolean =>
    shownAs(product).some((name) => naming.some((found) => found.has(name.join(' '))))
  return !products.some(isThere)
}

/** Whether no result of the wanted provider is about what another one's product is. */
function lacksEquivalent({ provider, concepts }: QueryPlan, best: readonly FitEvidence[]): boolean {
  if (provider?.kind !== 'equivalent' || concepts.size === 0) return false
  return !best.some(({ isOfProvider, about }) => isOfProvider && about.size > 0)
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
