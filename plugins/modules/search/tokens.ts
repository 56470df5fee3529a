import { keepRecent, withoutComments } from '../../../server/plugin.ts'
import { stem } from './stemmer.ts'

/**
 * Raise it when tokens change, or what built-in vectors are made of them: stored vectors and keyword indexes of another
 * version are refused or rebuilt.
 */
export const TOKENIZER_VERSION = 2

/** Most words taken from one field; the rest of an oversized text is ignored (search, section 10). */
const MAX_WORDS = 20_000
const MAX_WORD_CHARS = 40
/** Types of resources are longer than any word: `azurerm_subnet_network_security_group_association`. */
const MAX_NAME_CHARS = 100
const MAX_NUMBER_DIGITS = 4

const STOP_WORDS = new Set(
  (
    'a an and any are as at be been but by can could do does for from had has have how i if in into is it its me my of on or ' +
    'our should so some such than that the their them then there these they this those to us via was we were what when ' +
    'where which who whose why will with would you your ' +
    'terraform module modules resource resources create creates created creating use uses used using want wants need needs'
  ).split(' '),
)

/** Runs of letters and digits, with `_ - . /` inside of names. */
const RUNS = /[\p{L}\p{N}]+(?:[_\-./][\p{L}\p{N}]+)*/gu

/** A text as terms: `words` in order, and the identifiers that were split, `joined` again (`nat_gateway` -> `natgatewai`). */
export interface Tokens {
  readonly words: readonly string[]
  readonly joined: readonly string[]
}

/**
 * Splits a text into stems: runs of letters and digits, cut at `_ - . /` and at camelCase; digits stay attached (`s3`).
 * Stop words, very long words and long numbers are dropped; `keepStopWords` keeps the first.
 */
export function tokenize(text: string, keepStopWords = false): Tokens {
  const words: string[] = []
  const joined: string[] = []
  for (const run of text.match(RUNS) ?? []) {
    const tokens = keepStopWords ? tokensOf(run, true) : rememberedTokens(run)
    for (const word of tokens.words) words.push(word)
    for (const word of tokens.joined) joined.push(word)
    if (words.length >= MAX_WORDS) break
  }
  return { words, joined }
}

/** The tokens of runs without stop words: texts say the same words again and again. */
const runs = new Map<string, Tokens>()
const MAX_RUNS = 20_000

function rememberedTokens(run: string): Tokens {
  const known = runs.get(run)
  if (known) return known
  if (run.length > MAX_WORD_CHARS) return tokensOf(run, false)
  if (runs.size >= MAX_RUNS) runs.clear()
  const copy = Buffer.from(run).toString() // a part of a text would keep all of it in memory
  const tokens = tokensOf(copy, false)
  runs.set(copy, tokens)
  return tokens
}

function tokensOf(run: string, keepStopWords: boolean): Tokens {
  const parts = partsOf(run)
  const joined: string[] = []
  if (parts.length > 1) addJoined(joined, parts)
  return { words: parts.filter((part) => isKept(part, keepStopWords)).map(stemOf), joined }
}

/** One word of a query as it was written, lower case, and its stem. */
export interface WrittenWord {
  readonly word: string
  readonly stem: string
  readonly isStopWord: boolean
}

/** The words of a query in order, stop words included; `joined` as in `tokenize`. */
export function writtenWords(text: string): { words: WrittenWord[]; joined: string[] } {
  if (PLAIN.test(text)) return { words: plainWords(text), joined: [] }
  const words: WrittenWord[] = []
  const joined: string[] = []
  for (const run of text.match(RUNS) ?? []) {
    const parts = partsOf(run)
    for (const word of parts) {
      if (isKept(word, true)) words.push({ word, stem: stemOf(word), isStopWord: STOP_WORDS.has(word) })
    }
    if (parts.length > 1) addJoined(joined, parts)
    if (words.length >= MAX_WORDS) break
  }
  return { words, joined }
}

/** Words that need no cutting, which the thousands of phrases of the lexicon are. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/

function plainWords(text: string): WrittenWord[] {
  const kept = text.split(' ').filter((word) => isKept(word, true))
  return kept
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, stem: stemOf(word), isStopWord: STOP_WORDS.has(word) }))
}

/** The words of `writtenWords` without their stems, which cost most of it. */
export function wordsAsWritten(text: string): string[] {
  if (text.length <= MAX_WORD_CHARS && PLAIN.test(text) && !/\d{5}/.test(text)) return text.split(' ')
  return writtenWords(text).words.map(({ word }) => word)
}

const MAX_NAMES = 20_000
const names = keepRecent<string, Tokens>(MAX_NAMES)

/** The tokens of a name of a module or of a part of one: every search asks for those of hundreds. */
export function nameTokens(name: string): Tokens {
  return name.length > MAX_NAME_CHARS ? tokenize(name) : names.get(name, () => tokenize(name))
}

/** A query's tokens; one of stop words only is used as it is. */
export function queryTokens(query: string): Tokens {
  const tokens = tokenize(query)
  return tokens.words.length > 0 ? tokens : tokenize(query, true)
}

/** README text without HTML comments and tags, images (badges) and addresses; the texts of links stay. Linear. */
export function readmeProse(text: string): string {
  return withoutTags(withoutComments(text, ' '))
    .replace(/!\[[^\][]{0,300}\](?:\([^()\s]{0,2000}\)|\[[^\][]{0,300}\])?/g, ' ')
    .replace(/\]\([^()\s]{0,2000}\)/g, '] ')
    .replace(/\bhttps?:\/\/[^\s<>"')\]]{1,2000}/g, ' ')
}

function withoutTags(text: string): string {
  return text.replace(/<\/?[a-zA-Z][^<>]{0,1000}>/g, ' ')
}

function partsOf(run: string): string[] {
  return run
    .split(/[_\-./]/)
    .flatMap((part) => part.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/))
    .map((part) => part.toLowerCase())
}

function addJoined(joined: string[], parts: readonly string[]): void {
  const whole = parts.join('')
  if (whole.length <= MAX_NAME_CHARS && !/^\d+$/.test(whole)) joined.push(stemOf(whole))
}

function isKept(word: string, keepStopWords: boolean): boolean {
  if (word.length === 0 || word.length > MAX_WORD_CHARS) return false
  if (/^\d+$/.test(word) && word.length > MAX_NUMBER_DIGITS) return false
  return keepStopWords || !STOP_WORDS.has(word)
}

const stems = new Map<string, string>()
const MAX_REMEMBERED = 50_000

function stemOf(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size >= MAX_REMEMBERED) stems.clear()
  const found = stem(word)
  stems.set(word, found)
  return found
}
