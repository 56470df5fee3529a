import { createHash } from 'node:crypto'
import { isJsonObject } from '../platform/json-object.ts'
import { CutList, CutText } from './cut.ts'

/**
 * Data as a sequence of units that a page can hold or leave to the next one: entries of lists, lines of long strings,
 * members of large objects. Everything else belongs to every page.
 */
export type Units = { readonly count: number; readonly weights: readonly number[]; readonly root: Node }

type Node =
  | { readonly kind: 'fixed'; readonly value: unknown }
  | { readonly kind: 'unit'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'text'; readonly from: number; readonly to: number; readonly pieces: readonly string[] }
  | { readonly kind: 'list'; readonly from: number; readonly to: number; readonly entries: readonly Node[] }
  | {
      readonly kind: 'object'
      readonly from: number
      readonly to: number
      readonly members: readonly (readonly [string, Node])[]
    }

export interface Grain {
  /** Weight above which an entry or member is divided. */
  readonly unit: number
  /** Length in characters above which a string is divided into lines. */
  readonly text: number
}

/** Number of members above which each member of an object is a unit. */
const MEMBERS_MAX = 40

/** A part of the units: from `from` to before `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Divides data into units. */
export function unitsOf(data: Readonly<Record<string, unknown>>, grain: Grain): Units {
  const weights: number[] = []
  const unit = (value: unknown): Node => {
    weights.push(weightOf(value))
    return { kind: 'unit', at: weights.length - 1, value }
  }
  const divided = (value: unknown): Node => {
    const from = weights.length
    if (typeof value === 'string' && value.length > grain.text) {
      const pieces = piecesOf(value, grain.unit)
      for (const piece of pieces) weights.push(piece.length)
      return { kind: 'text', from, to: weights.length, pieces }
    }
    if (Array.isArray(value) && value.length > 0) {
      const entries = value.map((entry) =>
        weightOf(entry) > grain.unit ? dividedOrUnit(entry) : unit(entry),
      )
      return { kind: 'list', from, to: weights.length, entries }
    }
    if (!isJsonObject(value)) return { kind: 'fixed', value }
    const all = Object.entries(value)
    const isLarge = all.length > MEMBERS_MAX
    const members = all.map(([name, member]): readonly [string, Node] => {
      const isSmall = weightOf(member) <= grain.unit
      return [name, isLarge ? (isSmall ? unit(member) : dividedOrUnit(member)) : divided(member)]
    })
    return weights.length === from
      ? { kind: 'fixed', value }
      : { kind: 'object', from, to: weights.length, members }
  }
  const dividedOrUnit = (value: unknown): Node => {
    const node = divided(value)
    return node.kind === 'fixed' ? unit(value) : node
  }
  const root = divided(data)
  return { count: weights.length, weights, root }
}

/** The data of a page: lists, strings and large objects hold what the span holds of them. */
export function dataIn(units: Units, span: Span): Record<string, unknown> {
  return valueIn(units.root, span, 'data') as Record<string, unknown> // the root is an object
}

/** The same for printing: what the span does not hold is absent, and what is cut says so. */
export function shownIn(units: Units, span: Span): Record<string, unknown> {
  return valueIn(units.root, span, 'shown') as Record<string, unknown> // the root is an object
}

/** Number of lists and strings that a page names of those it leaves to later pages as a whole. */
const LATER_MAX = 8

/**
 * Which part of each cut list or string the span holds: `results 1–10 of 40`; `notes 0 of 7` for what later pages hold
 * alone: its empty place in the data would say that there is nothing.
 */
export function partsIn({ root }: Units, span: Span): string[] {
  const later = laterIn(root, '', span)
  const more = later.length - LATER_MAX
  return [
    ...partsOf(root, '', span),
    ...later.slice(0, LATER_MAX),
    ...(more > 0 ? [`${more} more lists and texts 0`] : []),
  ]
}

function laterIn(node: Node, name: string, span: Span): string[] {
  if (node.kind === 'fixed' || node.kind === 'unit' || node.to <= span.to) return []
  if (node.kind === 'object') return node.members.flatMap(([member, child]) => laterIn(child, member, span))
  if (node.kind === 'list') {
    if (node.from >= span.to) return [`${name} 0 of ${node.entries.length}`]
    return node.entries.filter((entry) => isHeld(entry, span)).flatMap((entry) => laterIn(entry, name, span))
  }
  return node.from >= span.to ? [`${name} lines 0 of ${linesIn(node.pieces.join(''))}`] : []
}

