import type { Node } from 'jsonc-parser'
import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { childPointer, pointerOf, pointerTokens } from './json-pointer.ts'
import { BYTE_ORDER_MARK, bodyOf, type JsonDocument, treeOf } from './json-text.ts'
import { quoted } from './secrets.ts'

/** New JSON as a value to print, or as text to copy byte by byte. */
export type NewJson = { readonly value: unknown } | { readonly raw: string }

/**
 * One change of a JSON text. `set` replaces a value or adds a member and creates missing parent objects; `insert`
 * inserts an element before the index at the end of the pointer (`-`: appends); `rename` renames a member.
 */
export type JsonEdit =
  | ({ readonly op: 'set' | 'insert'; readonly pointer: string } & NewJson)
  | { readonly op: 'remove'; readonly pointer: string }
  | { readonly op: 'rename'; readonly pointer: string; readonly name: string }

interface Span {
  readonly offset: number
  readonly length: number
  readonly text: string
}

/**
 * Applies the edits in order, with the indent and line ends of the file. All other bytes stay unchanged. Errors: `invalid`/`duplicate_keys`, `not_found`/`pointer_not_found`.
 */
export function editText(document: JsonDocument, edits: readonly JsonEdit[]): string {
  if (document.duplicateKeys.length > 0) {
    const details = { pointers: document.duplicateKeys }
    throw refusals.duplicate_keys({ pointer: document.duplicateKeys[0] ?? '' }, { details })
  }
  let body = bodyOf(document.text)
  for (const edit of edits) body = apply(body, spanOf(body, edit))
  return document.bom ? BYTE_ORDER_MARK + body : body
}

/** The exact text of the value at a pointer. Errors: `not_found`/`pointer_not_found`. */
export function rawAt(text: string, pointer: string): string {
  const body = bodyOf(text)
  const { node } = locate(treeOf(body), pointer)
  if (!node) throw notThere(pointer)
  return body.slice(node.offset, node.offset + node.length)
}

function apply(body: string, span: Span): string {
  return body.slice(0, span.offset) + span.text + body.slice(span.offset + span.length)
}

function spanOf(body: string, edit: JsonEdit): Span {
  const tree = treeOf(body)
  const style = styleOf(body)
  if (edit.op === 'remove') return removal(body, located(tree, edit.pointer))
  if (edit.op === 'rename') return renaming(located(tree, edit.pointer), edit.name)
  if (edit.op === 'insert') return insertion(body, tree, edit, style)
  const { node, parent, rest } = locate(tree, edit.pointer)
  if (node) return { ...spanned(node), text: printed(edit, style, indentAt(body, node.offset)) }
  const [name, ...deeper] = rest
  if (name === undefined || parent.type !== 'object') throw notThere(edit.pointer)
  const json = deeper.reduceRight<NewJson>(
    (inner, token) => ({ raw: `{${JSON.stringify(token)}: ${printed(inner, style, '')}}` }),
    edit,
  )
  return addition(body, parent, `${JSON.stringify(name)}: `, json, style)
}

interface Location {
  readonly node: Node | undefined
  readonly parent: Node
  /** Tokens after `parent` that do not exist. */
  readonly rest: readonly string[]
}

function locate(tree: Node, pointer: string): Location {
  const tokens = pointerTokens(pointer)
  if (!tokens) throw notThere(pointer)
  let node = tree
  for (const [index, token] of tokens.entries()) {
    const next = childOf(node, token)
    if (!next) return { node: undefined, parent: node, rest: tokens.slice(index) }
    node = next
  }
  return { node, parent: node.parent ?? node, rest: [] }
}

function childOf(node: Node, token: string): Node | undefined {
  const children = node.children ?? []
  if (node.type === 'array')
    return /^(?:0|[1-9][0-9]{0,8})$/.test(token) ? children[Number(token)] : undefined
  if (node.type !== 'object') return undefined
  return children.find((property) => property.children?.[0]?.value === token)?.children?.[1]
}

function located(tree: Node, pointer: string): Node {
  const { node } = locate(tree, pointer)
  if (!node?.parent) throw notThere(pointer)
  return node
}

