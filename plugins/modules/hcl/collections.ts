/** Cuts the source text of a list or object into the source text of its parts; evaluates nothing. */
import { closingQuote, holdsTemplate, unquoteLabel } from '../domain/quoted.ts'
import { skipTrivia } from '../domain/source-text.ts'
import { createCursor } from './cursor.ts'
import { type Ending, scanValue } from './scan-value.ts'

/** Key and value text of one entry of an object. */
export interface EntryText {
  readonly key: string
  readonly text: string
}

const KEY = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*/uy

/** The elements of `[…]`, or undefined when the text is not a plain list (a `for`, or an index after it). */
export function splitList(text: string): readonly string[] | undefined {
  const elements: string[] = []
  const end = eachPart(text, '[', (at) => {
    const element = partText(text, at, 'element')
    if (element !== undefined) elements.push(element.text)
    return element?.end
  })
  return end && !/^for\b/.test(elements[0] ?? '') ? elements : undefined
}

/** The entries of `{…}` in source order, or undefined when the text is not a plain object, such as one with computed keys. */
export function splitObject(text: string): readonly EntryText[] | undefined {
  const entries: EntryText[] = []
  const end = eachPart(text, '{', (at) => {
    const key = readKey(text, at)
    if (key === undefined) return undefined
    const value = partText(text, skipTrivia(text, key.end), 'entry')
    if (value !== undefined) entries.push({ key: key.name, text: value.text })
    return value?.end
  })
  return end ? entries : undefined
}

function eachPart(text: string, opening: '[' | '{', readPart: (at: number) => number | undefined): boolean {
  const closing = opening === '[' ? ']' : '}'
  let at = skipTrivia(text, 0)
  if (text[at] !== opening) return false
  at = skipTrivia(text, at + 1)
  while (at < text.length && text[at] !== closing) {
    const end = readPart(at)
    if (end === undefined || end <= at) return false
    at = skipTrivia(text, end)
    if (text[at] === ',') at = skipTrivia(text, at + 1)
  }
  return at < text.length && skipTrivia(text, at + 1) === text.length
}

function partText(text: string, at: number, ending: Ending): { text: string; end: number } | undefined {
  const cursor = createCursor(text)
  cursor.at = at
  const end = scanValue(cursor, ending)
  return end === undefined || end === at ? undefined : { text: text.slice(at, end), end: cursor.at }
}

function readKey(text: string, at: number): { name: string; end: number } | undefined {
  const quoted = text[at] === '"'
  const end = quoted ? closingQuote(text, at) + 1 : bareKeyEnd(text, at)
  if (end === undefined) return undefined
  const sign = skipTrivia(text, end)
  const isEntry = (text[sign] === '=' && text[sign + 1] !== '=') || text[sign] === ':'
  const source = text.slice(at, end)
  if (quoted && holdsTemplate(source)) return undefined
  return isEntry ? { name: quoted ? unquoteLabel(source) : source, end: sign + 1 } : undefined
}

function bareKeyEnd(text: string, at: number): number | undefined {
  KEY.lastIndex = at
  const key = KEY.exec(text)?.[0]
  return key === undefined ? undefined : at + key.length
}
