import { once } from '../../../server/plugin.ts'
import { stem } from './stemmer.ts'
import type { Tokens } from './tokens.ts'
import { wordsAsWritten, writtenWords } from './tokens.ts'

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

/** What was found out of the phrases of the first groups of a lexicon, so that no process has to do it. */
export interface PreparedPhrases {
  /** Every word of the phrases, as written. */
  readonly words: string
  /** A line for each phrase: its stems, and behind a bar the stem of its words as names write them. */
  readonly stems: string
}

const NOT_PREPARED: PreparedPhrases = { words: '', stems: '' }

/** See `PreparedPhrases`. */
export function preparePhrases(groups: readonly ConceptGroup[]): PreparedPhrases {
  const texts = groups.flatMap(textsOf)
  const lines = texts.map((written) => {
    const [phrase, joined] = phrasesOf(written)
    return [phrase, ...(joined ? [joined] : [])].map((one) => one?.stems.join(' ') ?? '').join('|')
  })
  const words = new Set(texts.flatMap(({ text }) => wordsAsWritten(text)))
  return { words: [...words].join(' '), stems: lines.join('\n') }
}

/**
 * A lexicon of these groups; a group named twice joins its phrases. `version` goes into the stores' headers. A phrase that
 * is not `prepared` is compiled when a word like one of its own is met: a query has a few words, a user many phrases.
 */
export function createLexicon(
  groups: readonly ConceptGroup[],
  version: string,
  prepared: PreparedPhrases = NOT_PREPARED,
): Lexicon {
  const texts = once(() => groups.flatMap(textsOf))
  const compiled = once(() => createPhrases(texts(), prepared))
  return {
    version,
    get words() {
      return compiled().words
    },
    match(tokens) {
      const { said } = compiled().all()
      const found = new Map<string, number>()
      for (const [{ group, words }] of phrasesIn(tokens, said, NONE)) {
        found.set(group, Math.max(found.get(group) ?? 0, words))
      }
      return found
    },
    meant: (tokens, excluded) =>
      meantConcepts(tokens, excluded, compiled().like([...tokens.words, ...tokens.joined])),
  }
}

/** One phrase of a group as it is written. */
interface WrittenPhrase {
  readonly group: string
  readonly text: string
  readonly isSaid: boolean
}

function textsOf({ id, phrases, asks = [] }: ConceptGroup): WrittenPhrase[] {
  return [
    ...phrases.map((text) => ({ group: id, text, isSaid: true })),
    ...asks.map((text) => ({ group: id, text, isSaid: false })),
  ]
}

/** Compiled phrases: those that texts say by their first word, those that queries say, and those by each of their words. */
interface Phrases {
  readonly said: Map<string, ConceptPhrase[]>
  readonly asked: Map<string, ConceptPhrase[]>
  readonly near: Map<string, ConceptPhrase[]>
}

/** Compiles phrases by how their words begin, each list in the order of `texts`; the first of them are prepared. */
function createPhrases(texts: readonly WrittenPhrase[], prepared: PreparedPhrases) {
  const words = new Set<string>(prepared.words === '' ? [] : prepared.words.split(' '))
  const lines = prepared.stems === '' ? [] : prepared.stems.split('\n')
  const begins = remember(beginningOf)
  const byBeginning = new Map<string, WrittenPhrase[]>()
  const note = (beginning: string, written: WrittenPhrase): void => {
    if (byBeginning.get(beginning)?.at(-1) !== written) push(byBeginning, beginning, written)
  }
  for (const written of texts.slice(lines.length)) {
    const parts = wordsAsWritten(written.text)
    for (const part of parts) {
      words.add(part)
      note(begins(part), written)
    }
    if (parts.length > 1) note(beginningOf(parts.join('')), written)
  }
  const phrases: Phrases = { said: new Map(), asked: new Map(), near: new Map() }
  for (const [at, line] of lines.entries()) addPrepared(phrases, line, texts[at])
  const compiledOf = remember((written: WrittenPhrase) => phrasesOf(written))
  const compile = remember((beginning: string) => {
    for (const written of byBeginning.get(beginning) ?? [])
      for (const phrase of compiledOf(written)) addPhrase(phrases, phrase, { beginning, ...written })
  })
  return {
    words,
    /** The phrases that have one of these stems, and others. */
    like(stems: readonly string[]): Phrases {
      for (const stem of stems) compile(beginningOf(stem))
      return phrases
    },
    all(): Phrases {
      for (const beginning of byBeginning.keys()) compile(beginning)
      return phrases
    },
  }
}

