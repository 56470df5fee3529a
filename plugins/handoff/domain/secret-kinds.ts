import { SECRET_FORMATS, type SecretFormat } from '../../../generated/secret-formats.ts'

/** A token of a known kind in a text. */
export interface KnownSecret {
  readonly rule: string
  readonly start: number
  readonly end: number
}

interface Kind {
  readonly name: string
  readonly pattern: RegExp
}

/** What is known by a word: values that are assigned to it, tokens that begin with it, and tokens that only hold it. */
interface Word {
  readonly word: string
  readonly assigned: Kind[]
  readonly begun: Kind[]
  readonly around: Kind[]
}

/** From a name to its value: the rest of the name, an assignment, quotes. Never the end of a line. */
const ASSIGNED = /[ \t\w.-]{0,20}[ \t'"`]{0,3}(?:=>|\?=|:{1,3}=|\|\||=|>|:|,)[ \t'"`=]{0,5}/y
/** How far before its word the token of a kind may begin. */
const LEAD_CHARS = 64
const MIN_ENTROPY = 3

/** Words by the pair of characters with which they begin. */
const byPair: (Word[] | undefined)[] = Array.from({ length: 65_536 }, () => undefined)
for (const format of SECRET_FORMATS) addFormat(format)

function addFormat([name, words, form, named]: SecretFormat): void {
  for (const word of words) {
    const entry = wordEntry(word)
    const begins = plainStart(form).startsWith(word)
    const pattern = new RegExp(`${form}(?![A-Za-z0-9])`, 'iy')
    const list = named === 1 ? entry.assigned : begins ? entry.begun : entry.around
    list.push({ name, pattern })
  }
}

function wordEntry(word: string): Word {
  const pair = (word.charCodeAt(0) << 8) | word.charCodeAt(1)
  const entries = byPair[pair] ?? []
  byPair[pair] = entries
  const known = entries.find((entry) => entry.word === word)
  if (known) return known
  const entry = { word, assigned: [], begun: [], around: [] }
  entries.push(entry)
  return entry
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
  const searched = lower.length === text.length ? lower : text
  const scan = createScan(text)
  let unit = searched.charCodeAt(0) & 0xff
  for (let at = 0; at + 1 < searched.length; at++) {
    const next = searched.charCodeAt(at + 1) & 0xff
    const entries = byPair[(unit << 8) | next]
    unit = next
    if (entries === undefined) continue
    for (const entry of entries) if (searched.startsWith(entry.word, at)) scan.visit(entry, at)
  }
  return scan.found
}

/** Looks around the words of one text. What a kind has looked at it does not look at again. */
function createScan(text: string) {
  const found: KnownSecret[] = []
  const done = new Map<Kind, number>()
  const take = (kind: Kind, match: RegExpExecArray | null, isNamed: boolean): void => {
    if (!match) return
    const secret = match[1] ?? match[0]
    const start = match.index + match[0].lastIndexOf(secret)
    if (isLikely(secret, isNamed)) found.push({ rule: kind.name, start, end: start + secret.length })
  }
  const matchAt = (kind: Kind, at: number, isNamed: boolean): void => {
    if (at < (done.get(kind) ?? 0)) return
    kind.pattern.lastIndex = at
    const match = kind.pattern.exec(text)
    if (match) done.set(kind, at + match[0].length)
    take(kind, match, isNamed)
  }
  const searchAround = (kind: Kind, at: number): void => {
    const from = Math.max(0, at - LEAD_CHARS, done.get(kind) ?? 0)
    done.set(kind, at + 1)
    for (let start = from; start <= at; start++) {
      kind.pattern.lastIndex = start
      const match = kind.pattern.exec(text)
      if (!match) continue
      done.set(kind, start + match[0].length)
      take(kind, match, false)
      return
    }
  }
  return {
    found,
    visit({ word, assigned, begun, around }: Word, at: number): void {
      if (begun.length > 0 && !isWordUnit(text.charCodeAt(at - 1))) {
        for (const kind of begun) matchAt(kind, at, false)
      }
      for (const kind of around) searchAround(kind, at)
      if (assigned.length === 0) return
      ASSIGNED.lastIndex = at + word.length
      if (!ASSIGNED.test(text)) return
      const valueAt = ASSIGNED.lastIndex
      for (const kind of assigned) matchAt(kind, valueAt, true)
    },
  }
}

/** A letter or a digit; NaN before the text is none. */
function isWordUnit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}

/** A word, a placeholder such as `xxxx` or a counter is no token. */
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
