import { SECRET_FORMATS, type SecretFormat } from '../../../generated/secret-formats.ts'
import { once } from '../../../server/plugin.ts'
import { TOKEN_FORMATS } from './token-formats.ts'

/** A token of a known kind in a text. */
export interface KnownSecret {
  readonly rule: string
  readonly start: number
  readonly end: number
}

/** Finds every token of a known kind in one text. */
export interface KindScan {
  /** In no order. */
  readonly found: readonly KnownSecret[]
  /** Looks around a word at its place. */
  visit(word: KindWord, at: number): void
}

interface Kind {
  readonly id: number
  readonly name: string
  readonly source: string
  /** Compiled when its word is first met: a record speaks of few of them. */
  readonly pattern: () => RegExp
}

/** Kinds that are looked for at the same places, one pattern that matches any of them there, and one that finds the next. */
interface Group {
  readonly id: number
  readonly kinds: Kind[]
  /** Sticky. */
  readonly any: () => RegExp
  readonly next: () => RegExp
}

/** What is known by a word: values that are assigned to it, tokens that begin with it, and tokens that only hold it. */
export interface KindWord {
  readonly word: string
  readonly assigned: Group
  readonly begun: Group
  readonly around: Kind[]
}

/** From a name to its value: the rest of the name, an assignment, quotes. Never the end of a line. */
const ASSIGNED = /[ \t\w.-]{0,20}[ \t'"`]{0,3}(?:=>|\?=|:{1,3}=|\|\||=|>|:|,)[ \t'"`=]{0,5}/y
/** How far before its word the token of a kind may begin. */
const LEAD_CHARS = 80
const MIN_ENTROPY = 3
/** From so many words without a token on, one search from match to match costs less than a look at each word. */
const MISSES_MAX = 10_000

let ids = 0
/** The words of all kinds. Made when a text is first searched, not when a process starts. */
export const kindWords = once((): ReadonlyMap<string, KindWord> => {
  const words = new Map<string, KindWord>()
  for (const format of [...SECRET_FORMATS, ...TOKEN_FORMATS]) addFormat(words, format)
  done = new Float64Array(ids)
  nextBegun = new Float64Array(ids)
  return words
})

function addFormat(known: Map<string, KindWord>, [name, words, form, named]: SecretFormat): void {
  for (const word of words) {
    const entry = known.get(word) ?? newWord(word)
    known.set(word, entry)
    const begins = plainStart(form).startsWith(word)
    const source = `${form}(?![A-Za-z0-9])`
    const kind = { id: ids++, name, source, pattern: once(() => new RegExp(source, 'iy')) }
    if (named === 1) entry.assigned.kinds.push(kind)
    else if (begins) entry.begun.kinds.push(kind)
    else entry.around.push(kind)
  }
}

function newWord(word: string): KindWord {
  return { word, assigned: emptyGroup(), begun: emptyGroup(), around: [] }
}

function emptyGroup(): Group {
  const kinds: Kind[] = []
  const pattern = (flags: string) => new RegExp(`(?:${kinds.map(({ source }) => source).join('|')})`, flags)
  return { id: ids++, kinds, any: once(() => pattern('iy')), next: once(() => pattern('ig')) }
}

/** The letters with which every match of a form begins, in lower case. */
function plainStart(form: string): string {
  const [start = ''] = /^[^[(\\|]*(?:\\[.-][^[(\\|]*)*/.exec(form.replace(/^\((?:\?:)?/, '')) ?? []
  return start.replaceAll('\\', '').toLowerCase()
}

/**
 * Up to where a kind, or a group, has looked, and where the next token of a group begins, by its id. Offsets count on
 * from text to text, so that nothing must be cleared for the next one.
 */
let done = new Float64Array()
let nextBegun = new Float64Array()
let textsEnd = 1

/** Looks around the `kindWords` of one text, which come in order. What a kind has looked at it does not look at again. */
export function createKindScan(text: string): KindScan {
  const found: KnownSecret[] = []
  const first = textsEnd
  textsEnd += text.length + 1
  const misses = new Map<number, number>()
  const take = (kind: Kind, match: RegExpExecArray | null, isNamed: boolean): void => {
    if (!match) return
    const secret = match[1] ?? match[0]
    const start = match.index + match[0].lastIndexOf(secret)
    if (isLikely(secret, isNamed)) found.push({ rule: kind.name, start, end: start + secret.length })
  }
  const matchAt = (kind: Kind, at: number, isNamed: boolean): void => {
    if (first + at < (done[kind.id] ?? 0)) return
    const pattern = kind.pattern()
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) done[kind.id] = first + at + match[0].length
    take(kind, match, isNamed)
  }
  /** Asks at the word; after many words without a token one search tells where the next one begins. */
  const begins = ({ id, any, next }: Group, at: number): boolean => {
    const known = (nextBegun[id] ?? 0) - first
    if (known >= at) return known === at
    const missed = misses.get(id) ?? 0
    if (missed > MISSES_MAX) {
      const pattern = next()
      pattern.lastIndex = at
      const found = pattern.exec(text)?.index ?? text.length
      nextBegun[id] = first + found
      return found === at
    }
    const pattern = any()
    pattern.lastIndex = at
    if (pattern.test(text)) return true
    misses.set(id, missed + 1)
    return false
  }
  const matchBegun = (group: Group, at: number): void => {
    if (group.kinds.length === 0 || !begins(group, at) || isWordUnit(text.charCodeAt(at - 1))) return
    for (const kind of group.kinds) matchAt(kind, at, false)
  }
  const searchAround = (kind: Kind, at: number): void => {
    const from = Math.max(0, at - LEAD_CHARS, (done[kind.id] ?? 0) - first)
    done[kind.id] = first + at + 1
    const pattern = kind.pattern()
    for (let start = from; start <= at; start++) {
      // A token that begins with its word does not begin in another word, such as Base64.
      if (start === at && isWordUnit(text.charCodeAt(at - 1))) return
      pattern.lastIndex = start
      const match = pattern.exec(text)
      if (!match) continue
      done[kind.id] = first + start + match[0].length
      take(kind, match, false)
      return
    }
  }
  return {
    found,
    visit({ word, assigned, begun, around }: KindWord, at: number): void {
      matchBegun(begun, at)
      for (const kind of around) searchAround(kind, at)
      if (assigned.kinds.length === 0) return
      ASSIGNED.lastIndex = at + word.length
      if (!ASSIGNED.test(text)) return
      const valueAt = ASSIGNED.lastIndex
      const any = assigned.any()
      any.lastIndex = valueAt
      if (!any.test(text)) return
      for (const kind of assigned.kinds) matchAt(kind, valueAt, true)
    },
  }
}

/** A letter or a digit; NaN before the text is none. */
function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}

/** A word, a placeholder such as `xxxx` or a counter is not a token. */
function isLikely(secret: string, isNamed: boolean): boolean {
  if (/redacted|example|your[_-]|placeholder/i.test(secret)) return false
  if (!isNamed) return new Set(secret.slice(0, 60)).size >= 6
  const digits = secret.replace(/[^0-9]/g, '').length
  if (digits < 2) return false
  return digits === secret.length || /^[0-9a-f-]+$/i.test(secret) || entropy(secret) >= MIN_ENTROPY
}

/** Bits of a character, from how often each occurs. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
