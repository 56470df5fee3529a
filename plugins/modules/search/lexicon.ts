import { addTo, once } from '../../../server/plugin.ts'
import {
  type ConceptGroup,
  type ConceptPhrase,
  type MeantConcept,
  noPhrases,
  type Phrases,
  phrasesOf,
  textsOf,
  type WrittenPhrase,
} from './concept-phrases.ts'
import { type Associations, associationsOf } from './guessed-concepts.ts'
import { addPhrase, NOT_PREPARED, type PreparedPhrases, readyPhrases } from './prepared-phrases.ts'
import { stem } from './stemmer.ts'
import { type Tokens, wordsAsWritten } from './tokens.ts'

/** A lexicon ready to match. Immutable. */
export interface Lexicon {
  /** Version of the built-in data and a digest of the user's own, as written in the headers of stores. */
  readonly version: string
  /** Group -> words of its longest phrase in these tokens of a module. */
  match(tokens: Tokens): ReadonlyMap<string, number>
  /** The concepts of a query, whose words may be near each other in any order; `excluded`: places after "without". */
  meant(tokens: Tokens, excluded: ReadonlySet<number>): ReadonlyMap<string, MeantConcept>
  /** What words say that are in none of its phrases. */
  readonly associations: Associations
  /** Every word of its phrases, as written. */
  readonly words: ReadonlySet<string>
}

/** Beside a clear concept an everyday word says little: the "server" of "jump server" and of "who deleted a server". */
const VAGUE_WEIGHT = 0.4
/** Words of a phrase in another order, or with others in between, count so much less. */
const NEAR_WEIGHT = 0.6
/** The words of such a phrase are within so many words of a query. */
const NEAR_WORDS = 5

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
    associations: associationsOf(prepared.associations),
    get words() {
      return compiled().words
    },
    match(tokens) {
      const { said } = compiled().all()
      const found = new Map<string, number>()
      visitPhrases(tokens, { byFirst: said, excluded: NONE }, ({ group, words }) => {
        if (words > (found.get(group) ?? 0)) found.set(group, words)
      })
      return found
    },
    meant: (tokens, excluded) =>
      meantConcepts(tokens, excluded, compiled().like([...tokens.words, ...tokens.joined])),
  }
}

/** Compiles phrases that are not prepared by how their words begin, each list in the order of `texts`. */
function createPhrases(texts: readonly WrittenPhrase[], prepared: PreparedPhrases) {
  const words = new Set<string>(prepared.words === '' ? [] : prepared.words.split(' '))
  const ready = readyPhrases(texts, prepared.stems)
  const begins = remember(beginningOf)
  const byBeginning = new Map<string, WrittenPhrase[]>()
  const note = (beginning: string, written: WrittenPhrase): void => {
    if (byBeginning.get(beginning)?.at(-1) !== written) addTo(byBeginning, beginning, written)
  }
  for (const written of texts.slice(ready.count)) {
    const parts = wordsAsWritten(written.text)
    for (const part of parts) {
      words.add(part)
      note(begins(part), written)
    }
    if (parts.length > 1) note(beginningOf(parts.join('')), written)
  }
  const phrases = noPhrases()
  const compiledOf = remember((written: WrittenPhrase) =>
    phrasesOf(written).map((phrase) => ({ ...phrase, isSaid: written.isSaid })),
  )
  const compile = remember((beginning: string) => {
    // Where its words begin otherwise, a phrase is added with others that do.
    const isWanted = (stem: string): boolean => beginningOf(stem) === beginning
    for (const written of byBeginning.get(beginning) ?? [])
      for (const phrase of compiledOf(written)) addPhrase(phrases, phrase, isWanted)
  })
  return {
    words,
    /** The phrases that have one of these stems, and others. */
    like(stems: readonly string[]) {
      for (const stem of stems) compile(beginningOf(stem))
      return bothOf(ready.like(stems), phrases)
    },
    all() {
      for (const beginning of byBeginning.keys()) compile(beginning)
      return bothOf(ready.all(), phrases)
    },
  }
}

/** Lists of phrases by word. */
interface ByWord {
  get(word: string): readonly ConceptPhrase[] | undefined
}

function bothOf(first: Phrases, then: Phrases) {
  const joined = (key: keyof Phrases): ByWord => {
    const [some, more] = [first[key], then[key]]
    if (more.size === 0) return some
    return { get: (word) => [...(some.get(word) ?? NO_PHRASES), ...(more.get(word) ?? NO_PHRASES)] }
  }
  return { said: joined('said'), asked: joined('asked'), near: joined('near') }
}

/** Most words begin none: a list for each of them would be much garbage in a long text. */
const NO_PHRASES: readonly ConceptPhrase[] = []

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

function meantConcepts(
  tokens: Tokens,
  excluded: ReadonlySet<number>,
  { asked, near }: { readonly asked: ByWord; readonly near: ByWord },
): Map<string, MeantConcept> {
  const found = new Map<string, MeantConcept>()
  const note = ({ group, words, isVague, stems }: ConceptPhrase, weight: number, isExact: boolean): void => {
    const known = found.get(group)
    if (known && (known.weight > weight || known.words >= words)) return
    found.set(group, { weight, words, isExact, isVague, certainty: weight, stems })
  }
  const exact: (readonly [phrase: ConceptPhrase, at: number])[] = []
  visitPhrases(tokens, { byFirst: asked, excluded }, (phrase, at) => exact.push([phrase, at]))
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

interface LikelyPhrases {
  readonly byFirst: ByWord
  readonly excluded: ReadonlySet<number>
}

/**
 * Visits phrases whose words follow one another, with the place where they start, then those that an identifier joins, with
 * -1. Makes no list of them: an ingest looks for phrases at each word of every text.
 */
function visitPhrases(
  { words, joined }: Tokens,
  { byFirst, excluded }: LikelyPhrases,
  visit: (phrase: ConceptPhrase, at: number) => void,
): void {
  for (let at = 0; at < words.length; at++) {
    for (const phrase of byFirst.get(words[at] ?? '') ?? NO_PHRASES) {
      const isMeant = phrase.excludes || !excluded.has(at)
      if (isMeant && followsAt(phrase.stems, words, at)) visit(phrase, at)
    }
  }
  for (const word of joined) visitSingle(byFirst.get(word) ?? NO_PHRASES, visit)
}

function visitSingle(
  phrases: readonly ConceptPhrase[],
  visit: (phrase: ConceptPhrase, at: number) => void,
): void {
  for (const phrase of phrases) if (phrase.stems.length === 1) visit(phrase, -1)
}

function followsAt(stems: readonly string[], words: readonly string[], at: number): boolean {
  for (let offset = 0; offset < stems.length; offset++) if (words[at + offset] !== stems[offset]) return false
  return true
}
