import { SECRET_FORMATS, type SecretFormat } from '../../../generated/secret-formats.ts'
import { once } from '../../../server/plugin.ts'

/** A token of a known kind in a text. */
export interface KnownSecret {
  readonly rule: string
  readonly start: number
  readonly end: number
}

interface Kind {
  readonly id: number
  readonly name: string
  readonly source: string
  /** Compiled when its word is first met: a record speaks of few of them. */
  readonly pattern: () => RegExp
}

/** Kinds that are looked for at the same places, and one pattern that finds the next match of any of them. */
interface Group {
  readonly id: number
  readonly kinds: Kind[]
  readonly any: () => RegExp
}

/** What is known by a word: values that are assigned to it, tokens that begin with it, and tokens that only hold it. */
interface Word {
  readonly word: string
  readonly bytes: Uint8Array
  readonly assigned: Group
  readonly begun: Group
  readonly around: Kind[]
}

/** From a name to its value: the rest of the name, an assignment, quotes. Never the end of a line. */
const ASSIGNED = /[ \t\w.-]{0,20}[ \t'"`]{0,3}(?:=>|\?=|:{1,3}=|\|\||=|>|:|,)[ \t'"`=]{0,5}/y
/** How far before its word the token of a kind may begin. */
const LEAD_CHARS = 64
const MIN_ENTROPY = 3

/** Words by the pair of characters with which they begin. */
type Words = (Word[] | undefined)[]

let ids = 0
/** Made when a text is first searched, not when a process starts. */
const wordsByPair = once(() => {
  const byPair: Words = new Array<Word[] | undefined>(65_536).fill(undefined)
  for (const format of SECRET_FORMATS) addFormat(byPair, format)
  return byPair
})

function addFormat(byPair: Words, [name, words, form, named]: SecretFormat): void {
  for (const word of words) {
    const entry = wordEntry(byPair, word)
    const begins = plainStart(form).startsWith(word)
    const source = `${form}(?![A-Za-z0-9])`
    const kind = { id: ids++, name, source, pattern: once(() => new RegExp(source, 'iy')) }
    if (named === 1) entry.assigned.kinds.push(kind)
    else if (begins) entry.begun.kinds.push(kind)
    else entry.around.push(kind)
  }
}

function wordEntry(byPair: Words, word: string): Word {
  const pair = (word.charCodeAt(0) << 8) | word.charCodeAt(1)
  const entries = byPair[pair] ?? []
  byPair[pair] = entries
  const known = entries.find((entry) => entry.word === word)
  if (known) return known
  const entry = {
    word,
    bytes: Buffer.from(word, 'latin1'),
    assigned: emptyGroup('iy'),
    begun: emptyGroup('ig'),
    around: [],
  }
  entries.push(entry)
  return entry
}

function emptyGroup(flags: string): Group {
  const kinds: Kind[] = []
  const any = once(() => new RegExp(`(?:${kinds.map(({ source }) => source).join('|')})`, flags))
  return { id: ids++, kinds, any }
}

/** The letters with which every match of a form begins, in lower case. */
function plainStart(form: string): string {
  const [start = ''] = /^[^[(\\|]*(?:\\[.-][^[(\\|]*)*/.exec(form.replace(/^\((?:\?:)?/, '')) ?? []
  return start.replaceAll('\\', '').toLowerCase()
}

/** Every token of a known kind in a text, in no order. One pass finds the words; each then looks at its surroundings only. */
export function knownSecrets(text: string): readonly KnownSecret[] {
  const lower = text.toLowerCase()
  // Letters whose lower case has another length would move every place behind them.
  const units = Buffer.from(lower.length === text.length ? lower : text, 'latin1')
  const byPair = wordsByPair()
  let scan: ReturnType<typeof createScan> | undefined // most texts have no such word
  let unit = units[0] ?? 0
  for (let at = 1; at < units.length; at++) {
    const next = units[at] ?? 0
    const entries = byPair[(unit << 8) | next]
    unit = next
    if (entries === undefined) continue
    for (const entry of entries) {
      if (!isAt(entry.bytes, units, at - 1)) continue
      scan ??= createScan(text)
      scan.visit(entry, at - 1)
    }
  }
  return scan?.found ?? []
}

/** Its first two bytes are known to be there. */
function isAt(word: Uint8Array, units: Uint8Array, at: number): boolean {
  for (let index = 2; index < word.length; index++) if (word[index] !== units[at + index]) return false
  return true
}

/** Looks around the words of one text. What a kind has looked at it does not look at again. */
function createScan(text: string) {
  const found: KnownSecret[] = []
  /** Up to where a kind, or a group, has looked, by its id. */
  const done = new Float64Array(ids)
  const take = (kind: Kind, match: RegExpExecArray | null, isNamed: boolean): void => {
    if (!match) return
    const secret = match[1] ?? match[0]
    const start = match.index + match[0].lastIndexOf(secret)
    if (isLikely(secret, isNamed)) found.push({ rule: kind.name, start, end: start + secret.length })
  }
  const matchAt = (kind: Kind, at: number, isNamed: boolean): void => {
    if (at < (done[kind.id] ?? 0)) return
    const pattern = kind.pattern()
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match) done[kind.id] = at + match[0].length
    take(kind, match, isNamed)
  }
  const next = new Float64Array(ids).fill(-1)
  /** What begins with its word is found by one search that goes on from match to match. */
  const begins = ({ id, any }: Group, at: number): boolean => {
    const known = next[id] ?? -1
    if (known >= at) return known === at
    const pattern = any()
    pattern.lastIndex = at
    const found = pattern.exec(text)?.index ?? Number.POSITIVE_INFINITY
    next[id] = found
    return found === at
  }
  const matchBegun = (group: Group, at: number): void => {
    if (group.kinds.length === 0 || !begins(group, at) || isWordUnit(text.charCodeAt(at - 1))) return
    for (const kind of group.kinds) matchAt(kind, at, false)
  }
  const searchAround = (kind: Kind, at: number): void => {
    const from = Math.max(0, at - LEAD_CHARS, done[kind.id] ?? 0)
    done[kind.id] = at + 1
    const pattern = kind.pattern()
    for (let start = from; start <= at; start++) {
      pattern.lastIndex = start
      const match = pattern.exec(text)
      if (!match) continue
      done[kind.id] = start + match[0].length
      take(kind, match, false)
      return
    }
  }
  return {
    found,
    visit({ word, assigned, begun, around }: Word, at: number): void {
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