/** Removes the member or element with one comma: the one after it, else the one before it. */
function removal(body: string, node: Node): Span {
  const entry = node.parent?.type === 'property' ? node.parent : node
  const siblings = entry.parent?.children ?? []
  const index = siblings.indexOf(entry)
  const next = siblings[index + 1]
  const before = siblings[index - 1]
  if (next) return { offset: entry.offset, length: next.offset - entry.offset, text: '' }
  if (before) {
    const from = before.offset + before.length
    return { offset: from, length: entry.offset + entry.length - from, text: '' }
  }
  const container = entry.parent ?? entry
  const inside = body.slice(container.offset + 1, container.offset + container.length - 1)
  return { offset: container.offset + 1, length: inside.length, text: '' }
}

function renaming(node: Node, name: string): Span {
  const key = node.parent?.children?.[0]
  if (node.parent?.type !== 'property' || !key) throw notThere('')
  return { ...spanned(key), text: JSON.stringify(name) }
}

function insertion(body: string, tree: Node, edit: JsonEdit & NewJson, style: Style): Span {
  const tokens = pointerTokens(edit.pointer) ?? []
  const last = tokens.at(-1)
  const { node: list } = locate(tree, pointerOf(tokens.slice(0, -1)))
  if (list?.type !== 'array' || last === undefined) throw notThere(edit.pointer)
  const size = list.children?.length ?? 0
  const index = last === '-' ? size : /^(?:0|[1-9][0-9]{0,8})$/.test(last) ? Number(last) : size + 1
  if (index > size) throw notThere(edit.pointer)
  const successor = list.children?.[index]
  if (!successor) return addition(body, list, '', edit, style)
  const indent = indentAt(body, successor.offset)
  const between = multiline(body, list) ? `,${style.eol}${indent}` : ', '
  return { offset: successor.offset, length: 0, text: printed(edit, style, indent) + between }
}

/** A new last member or element. */
function addition(body: string, container: Node, label: string, json: NewJson, style: Style): Span {
  const last = container.children?.at(-1)
  const outer = indentAt(body, container.offset)
  if (last) {
    const spread = multiline(body, container)
    const indent = spread ? indentAt(body, last.offset) : outer
    const lead = spread ? `,${style.eol}${indent}` : ', '
    return { offset: last.offset + last.length, length: 0, text: lead + label + printed(json, style, indent) }
  }
  const inner = `${outer}${style.unit}`
  const content = label + printed(json, style, inner)
  const text = style.unit === '' ? content : `${style.eol}${inner}${content}${style.eol}${outer}`
  return { offset: container.offset + 1, length: container.length - 2, text }
}

interface Style {
  /** One level of indent; empty for a text on one line. */
  readonly unit: string
  readonly eol: string
}

function styleOf(body: string): Style {
  const first = /(\r?\n)([ \t]+)\S/.exec(body)
  return { unit: first?.[2] ?? '', eol: first?.[1] ?? '\n' }
}

function printed(json: NewJson, style: Style, indent: string): string {
  if ('raw' in json) return json.raw
  const text = JSON.stringify(json.value, null, style.unit)
  return text.replaceAll('\n', style.eol + indent)
}

/** Whitespace at the start of the line of `offset`. */
function indentAt(body: string, offset: number): string {
  const start = body.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(body.slice(start, offset))?.[0] ?? ''
}

function multiline(body: string, node: Node): boolean {
  const first = node.children?.[0]
  return first !== undefined && body.slice(node.offset, first.offset).includes('\n')
}

function spanned(node: Node): Pick<Span, 'offset' | 'length'> {
  return { offset: node.offset, length: node.length }
}

function notThere(pointer: string): SatchelError {
  const details = { pointer: quoted(pointer, 200) }
  return refusals.pointer_not_found(details, { details })
}

/** Appends every value to the list at `pointer`. */
export function appendEdits(pointer: string, values: readonly unknown[]): JsonEdit[] {
  return values.map((value) => ({ op: 'insert', pointer: childPointer(pointer, '-'), value }))
}
