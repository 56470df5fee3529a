import { compoundTerms } from './compound-terms.ts'
import type { MeantConcept } from './concept-phrases.ts'
import { correctedWords, type QueryWord } from './corrected-words.ts'
import type { Glossary } from './glossary.ts'
import { withGuessed } from './guessed-concepts.ts'
import type { Lexicon } from './lexicon.ts'
import { isOrdinary } from './ordinary-words.ts'
import { namesOf, type PlannedName } from './planned-names.ts'
import {
  COMPARING,
  comparingPlaces,
  type ProviderIntent,
  productsIn,
  providerIntent,
  providerPlaces,
} from './provider-intent.ts'
import type { Spelling } from './spelling.ts'
import { stem } from './stemmer.ts'
import { writtenWords } from './tokens.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A stem that is looked up; `source`: the word of the query that it is taken for. */
export interface PlannedTerm {
  readonly term: string
  readonly source: string
  readonly weight: number
}

/** What a query is taken to mean, before any module is looked at. Pure: the same query and index give the same plan. */
export interface QueryPlan {
  /** The query in English, misspelt words corrected: what a model embeds. */
  readonly text: string
  readonly terms: readonly PlannedTerm[]
  /** Names that modules have and the query too. */
  readonly names: readonly PlannedName[]
  /** Concept -> how much it counts (1: as written) and words of its longest phrase. */
  readonly concepts: ReadonlyMap<string, MeantConcept>
  readonly provider?: ProviderIntent
  /** Stems of each product that is asked for by its name. */
  readonly products: readonly (readonly string[])[]
  readonly corrections: readonly { readonly from: string; readonly to: string }[]
  readonly translations: readonly { readonly from: string; readonly to: string }[]
  /** Texts, by number, of which the names of inputs have all words of the query. */
  readonly inputs: readonly number[]
  /** The concept that the words of a whole sentence speak for, and no other one nearly as much. */
  readonly spokenFor?: string
  /** Stems of words that the lexicon does not have, but for those that compare. */
  readonly strange: readonly string[]
  /** Those of `strange` that are not ordinary words of English either: they name something. */
  readonly coined: readonly string[]
}

/** What is known of language and field, loaded once. */
export interface QueryKnowledge {
  readonly lexicon: Lexicon
  readonly glossary: Glossary
  readonly spelling: Spelling
}

/** Longer queries are read so far; the rest says the same again. */
const MAX_WORDS = 64

/** Plans a query: other languages to English, words in use for misspelt ones, concepts, the provider that is wanted. */
export function planQuery(query: string, knowledge: QueryKnowledge, vocabulary: Vocabulary): QueryPlan {
  const { lexicon, glossary } = knowledge
  const plain = query.normalize('NFKC').replace(/\p{C}/gu, ' ')
  const isKnown = (word: string): boolean => lexicon.words.has(word) || vocabulary.count(stem(word)) > 2
  const { text, replaced } = glossary.translate(plain, isKnown)
  const { words: written, joined } = writtenWords(text)
  const { words, corrections } = correctedWords(written.slice(0, MAX_WORDS), knowledge, vocabulary)
  const provider = providerIntent(words.map(({ word }) => word))
  const isCompared = (at: number): boolean => provider?.compared.has(at) ?? false
  const { names, calling } = namesOf(text, words, vocabulary)
  const told = words.filter(({ isStopWord }, at) => !isStopWord && !calling.has(at))
  const used = told.length > 0 ? told : words
  const stems = used.map((word) => word.stem)
  const isExcluded = provider?.kind === 'equivalent' ? new Set<QueryWord>() : excludedWords(words)
  const excluded = new Set(used.flatMap((word, at) => (isExcluded.has(word) ? [at] : [])))
  const weightOf = (word: QueryWord): number => {
    if (isCompared(words.indexOf(word))) return COMPARED_WEIGHT
    if (isExcluded.has(word)) return EXCLUDED_WEIGHT
    return EVERYDAY.has(word.word) ? EVERYDAY_WEIGHT : word.weight
  }
  const comparing = provider?.kind === 'equivalent' ? comparingPlaces(words.map(({ word }) => word)) : NONE
  // A word such as "version" compares, and says no concept.
  const saysNothing = new Set([
    ...excluded,
    ...used.flatMap((word, at) =>
      COMPARING.has(word.word) && comparing.has(words.indexOf(word)) ? [at] : [],
    ),
  ])
  const meant = lexicon.meant({ words: stems, joined }, saysNothing)
  const compounds = names.length > 0 ? [] : compoundTerms(used, meant, vocabulary)
  const terms = termsOf(used, { joined, compounds }, weightOf)
  const wanted = used
    .filter((word, at) => !(excluded.has(at) || comparing.has(words.indexOf(word))))
    .map((word) => word.stem)
  const inputs = new Set(wanted).size < LEAST_TOGETHER ? [] : vocabulary.named(wanted)
  const named = Math.max(
    Math.min(1, inputs.length),
    ...names.map(({ isSure, share }) => (isSure ? 1 : share)),
  )
  const { concepts, spokenFor } = withGuessed(meant, { stems: wanted, named }, lexicon.associations)
  const isStrange = (word: QueryWord): boolean =>
    !(lexicon.words.has(word.word) || isCompared(words.indexOf(word)))
  return {
    text: replaced.length + corrections.length === 0 ? plain : words.map(({ word }) => word).join(' '),
    terms,
    names,
    concepts,
    inputs,
    ...(spokenFor !== undefined && { spokenFor }),
    ...(provider && { provider }),
    products: productsIn(
      words.map(({ word }) => word),
      {
        providers: provider?.providers,
        isLeftOut: (at) =>
          isCompared(at) || isServed(words, at) || (words[at] !== undefined && isExcluded.has(words[at])),
      },
    ).map((product) => product.map(stem)),
    corrections,
    translations: replaced,
    ...strangeWords(used.filter(isStrange)),
  }
}

