import { stem } from './stemmer.ts'
import { writtenWords } from './tokens.ts'

/** Phrases that mean (about) the same. `id` is a stable slug: its hash is a feature of stored vectors. */
export interface ConceptGroup {
  readonly id: string
  /** What a module's text says, and a query too. */
  readonly phrases: readonly string[]
  /** What only a query says: outcomes, complaints, everyday words. In a README they would mean little. */
  readonly asks?: readonly string[]
}

/** One phrase as stems. */
export interface ConceptPhrase {
  readonly group: string
  readonly stems: readonly string[]
  /** Words of the phrase, also where a name writes them as one. */
  readonly words: number
  /** One everyday word that only queries say for it ("server", "data"). */
  readonly isVague: boolean
  /** Says what is not wanted ("without servers"), so it matches words that a query excludes. */
  readonly excludes: boolean
}

const EXCLUDING = /\b(?:without|no|not|never|off|out of|avoid)\b/

/** One phrase of a group as it is written. */
export interface WrittenPhrase {
  readonly group: string
  readonly text: string
  readonly isSaid: boolean
}

export function textsOf({ id, phrases, asks = [] }: ConceptGroup): WrittenPhrase[] {
  return [
    ...phrases.map((text) => ({ group: id, text, isSaid: true })),
    ...asks.map((text) => ({ group: id, text, isSaid: false })),
  ]
}

/** A phrase word by word without stop words, as texts are, and as names write it; none for one of stop words only. */
export function phrasesOf({ group, text, isSaid }: WrittenPhrase): ConceptPhrase[] {
  const telling = writtenWords(text).words.filter(({ isStopWord }) => !isStopWord)
  if (telling.length === 0) return []
  const stems = telling.map((word) => word.stem)
  const joined = joinedStem(text)
  return phrasesOfStems({ group, text, isSaid }, joined === undefined ? [stems] : [stems, [joined]])
}

/** A phrase of its stems, and one as names write it. */
export function phrasesOfStems(
  { group, text, isSaid }: WrittenPhrase,
  [stems = [], ...joined]: readonly (readonly string[])[],
): ConceptPhrase[] {
  const isVague = !isSaid && stems.length === 1
  const phrase = { group, stems, words: stems.length, isVague, excludes: EXCLUDING.test(text) }
  return [phrase, ...joined.map((one) => ({ ...phrase, stems: one }))]
}

/** Shorter ones are words of their own. */
const SHORTEST_JOINED = 8

/** A phrase of several words as names write it (`virtualnetwork`): one stem. */
function joinedStem(text: string): string | undefined {
  const words = text.split(/[ -]+/)
  const joined = words.join('')
  if (words.length < 2 || words.length > 3 || joined.length < SHORTEST_JOINED) return undefined
  return /^[a-z]+$/.test(joined) ? stem(joined) : undefined
}

/** A concept that a query means: how far its words are from a phrase (1: as written), and how many they are. */
export interface MeantConcept {
  readonly weight: number
  /** Its words follow one another as in a phrase. */
  readonly isExact: boolean
  readonly words: number
  /** One everyday word says it. */
  readonly isVague: boolean
  /** As `weight`, without what is guessed. */
  readonly certainty: number
  /** Of the phrase that says it. */
  readonly stems: readonly string[]
}

/** Compiled phrases: those that texts say by their first word, those that queries say, and those by each of their words. */
export interface Phrases {
  readonly said: Map<string, ConceptPhrase[]>
  readonly asked: Map<string, ConceptPhrase[]>
  readonly near: Map<string, ConceptPhrase[]>
}

export const noPhrases = (): Phrases => ({ said: new Map(), asked: new Map(), near: new Map() })
