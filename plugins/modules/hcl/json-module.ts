/** Reads `.tf.json`, and what the reference prints, into the same bodies as HCL. JSON has no lines. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { addTo, isJsonObject, parsedJson } from '../../../server/plugin.ts'
import { closingQuote } from '../domain/quoted.ts'
import type { Json } from '../domain/summary.ts'
import type { Attribute, Block, Body } from './body.ts'
import { exactNumber } from './literals.ts'

/** A body, or the reason why the text is not one. */
export type JsonModule =
  | {
      readonly kind: 'body'
      readonly body: Body
      readonly duplicates: readonly string[]
      readonly numbersAsText: boolean
    }
  | {
      readonly kind: 'refused'
      readonly code: 'parse_error' | 'too_deep'
      readonly message: string
      readonly line?: number
    }

// design modules 8: JSON depth 256
const MAX_DEPTH = 256
/** Only numbers of this many digits, or with an exponent of three, can differ from their double. */
const LONG_NUMBER = /[0-9.]{16}|[0-9][eE][+-]?[0-9]{3}/

/** How many labels each kind of block has; only these are blocks, everything else is an attribute. */
const TOP_BLOCKS = new Map([
  ['variable', 1],
  ['output', 1],
  ['module', 1],
  ['provider', 1],
  ['resource', 2],
  ['data', 2],
  ['ephemeral', 2],
  ['terraform', 0],
  ['moved', 0],
])
const INNER_BLOCKS = new Map([
  ['variable', new Map([['validation', 0]])],
  ['terraform', new Map([['required_providers', 0]])],
])

/**
 * Reads one JSON module file. A repeated type of block or label is as if its values were in a list, as in Terraform; any
 * other repeated key is named in `duplicates`, and its first value counts.
 */
export function readJsonModule(source: string): JsonModule {
  const text = source.replace(/^\uFEFF/, '')
  const shape = jsonShape(text)
  if (shape.depth > MAX_DEPTH) {
    return { kind: 'refused', code: 'too_deep', message: `JSON is nested more than ${MAX_DEPTH} deep.` }
  }
  const value = parsedJson(text)
  if (value === undefined) return notJson(text)
  if (!isJsonObject(value)) {
    return { kind: 'refused', code: 'parse_error', message: 'The file holds no JSON object.' }
  }
  const needsTree = shape.duplicates.length > 0 || LONG_NUMBER.test(text)
  const tree = needsTree ? parseTree(text) : undefined
  const reading: TreeReading = { text, numbersAsText: false, duplicates: [] }
  // JSON.parse gives nothing but JSON
  const root = (tree ? fileValue(tree, reading) : value) as { readonly [key: string]: Json }
  const { numbersAsText, duplicates } = reading
  return { kind: 'body', body: jsonBody(root), duplicates, numbersAsText }
}

/** The message of JSON.parse depends on the engine and quotes the text: this one says what and on which line. */
function notJson(text: string): JsonModule {
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const [error] = errors
  if (error === undefined) return { kind: 'refused', code: 'parse_error', message: 'Not JSON.' }
  const line = text.slice(0, error.offset).split('\n').length
  return {
    kind: 'refused',
    code: 'parse_error',
    message: `Not JSON: ${printParseErrorCode(error.error)}.`,
    line,
  }
}

/** The body of a JSON object: known block types become blocks, all other keys but `//` attributes. */
export function jsonBody(root: { readonly [key: string]: Json }): Body {
  return bodyOf(root, TOP_BLOCKS)
}

function bodyOf(value: { readonly [key: string]: Json }, blockTypes: ReadonlyMap<string, number>): Body {
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  for (const [key, inner] of Object.entries(value)) {
    const labels = blockTypes.get(key)
    if (key === '//') continue
    if (labels === undefined) attributes.set(key, { kind: 'json', value: inner })
    else blocks.push(...blocksOf(key, inner, labels, []))
  }
  return { attributes, blocks }
}