/** Whether a word only says what something else is for ("private network for jumpcloud"). */
function isServed(words: readonly QueryWord[], at: number): boolean {
  return (
    words[at - 1]?.word === 'for' && words.slice(0, at).filter(({ isStopWord }) => !isStopWord).length > 1
  )
}

function strangeWords(words: readonly QueryWord[]): Pick<QueryPlan, 'strange' | 'coined'> {
  const strange = [...new Set(words.map((word) => word.stem))]
  return { strange, coined: strange.filter((one) => !isOrdinary(one)) }
}

/** Fewer words are among the inputs of many modules by chance. */
const LEAST_TOGETHER = 3
const NONE: ReadonlySet<number> = new Set()

/** In "the X of provider Y" the words of X count little: they are found in modules of the other provider. */
const COMPARED_WEIGHT = 0.25

/** Words of any question say little of what it is about, and READMEs have many of them. */
const EVERYDAY_WEIGHT = 0.4
const EVERYDAY = new Set(
  (
    'about above actually after again all almost also always another around avoid away back become before behind being best ' +
    'better between both bring call called change come complain completely day do done down during each easily easy either else ' +
    'end enough ensure even ever every everyone everything explode few find first fix get getting give given go going good got ' +
    'great had half happen happens hard he her here high how identical if instead just keep keeping kind know last late later least less ' +
    'let like little long longer look lot lots made make makes making many may mean might more most much must need never new ' +
    'next nothing now off often old once one ones only open other others out over own part people pick piece place please ' +
    'possible put quick quickly quite rather ready really right run running same see set several she simple since single small ' +
    'some someone something soon start still stop stuff style such sure take team teams tell ten than thing things ' +
    'think three time times together too try two under until up us usual very wait want wanted way ways week well while ' +
    'whole without work works world year years yet you'
  ).split(' '),
)

/** Words after "without" say what is not wanted; modules that mention them may still say so themselves. */
const EXCLUDED_WEIGHT = 0.2
const EXCLUDING = new Set(['without', 'no', 'not', 'instead', 'ohne', 'sans', 'sin', 'sem'])
/** What is excluded has two words, "public access", and may have one before them: "managing". */
const EXCLUDED_WORDS = 2
const DOING = /...ing$/
/** Words after which a query says something else than what it excludes. */
const TURNING = new Set(
  (
    'on in for with and at but by using via through inside within behind under when where while because ' +
    'auf für mit und aber bei pour avec et chez mais con para y pero com e em'
  ).split(' '),
)

/**
 * The telling words that follow an excluding one, up to a word that turns from them or names a provider. A query that tells
 * nothing else is about them: "no public ip".
 */
function excludedWords(words: readonly QueryWord[]): ReadonlySet<QueryWord> {
  const named = providerPlaces(words.map(({ word }) => word))
  const excluded = new Set<QueryWord>()
  const excluding = new Set<QueryWord>()
  words.forEach((one, at) => {
    if (!EXCLUDING.has(one.word) || (one.word === 'no' && words[at + 1]?.word === 'one')) return
    excluding.add(one)
    for (const after of excludedAfter(words, at, named)) excluded.add(after)
  })
  const isTold = (one: QueryWord, at: number): boolean =>
    !(one.isStopWord || excluding.has(one) || named.has(at) || excluded.has(one))
  return words.some(isTold) ? excluded : new Set()
}

function excludedAfter(
  words: readonly QueryWord[],
  excluding: number,
  named: ReadonlySet<number>,
): readonly QueryWord[] {
  const after: QueryWord[] = []
  const most = (): number => EXCLUDED_WORDS + Number(DOING.test(after[0]?.word ?? ''))
  for (let at = excluding + 1; at < words.length && after.length < most(); at++) {
    const one = words[at]
    if (!one || named.has(at)) break
    if (TURNING.has(one.word)) {
      if (after.length > 0) break
    } else if (!one.isStopWord) after.push(one)
  }
  return after
}

/** A name that words may form beside their own meaning. */
const COMPOUND_WEIGHT = 0.5

interface WrittenAsOne {
  /** Names that the query writes as one. */
  readonly joined: readonly string[]
  readonly compounds: readonly string[]
}

function termsOf(
  used: readonly QueryWord[],
  { joined, compounds }: WrittenAsOne,
  weightOf: (word: QueryWord) => number,
): PlannedTerm[] {
  const terms = new Map<string, PlannedTerm>()
  const add = (term: string, weight: number): void => {
    const known = terms.get(term)
    if (!known || known.weight < weight) terms.set(term, { term, source: term, weight })
  }
  for (const word of used) add(word.stem, weightOf(word))
  for (const one of joined) add(one, 1)
  for (const one of compounds) add(one, COMPOUND_WEIGHT)
  return [...terms.values()]
}
