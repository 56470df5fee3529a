import { atOnce, type Pieces } from '../../../server/plugin.ts'
import { stem } from './stemmer.ts'
import type { Tokens } from './tokens.ts'
import { tokenize, writtenWords } from './tokens.ts'

/** Phrases that mean (about) the same. `id` is a stable slug: its hash is a feature of stored vectors. */
export interface ConceptGroup {
  readonly id: string
  /** What a module's text says, and a query too. */
  readonly phrases: readonly string[]
  /** What only a query says: outcomes, complaints, everyday words. In a README they would mean little. */
  readonly asks?: readonly string[]
}

/** One phrase as stems. */
interface ConceptPhrase {
  readonly group: string
  readonly stems: readonly string[]
  /** Words of the phrase, also where a name writes them as one. */
  readonly words: number
  /** One everyday word that only queries say for it ("server", "data"). */
  readonly isVague: boolean
  /** Says what is not wanted ("without servers"), so it matches words that a query excludes. */
  readonly excludes: boolean
}

/** A concept that a query means: how far its words are from a phrase (1: as written), and how many they are. */
export interface MeantConcept {
  readonly weight: number
  /** Its words follow one another as in a phrase. */
  readonly isExact: boolean
  readonly words: number
}

/** A lexicon ready to match. Immutable. */
export interface Lexicon {
  /** Version of the built-in data and a digest of the user's own, as written in the headers of stores. */
  readonly version: string
  /** Group -> words of its longest phrase in these tokens of a module. */
  match(tokens: Tokens): ReadonlyMap<string, number>
  /** The concepts of a query, whose words may be near each other in any order; `excluded`: places after "without". */
  meant(tokens: Tokens, excluded: ReadonlySet<number>): ReadonlyMap<string, MeantConcept>
  /** Every word of its phrases, as written. */
  readonly words: ReadonlySet<string>
}

/** Beside a clear concept an everyday word says little: the "server" of "jump server" and of "who deleted a server". */
const VAGUE_WEIGHT = 0.4
/** Words of a phrase in another order, or with others in between, count so much less. */
const NEAR_WEIGHT = 0.6
/** The words of such a phrase are within so many words of a query. */
const NEAR_WORDS = 5

const EXCLUDING = /\b(?:without|no|not|never|off|out of|avoid)\b/

/** Compiles groups; a group named twice joins its phrases. `version` goes into the stores' headers. */
export function createLexicon(groups: readonly ConceptGroup[], version: string): Lexicon {
  return atOnce(creatingLexicon(groups, version))
}

/** `createLexicon` in pieces: a first search of a server makes the built-in concepts, some ten thousand words. */
export function* creatingLexicon(groups: readonly ConceptGroup[], version: string): Pieces<Lexicon> {
  const said = new Map<string, ConceptPhrase[]>()
  const asked = new Map<string, ConceptPhrase[]>()
  const near = new Map<string, ConceptPhrase[]>()
  const words = new Set<string>()
  const add = (group: string, text: string, isSaid: boolean): void => {
    for (const phrase of phrasesOf(group, text, isSaid)) {
      const [first = '', ...others] = phrase.stems
      if (isSaid) push(said, first, phrase)
      push(asked, first, phrase)
      for (const stem of others.length > 0 ? phrase.stems : []) push(near, stem, phrase)
    }
    for (const { word } of writtenWords(text).words) words.add(word)
  }
  for (const { id, phrases, asks = [] } of groups) {
    for (const text of phrases) add(id, text, true)
    for (const text of asks) add(id, text, false)
    yield
  }
  return {
    version,
    words,
    match(tokens) {
      const found = new Map<string, number>()
      for (const [{ group, words }] of phrasesIn(tokens, said, NONE)) {
        found.set(group, Math.max(found.get(group) ?? 0, words))
      }
      return found
    },
    meant: (tokens, excluded) => meantConcepts(tokens, excluded, { asked, near }),
  }
}