/** Objects, or arrays of objects, at each label level. */
function blocksOf(type: string, value: Json, labelsLeft: number, labels: readonly string[]): Block[] {
  if (isList(value)) return value.flatMap((inner) => blocksOf(type, inner, labelsLeft, labels))
  if (value === null || typeof value !== 'object') return []
  if (labelsLeft === 0) {
    return [{ type, labels, body: bodyOf(value, INNER_BLOCKS.get(type) ?? new Map()) }]
  }
  const named = Object.entries(value).filter(([key]) => key !== '//')
  return named.flatMap(([key, inner]) => blocksOf(type, inner, labelsLeft - 1, [...labels, key]))
}

/** The bodies of the checks of a file in JSON, of which they are a member. */
export function jsonChecks({ attributes }: Body): Body[] {
  const stated = attributes.get('check')
  if (stated?.kind !== 'json') return []
  return objectsOf(stated.value).flatMap((one) => Object.values(one).flatMap(objectsOf).map(jsonBody))
}

export interface JsonObject {
  readonly [key: string]: Json
}

/** The objects of a value: itself, or those of its lists. */
export function objectsOf(value: Json): JsonObject[] {
  if (isList(value)) return value.flatMap(objectsOf)
  return isJsonObject(value) ? [value as JsonObject] : [] // objects of JSON hold JSON
}

/** A JSON array, which `Array.isArray` does not tell from other readonly lists. */
export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** Depth and repeated keys of JSON text, found without recursion: this runs before any parser that recurses. */
function jsonShape(text: string): { depth: number; duplicates: string[] } {
  const open: (Set<string> | undefined)[] = []
  const duplicates: string[] = []
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '{' || char === '[') depth = Math.max(depth, open.push(char === '{' ? new Set() : undefined))
    else if (char === '}' || char === ']') open.pop()
    else if (char === '"') {
      const end = Math.min(closingQuote(text, at) + 1, text.length)
      noteKey(open.at(-1), text.slice(at, end), isKey(text, end), duplicates)
      at = end - 1
    }
  }
  return { depth, duplicates }
}

function isKey(text: string, end: number): boolean {
  let at = end
  while (' \t\r\n'.includes(text[at] ?? 'x')) at += 1
  return text[at] === ':'
}

function noteKey(keys: Set<string> | undefined, key: string, isKeyOf: boolean, duplicates: string[]): void {
  if (keys === undefined || !isKeyOf) return
  if (keys.has(key) && key !== '"//"') duplicates.push(key.slice(1, -1))
  keys.add(key)
}

interface TreeReading {
  readonly text: string
  numbersAsText: boolean
  readonly duplicates: string[]
}

/** The value of a file: types of blocks and labels may be repeated. */
function fileValue(root: Node, reading: TreeReading): unknown {
  return listed(root, (type, body) =>
    labelled(body, TOP_BLOCKS.get(type) ?? 0, (inner) => nodeValue(inner, reading)),
  )
}

function labelled(node: Node, labels: number, toValue: (node: Node) => unknown): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => labelled(child, labels, toValue))
  if (labels === 0 || node.type !== 'object') return toValue(node)
  return listed(node, (_, inner) => labelled(inner, labels - 1, toValue))
}

/** An object with a list for each repeated key. */
function listed(node: Node, toValue: (key: string, node: Node) => unknown): unknown {
  const values = new Map<string, unknown[]>()
  for (const { key, value } of membersOf(node)) addTo(values, key, toValue(key, value))
  return Object.fromEntries([...values].map(([key, all]) => [key, all.length === 1 ? all[0] : all]))
}

/** The value of a syntax tree: the first of repeated keys, and numbers as their text where a double would change them. */
function nodeValue(node: Node, reading: TreeReading): unknown {
  if (node.type === 'array') return (node.children ?? []).map((child) => nodeValue(child, reading))
  if (node.type === 'number') {
    const number = exactNumber(reading.text.slice(node.offset, node.offset + node.length))
    if (typeof number === 'string') reading.numbersAsText = true
    return number
  }
  if (node.type !== 'object') return node.value
  const entries = new Map<string, unknown>()
  for (const { key, value } of membersOf(node)) {
    if (!entries.has(key)) entries.set(key, nodeValue(value, reading))
    else if (key !== '//') reading.duplicates.push(key)
  }
  return Object.fromEntries(entries)
}

function membersOf(node: Node): { readonly key: string; readonly value: Node }[] {
  return (node.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? []
    return key && value ? [{ key: key.value as string, value }] : [] // a key of JSON is a string
  })
}