function partsOf(node: Node, name: string, span: Span): string[] {
  if (node.kind === 'fixed' || node.kind === 'unit' || !overlaps(node, span)) return []
  if (node.kind === 'object') return node.members.flatMap(([member, child]) => partsOf(child, member, span))
  const isWhole = node.from >= span.from && node.to <= span.to
  if (node.kind === 'text') return isWhole ? [] : [`${name} ${textRange(node.pieces, node.from, span)}`]
  const inner = node.entries.flatMap((entry) => partsOf(entry, name, span))
  return isWhole ? inner : [`${name} ${listRange(node.entries, span).shown}`, ...inner]
}

/** Names the content of all units, in 12 hexadecimal digits. Members that are on every page do not count. */
export function contentHash({ root }: Units): string {
  const hash = createHash('sha256')
  const visit = (node: Node): void => {
    if (node.kind === 'unit') hash.update(JSON.stringify(node.value) ?? '')
    else if (node.kind === 'text') for (const piece of node.pieces) hash.update(piece)
    else if (node.kind === 'list') node.entries.forEach(visit)
    else if (node.kind === 'object') for (const [, member] of node.members) visit(member)
  }
  visit(root)
  return hash.digest('hex').slice(0, 12)
}

function valueIn(node: Node, span: Span, mode: 'data' | 'shown'): unknown {
  switch (node.kind) {
    case 'fixed':
    case 'unit':
      return node.value
    case 'text': {
      const text = node.pieces
        .slice(Math.max(0, span.from - node.from), Math.max(0, span.to - node.from))
        .join('')
      const isWhole = node.from >= span.from && node.to <= span.to
      return isWhole || mode === 'data' ? text : new CutText(text, textRange(node.pieces, node.from, span))
    }
    case 'list': {
      const held = node.entries.filter((entry) => isHeld(entry, span))
      const values = held.map((entry) => valueIn(entry, span, mode))
      if (mode === 'data' || (node.from >= span.from && node.to <= span.to)) return values
      const { first, shown } = listRange(node.entries, span)
      return new CutList(values, first, shown)
    }
    case 'object':
      return Object.fromEntries(
        node.members
          .filter(([, member]) => isHeld(member, span) || (mode === 'data' && member.kind !== 'unit'))
          .map(([name, member]) => [name, valueIn(member, span, mode)]),
      )
  }
}

function isHeld(node: Node, span: Span): boolean {
  if (node.kind === 'fixed') return true
  if (node.kind === 'unit') return node.at >= span.from && node.at < span.to
  return overlaps(node, span)
}

function overlaps(node: { readonly from: number; readonly to: number }, span: Span): boolean {
  return node.from < span.to && node.to > span.from
}

function listRange(entries: readonly Node[], span: Span): { first: number; shown: string } {
  const first = entries.findIndex((entry) => isHeld(entry, span)) + 1
  const last = entries.findLastIndex((entry) => isHeld(entry, span)) + 1
  return { first, shown: `${first === last ? first : `${first}–${last}`} of ${entries.length}` }
}

/** In lines, or in characters where a line itself is cut. */
function textRange(pieces: readonly string[], start: number, span: Span): string {
  const from = Math.max(0, span.from - start)
  const to = Math.min(pieces.length, span.to - start)
  const isLine = (at: number): boolean =>
    at === pieces.length || at === 0 || pieces[at - 1]?.endsWith('\n') === true
  const before = pieces.slice(0, from).join('')
  const held = pieces.slice(from, to).join('')
  const whole = pieces.join('')
  if (!isLine(from) || !isLine(to))
    return `characters ${before.length + 1}–${before.length + held.length} of ${whole.length}`
  return `lines ${linesIn(before) + 1}–${linesIn(before + held)} of ${linesIn(whole)}`
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

/** The lines of a text, each with its line end; longer ones in parts that split no character. */
function piecesOf(text: string, maxChars: number): string[] {
  return text.split(/(?<=\n)/).flatMap((line) => {
    if (line.length <= maxChars) return [line]
    const parts: string[] = []
    for (let from = 0; from < line.length; ) {
      let to = Math.min(line.length, from + maxChars)
      const code = line.charCodeAt(to - 1)
      if (to < line.length && code >= 0xd800 && code <= 0xdbff) to -= 1
      parts.push(line.slice(from, to))
      from = to
    }
    return parts
  })
}

/** About the length of a value as JSON, in characters. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (Array.isArray(value)) return value.reduce((sum: number, entry) => sum + weightOf(entry) + 1, 2)
  if (isJsonObject(value))
    return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + 4 + weightOf(member), 2)
  return String(value).length
}