const NONE: ReadonlySet<number> = new Set()

type ByWord = ReadonlyMap<string, readonly ConceptPhrase[]>

function meantConcepts(
  tokens: Tokens,
  excluded: ReadonlySet<number>,
  { asked, near }: { readonly asked: ByWord; readonly near: ByWord },
): Map<string, MeantConcept> {
  const found = new Map<string, MeantConcept>()
  const note = ({ group, words }: ConceptPhrase, weight: number, isExact: boolean): void => {
    const known = found.get(group)
    if (known && (known.weight > weight || known.words >= words)) return
    found.set(group, { weight, words, isExact })
  }
  const exact = [...phrasesIn(tokens, asked, excluded)]
  const long = exact.filter(([{ stems }]) => stems.length > 1)
  const covered = new Set(long.flatMap(([{ stems }, at]) => stems.map((_, offset) => at + offset)))
  for (const [phrase] of long) note(phrase, 1, true)
  for (const phrase of nearPhrases(tokens.words, near, excluded)) note(phrase, NEAR_WEIGHT, false)
  const isClear = found.size > 0 || exact.some(([{ isVague }]) => !isVague)
  // The "data" of "data warehouse" says nothing of its own.
  for (const [phrase, at] of exact) {
    if (phrase.stems.length !== 1 || covered.has(at)) continue
    note(phrase, isClear && phrase.isVague ? VAGUE_WEIGHT : 1, true)
  }
  return found
}

/** Phrases whose words are all near each other; an excluded word belongs only to a phrase that excludes. */
function nearPhrases(words: readonly string[], near: ByWord, excluded: ReadonlySet<number>): ConceptPhrase[] {
  return words.flatMap((word, at) => {
    const around = words.slice(at, at + NEAR_WORDS)
    const wanted = around.filter((_, offset) => !excluded.has(at + offset))
    return (near.get(word) ?? []).filter(({ stems, excludes }) =>
      stems.every((stem) => (excludes ? around : wanted).includes(stem)),
    )
  })
}

type PlacedPhrase = readonly [phrase: ConceptPhrase, at: number]

/** Phrases whose words follow one another and where they start; -1 for words that an identifier joins. */
function phrasesIn(
  { words, joined }: Tokens,
  byFirst: ByWord,
  excluded: ReadonlySet<number>,
): readonly PlacedPhrase[] {
  const found: PlacedPhrase[] = []
  for (const [at, word] of words.entries()) {
    for (const phrase of byFirst.get(word) ?? []) {
      const isMeant = phrase.excludes || !excluded.has(at)
      if (isMeant && followsAt(phrase.stems, words, at)) found.push([phrase, at])
    }
  }
  const single = joined.flatMap((word) => (byFirst.get(word) ?? []).filter(({ stems }) => stems.length === 1))
  return [...found, ...single.map((phrase): PlacedPhrase => [phrase, -1])]
}

function followsAt(stems: readonly string[], words: readonly string[], at: number): boolean {
  return stems.every((stem, offset) => words[at + offset] === stem)
}

function push(map: Map<string, ConceptPhrase[]>, key: string, phrase: ConceptPhrase): void {
  const list = map.get(key)
  if (list) list.push(phrase)
  else map.set(key, [phrase])
}

/** A phrase word by word, and as names write it; none for one of stop words only. */
function phrasesOf(group: string, text: string, isSaid: boolean): ConceptPhrase[] {
  const stems = phraseStems(text)
  if (stems.length === 0) return []
  const isVague = !isSaid && stems.length === 1
  const phrase = { group, stems, words: stems.length, isVague, excludes: EXCLUDING.test(text) }
  const joined = joinedStem(text)
  return joined === undefined ? [phrase] : [phrase, { ...phrase, stems: [joined] }]
}

/** The stems of a phrase, in order; stop words in it are dropped as they are in texts. */
function phraseStems(text: string): readonly string[] {
  return tokenize(text).words
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
