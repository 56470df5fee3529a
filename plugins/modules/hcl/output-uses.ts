/** Where a configuration reads the outputs of the modules that it calls. */
import { addTo, atOnce, type Pieces } from '../../../server/plugin.ts'
import { readHeredoc } from '../domain/heredoc.ts'
import { skipTrivia } from '../domain/source-text.ts'
import type { OutputUse } from '../domain/upgrade.ts'
import type { Body } from './body.ts'
import { createCursor } from './cursor.ts'
import { readingHcl } from './reader.ts'
import { scanQuoted, scanValue } from './scan-value.ts'

/** The outputs of `module.<name>` that a text reads, by the name of the call; each with its line. */
export function readOutputUses(text: string): ReadonlyMap<string, readonly OutputUse[]> {
  return atOnce(readingOutputUses(text))
}

/** `readOutputUses` in pieces, for texts of callers. */
export function* readingOutputUses(text: string): Pieces<ReadonlyMap<string, readonly OutputUse[]>> {
  const found = new Map<string, OutputUse[]>()
  for (const { text: source, line } of expressionsOf(yield* readingHcl(text))) {
    yield
    for (const { call, output, offset, isTried } of usesIn(codeOnly(source))) {
      const at = line + linesIn(source.slice(0, offset))
      addTo(found, call, { name: output, line: at, ...(isTried && { isTried }) })
    }
  }
  return found
}

interface Expression {
  readonly text: string
  readonly line: number
}

/** Blocks whose `module.x.…` is the address of a resource, and the arguments of others where it is one. */
const ADDRESSES: ReadonlySet<string> = new Set(['moved', 'removed'])
const ADDRESS_ARGUMENTS: ReadonlyMap<string, string> = new Map([['import', 'to']])

function expressionsOf(body: Body, type = ''): Expression[] {
  const own = [...body.attributes].flatMap(([name, attribute]) =>
    attribute.kind === 'source' && attribute.text.includes('module.') && ADDRESS_ARGUMENTS.get(type) !== name
      ? [attribute]
      : [],
  )
  const inner = body.blocks.filter((block) => !ADDRESSES.has(block.type))
  return [...own, ...inner.flatMap((block) => expressionsOf(block.body, block.type))]
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}

const NAME = '[\\p{L}_][\\p{L}\\p{N}_-]*'
const CALL = new RegExp(`(?<![\\p{L}\\p{N}_.-])module\\.(${NAME})`, 'gu')
const OUTPUT = new RegExp(`\\.(${NAME})`, 'uy')
const SPLAT = /\.(?:\*|\d+)/y

/** One reading of an output in a text. */
export interface Use {
  readonly call: string
  readonly output: string
  readonly offset: number
  readonly isTried: boolean
}

/** What a template reads, as strings of JSON are: only what is between `${` and `}` is code. */
export function usesInTemplate(text: string): Iterable<Use> {
  return usesIn(templatesOnly(text))
}

function* usesIn(code: string): Generator<Use> {
  const tried = triedParts(code)
  for (const { 1: call = '', 0: whole, index } of code.matchAll(CALL)) {
    let at = index + whole.length
    for (let next = afterIndex(code, at); next !== undefined; next = afterIndex(code, at)) at = next
    OUTPUT.lastIndex = at
    const output = OUTPUT.exec(code)?.[1]
    const isTried = tried.some(({ start, end }) => index >= start && index < end)
    if (output !== undefined) yield { call, output, offset: index, isTried }
  }
}

/** The arguments of `try` and `can`. */
function triedParts(code: string): readonly { readonly start: number; readonly end: number }[] {
  const parts: { start: number; end: number }[] = []
  for (const { 0: head, index } of code.matchAll(/(?<![\p{L}\p{N}_.-])(?:try|can)\s*\(/gu)) {
    const start = index + head.length
    if (start <= (parts.at(-1)?.end ?? 0)) continue
    let end = start
    for (let depth = 1; end < code.length && depth > 0; end += 1) {
      if (code[end] === '(') depth += 1
      if (code[end] === ')') depth -= 1
    }
    parts.push({ start, end })
  }
  return parts
}

/** The offset after `[…]`, `.*` or `.0`, undefined where there is none. */
function afterIndex(code: string, at: number): number | undefined {
  SPLAT.lastIndex = at
  const splat = SPLAT.exec(code)
  if (splat !== null) return at + splat[0].length
  if (code[at] !== '[') return undefined
  for (let depth = 0, end = at; end < code.length; end += 1) {
    if (code[end] === '[') depth += 1
    if (code[end] === ']') depth -= 1
    if (depth === 0) return end + 1
  }
  return undefined
}

/** The text with everything that is not code (comments, the plain text of strings and heredocs) blanked, at the same offsets. */
export function codeOnly(source: string): string {
  const parts: string[] = []
  for (let at = 0; at < source.length; ) {
    const start = skipTrivia(source, at)
    const text = textAt(source, start)
    const inside = text && templatesOnly(source.slice(start, text.end))
    const end = text?.end ?? start + 1
    parts.push(' '.repeat(start - at), inside ?? source.slice(start, end))
    at = end
  }
  return parts.join('')
}

/** Where the string or heredoc that starts at an offset ends; undefined where none does. */
function textAt(source: string, at: number): { readonly end: number } | undefined {
  if (source.startsWith('<<', at)) return readHeredoc(source, at)
  if (source[at] !== '"') return undefined
  const cursor = createCursor(source)
  cursor.at = at
  return { end: scanQuoted(cursor) ? cursor.at : source.length }
}

/** The code in the templates of a string or heredoc. */
function templatesOnly(text: string): string {
  const parts: string[] = []
  let done = 0
  for (const { 0: mark, index } of text.matchAll(/(?:\$\$|%%|[$%])\{/g)) {
    if (index < done || mark.length > 2) continue
    const cursor = createCursor(text)
    cursor.at = index + mark.length
    const isClosed = scanValue(cursor, 'template') !== undefined
    const end = isClosed ? cursor.at : text.length
    parts.push(' '.repeat(index + mark.length - done), codeOnly(text.slice(index + mark.length, end)))
    done = end
  }
  return `${parts.join('')}${' '.repeat(text.length - done)}`
}
