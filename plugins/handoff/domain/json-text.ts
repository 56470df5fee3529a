import { type Node, parseTree, visit } from 'jsonc-parser'
import { isJsonObject } from '../../../server/plugin.ts'
import { pointerOf } from './json-pointer.ts'

/** JSON read without loss: the text is authoritative, the value is derived from it. */
export interface JsonDocument {
  /** The original text, with its byte order mark. */
  readonly text: string
  readonly value: unknown
  /** Pointers of members whose name occurs twice in one object; the last one counts. */
  readonly duplicateKeys: readonly string[]
  /** Pointers of numbers that parsing changes: `12345678901234567890`, `1e400`, `-0`. */
  readonly changedNumbers: readonly string[]
  readonly bom: boolean
  readonly depth: number
}

/** The first position that is not JSON; both count from 1. */
export interface JsonFault {
  readonly line: number
  readonly column: number
}

export type JsonReading =
  | { readonly kind: 'read'; readonly document: JsonDocument }
  | { readonly kind: 'broken'; readonly fault: JsonFault }

/** Deepest nesting of a record (design handoff, section 7, check `json`). */
export const MAX_DEPTH = 64

export const BYTE_ORDER_MARK = '\uFEFF'

/** Parses strict JSON: no comments, no trailing commas. Of duplicate keys the last one counts. */
export function readJson(text: string): JsonReading {
  const bom = text.startsWith(BYTE_ORDER_MARK)
  const body = bom ? text.slice(1) : text
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { kind: 'broken', fault: faultIn(body) }
  }
  const depth = nesting(body)
  // The visitor is recursive and only safe up to the limit; a deeper text is reported by its depth.
  const scan = depth > MAX_DEPTH ? { duplicateKeys: [], changedNumbers: [] } : scanMembers(body)
  return { kind: 'read', document: { text, value, ...scan, bom, depth } }
}

/** Reads a text that is known to be JSON, such as the result of an edit. */
export function documentOf(text: string): JsonDocument {
  const reading = readJson(text)
  if (reading.kind === 'broken') throw new TypeError('an edit broke the JSON of a record')
  return reading.document
}

/** Depth of brackets outside strings. */
function nesting(text: string): number {
  let deepest = 0
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 34) i = endOfString(text, i)
    else if (char === 123 || char === 91) deepest = Math.max(deepest, ++depth)
    else if (char === 125 || char === 93) depth--
  }
  return deepest
}

function endOfString(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 92) i++
    else if (char === 34) return i
  }
  return text.length
}

function scanMembers(text: string): Pick<JsonDocument, 'duplicateKeys' | 'changedNumbers'> {
  const duplicateKeys: string[] = []
  const changedNumbers: string[] = []
  const open: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set())
    },
    onObjectEnd: () => {
      open.pop()
    },
    onObjectProperty: (name, _offset, _length, _line, _column, path) => {
      const names = open.at(-1)
      if (names?.has(name)) duplicateKeys.push(pointerOf([...path(), name]))
      names?.add(name)
    },
    onLiteralValue: (value, offset, length, _line, _column, path) => {
      if (typeof value !== 'number') return
      if (changesNumber(text.slice(offset, offset + length))) changedNumbers.push(pointerOf(path()))
    },
  })
  return { duplicateKeys, changedNumbers }
}

function changesNumber(literal: string): boolean {
  const value = Number(literal)
  if (!Number.isFinite(value) || Object.is(value, -0)) return true
  if (/^-?[0-9]+$/.test(literal)) return literal.length > 15 && BigInt(literal) !== BigInt(value)
  const digits = (literal.split(/e/i)[0] ?? '').replace(/[-.]/g, '').replace(/^0+|0+$/g, '')
  return digits.length > 17
}

function faultIn(text: string): JsonFault {
  let at = shallowFault(text)
  if (at === undefined) at = text.length
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return { line, column: at - before.lastIndexOf('\n') }
}

/** Offset of the first error; undefined for a text nested too deep for the recursive visitor. */
function shallowFault(text: string): number | undefined {
  let first: number | undefined
  const note = (offset: number) => {
    first = first === undefined ? offset : Math.min(first, offset)
  }
  if (nesting(text) > MAX_DEPTH * 4) return undefined
  visit(
    text,
    { onError: (_code, offset) => note(offset), onComment: (offset) => note(offset) },
    { disallowComments: true, allowTrailingComma: false },
  )
  return first
}

/** A member of the top level: its name and the exact text of its value. */
export interface RawMember {
  readonly name: string
  readonly raw: string
}

/** The members of the top level in the order of the text; empty if it is not an object. */
export function rawMembers(document: JsonDocument): readonly RawMember[] {
  if (!isJsonObject(document.value)) return []
  const body = bodyOf(document.text)
  return (treeOf(body).children ?? []).map((property) => {
    const [name, value] = property.children ?? []
    return {
      name: String(name?.value),
      raw: value ? body.slice(value.offset, value.offset + value.length) : '',
    }
  })
}

/** The text without its byte order mark. */
export function bodyOf(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
}

/** The syntax tree of a valid JSON text. */
export function treeOf(body: string): Node {
  const tree = parseTree(body)
  if (!tree) throw new TypeError('the text is not JSON')
  return tree
}

/** A JSON text without whitespace between its tokens; tokens and their order stay unchanged. */
export function compactJson(text: string): string {
  let compact = ''
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 34) i = endOfString(text, i)
    else if (char === 32 || char === 9 || char === 10 || char === 13 || char === 0xfeff) {
      compact += text.slice(from, i)
      from = i + 1
    }
  }
  return compact + text.slice(from)
}
