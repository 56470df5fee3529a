/** Turns the source text of a value into JSON where the text is a literal, else keeps the text. */
import { heredocText, readHeredoc } from '../domain/heredoc.ts'
import { closingQuote, holdsTemplate, unescapeQuoted } from '../domain/quoted.ts'
import { skipTrivia } from '../domain/source-text.ts'
import type { Json } from '../domain/summary.ts'

/**
 * The kind of a value: a JSON value; an expression, which is kept as text; or `unsure`, where only the reference knows.
 * `asText`: a number in it cannot be represented in JSON and is given as its source text.
 */
export type Literal =
  | { readonly kind: 'literal'; readonly value: Json; readonly asText: boolean }
  | { readonly kind: 'expression' }
  | { readonly kind: 'unsure'; readonly reason: string }

/** Deeper lists and objects are left to the reference. design modules 3.2 */
const MAX_DEPTH = 64

const NUMBER = /-?[ \t]*[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /[\p{L}_][\p{L}\p{N}_-]*/uy

/** Every whole number of so many digits is a double. */
const SHORT_WHOLE = /^[0-9]{1,15}$/

const WORDS = new Map<string, Json>([
  ['null', null],
  ['true', true],
  ['false', false],
])

/** Evaluates one value. Linear in its length; never throws. */
export function readLiteral(text: string): Literal {
  const source: Source = { text, at: 0, asText: false, stop: undefined }
  const value = readValue(source, 0)
  if (value !== undefined) source.at = skipTrivia(text, source.at)
  if (value === undefined || source.at < text.length) return source.stop ?? { kind: 'expression' }
  return { kind: 'literal', value, asText: source.asText }
}

interface Source {
  readonly text: string
  at: number
  asText: boolean
  stop: Literal | undefined
}

function readValue(s: Source, depth: number): Json | undefined {
  s.at = skipTrivia(s.text, s.at)
  const first = s.text[s.at]
  if (first === '"') return readQuoted(s)
  if (first === '<') return readHeredocValue(s)
  if (first === '[' || first === '{') {
    if (depth >= MAX_DEPTH) return unsure(s, `nested more than ${MAX_DEPTH} deep`)
    return first === '[' ? readList(s, depth) : readObject(s, depth)
  }
  const number = take(s, NUMBER)
  if (number !== undefined) return numberValue(s, number)
  const word = take(s, WORD)
  return word === undefined ? undefined : WORDS.get(word)
}

function readQuoted(s: Source): string | undefined {
  const end = closingQuote(s.text, s.at)
  const inside = s.text.slice(s.at + 1, end)
  s.at = end + 1
  if (holdsTemplate(inside)) return undefined
  const unquoted = unescapeQuoted(inside)
  return unquoted.kind === 'text'
    ? unquoted.text.normalize('NFC')
    : unsure(s, 'an unknown escape in a string')
}

function readHeredocValue(s: Source): string | undefined {
  const heredoc = readHeredoc(s.text, s.at)
  if (heredoc === undefined) return undefined
  s.at = heredoc.end
  const content = heredocText(heredoc)
  if (content.kind === 'unsure') return unsure(s, content.reason)
  return content.kind === 'text' ? content.text.normalize('NFC') : undefined
}

function numberValue(s: Source, source: string): number | string {
  const value = exactNumber(source.replace(/[ \t]/g, ''))
  if (typeof value === 'string') s.asText = true
  return value
}

/** The number that a text denotes; the text itself where a double, the only number of JSON, would be a different number. */
export function exactNumber(text: string): number | string {
  const value = Number(text)
  if (SHORT_WHOLE.test(text)) return value
  if (!Number.isFinite(value) || decimal(text) !== decimal(String(value))) return text
  return Object.is(value, -0) ? 0 : value
}

/** The digits without leading and trailing zeros, and their power of ten: equal for equal numbers. */
function decimal(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = trimZeros(digits)
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + (digits.length - significant.length)
  return `${mantissa.startsWith('-') ? '-' : ''}${significant}e${power}`
}

function trimZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

function readList(s: Source, depth: number): Json | undefined {
  s.at += 1
  const values: Json[] = []
  for (;;) {
    s.at = skipTrivia(s.text, s.at)
    if (s.text[s.at] === ']') break
    const value = readValue(s, depth + 1)
    if (value === undefined) return undefined
    values.push(value)
    s.at = skipTrivia(s.text, s.at)
    if (s.text[s.at] === ',') s.at += 1
    else if (s.text[s.at] !== ']') return undefined
  }
  s.at += 1
  return values
}

function readObject(s: Source, depth: number): Json | undefined {
  s.at += 1
  const entries = new Map<string, Json>()
  for (;;) {
    s.at = skipTrivia(s.text, s.at)
    if (s.text[s.at] === '}') break
    const key = readKey(s)
    if (key === undefined) return undefined
    if (entries.has(key)) return unsure(s, `the key ${JSON.stringify(key)} is repeated`)
    const value = readValue(s, depth + 1)
    if (value === undefined) return undefined
    entries.set(key, value)
    if (!readSeparator(s)) return undefined
  }
  s.at += 1
  return Object.fromEntries(entries)
}

/** A key and its `=` or `:`. A comment or line break between them is for the reference to judge. */
function readKey(s: Source): string | undefined {
  const number = take(s, NUMBER)
  const key = number?.startsWith('-') ? undefined : (number ?? take(s, WORD))
  const name = key === undefined ? readQuotedKey(s) : number === undefined ? key : String(Number(number))
  if (name === undefined) return undefined
  while (s.text[s.at] === ' ' || s.text[s.at] === '\t') s.at += 1
  if (/[#/\r\n]/.test(s.text[s.at] ?? '')) return unsure(s, 'a comment or line break behind an object key')
  const sign = s.text[s.at]
  if (sign !== '=' && sign !== ':') return undefined
  if (sign === '=' && /[=>]/.test(s.text[s.at + 1] ?? '')) return undefined
  s.at += 1
  return name
}

function readQuotedKey(s: Source): string | undefined {
  return s.text[s.at] === '"' ? readQuoted(s) : undefined
}

/** A comma, a line break, or the closing brace ahead. */
function readSeparator(s: Source): boolean {
  const from = s.at
  s.at = skipTrivia(s.text, s.at)
  if (s.text[s.at] === '}') return true
  if (s.text[s.at] === ',') {
    s.at += 1
    return true
  }
  return s.text.slice(from, s.at).includes('\n')
}

function unsure(s: Source, reason: string): undefined {
  s.stop ??= { kind: 'unsure', reason }
  return undefined
}

function take(s: Source, pattern: RegExp): string | undefined {
  pattern.lastIndex = s.at
  const found = pattern.exec(s.text)?.[0]
  if (found !== undefined) s.at += found.length
  return found
}