/** Adds a phrase of which the stems are known. */
function addPrepared({ said, asked, near }: Phrases, line: string, written: WrittenPhrase | undefined): void {
  if (line === '' || written === undefined) return
  const stems = line.split('|').map((one) => one.split(' '))
  for (const phrase of phrasesOfStems(written, stems)) {
    const [first = ''] = phrase.stems
    if (written.isSaid) push(said, first, phrase)
    push(asked, first, phrase)
    if (phrase.stems.length > 1) for (const stem of phrase.stems) push(near, stem, phrase)
  }
}

/** Adds a phrase where its words begin so; where they begin otherwise, it is added with others that do. */
function addPhrase(
  { said, asked, near }: Phrases,
  phrase: ConceptPhrase,
  { beginning, isSaid }: { readonly beginning: string; readonly isSaid: boolean },
): void {
  const [first = '', ...others] = phrase.stems
  if (beginningOf(first) === beginning) {
    if (isSaid) push(said, first, phrase)
    push(asked, first, phrase)
  }
  if (others.length === 0) return
  for (const stem of phrase.stems) if (beginningOf(stem) === beginning) push(near, stem, phrase)
}

function remember<K, V>(make: (key: K) => V): (key: K) => V {
  const made = new Map<K, V>()
  return (key) => {
    if (!made.has(key)) made.set(key, make(key))
    return made.get(key) as V // it was just put there
  }
}

/** Longer words and their stems begin with the same two letters, but for a `y` that becomes `i`. */
const SHORT_WORD = 4

/** How the stem of a word begins; the same for the word and for its stem. */
export function beginningOf(word: string): string {
  const begins = word.length <= SHORT_WORD ? stem(word) : word
  return begins.charAt(0) + begins.charAt(1).replace('y', 'i')
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
  for (let at = 0; at < words.length; at++) {
    for (const phrase of byFirst.get(words[at] ?? '') ?? NO_PHRASES) {
      const isMeant = phrase.excludes || !excluded.has(at)
      if (isMeant && followsAt(phrase.stems, words, at)) found.push([phrase, at])
    }
  }
  return found.concat(joined.flatMap((word) => singlePhrases(byFirst.get(word) ?? NO_PHRASES)))
}

function singlePhrases(phrases: readonly ConceptPhrase[]): readonly PlacedPhrase[] {
  return phrases.flatMap((phrase): PlacedPhrase[] => (phrase.stems.length === 1 ? [[phrase, -1]] : []))
}

/** Most words begin none: a list for each of them would be much garbage in a long text. */
const NO_PHRASES: readonly ConceptPhrase[] = []

function followsAt(stems: readonly string[], words: readonly string[], at: number): boolean {
  for (let offset = 0; offset < stems.length; offset++) if (words[at + offset] !== stems[offset]) return false
  return true
}

function push<T>(map: Map<string, T[]>, key: string, phrase: T): void {
  const list = map.get(key)
  if (list) list.push(phrase)
  else map.set(key, [phrase])
}

/** A phrase word by word without stop words, as texts are, and as names write it; none for one of stop words only. */
function phrasesOf({ group, text, isSaid }: WrittenPhrase): ConceptPhrase[] {
  const telling = writtenWords(text).words.filter(({ isStopWord }) => !isStopWord)
  if (telling.length === 0) return []
  const stems = telling.map((word) => word.stem)
  const joined = joinedStem(text)
  return phrasesOfStems({ group, text, isSaid }, joined === undefined ? [stems] : [stems, [joined]])
}

/** A phrase of its stems, and one as names write it. */
function phrasesOfStems(
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
