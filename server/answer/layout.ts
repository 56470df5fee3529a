import { isJsonObject } from '../platform/json-object.ts'
import { CutList, CutText } from './cut.ts'
import { Literal } from './literal.ts'

/** One part of an answer, before it is printed for a model or a person. */
export type Block =
  | { readonly kind: 'line'; readonly label: string; readonly value: string }
  | { readonly kind: 'text'; readonly label: string; readonly text: string; readonly lines: string }
  | { readonly kind: 'items'; readonly label: string; readonly items: readonly string[] }
  | {
      readonly kind: 'table'
      readonly label: string
      readonly header: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly kind: 'group'; readonly label: string; readonly blocks: readonly Block[] }
  /** A list whose entries have parts of their own; `first` is the number of the first entry. */
  | {
      readonly kind: 'entries'
      readonly label: string
      readonly first: number
      readonly entries: readonly (readonly Block[])[]
    }

/** Length in characters above which a string becomes a block of its own. */
const LINE_MAX_CHARS = 400
/** Length in characters up to which short values share a line. */
const SHARED_LINE_CHARS = 160
/** Number of columns up to which a list of flat objects becomes a table. */
const COLUMNS_MAX = 8
/** Fewest entries of a table: below, its header costs more than the labels. */
const ROWS_MIN = 3

type Scalar = string | number | boolean | null | Literal

/** Lays out every member of an object that is `shown`, in order. */
export function layoutOf(
  object: Readonly<Record<string, unknown>>,
  shown?: (member: string) => boolean,
): Block[] {
  const blocks: Block[] = []
  for (const label of Object.keys(object)) {
    if (shown && !shown(label)) continue
    const block = blockOf(label, object[label])
    if (block) blocks.push(block)
  }
  return blocks
}

function blockOf(label: string, value: unknown): Block | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && isBlock(value))
    return { kind: 'text', label, text: value, lines: lineCount(value) }
  if (value instanceof Literal && isBlock(value))
    return { kind: 'text', label, text: value.text, lines: lineCount(value.text) }
  if (isScalar(value)) return { kind: 'line', label, value: scalarText(value) }
  if (Array.isArray(value)) {
    if (value.length === 0) return { kind: 'line', label, value: 'none' }
    return listBlock(value.every(isScalar) ? label : `${label} (${value.length})`, value, 1)
  }
  if (value instanceof CutText) return { kind: 'text', label, text: value.text, lines: value.shown }
  if (value instanceof CutList) return listBlock(`${label} (${value.shown})`, value.entries, value.first)
  return isJsonObject(value) ? objectBlock(label, value) : undefined
}

function objectBlock(label: string, object: Readonly<Record<string, unknown>>): Block {
  const { tool, args } = object
  if (typeof tool === 'string' && isJsonObject(args) && Object.keys(object).length === 2)
    return { kind: 'line', label, value: `${tool} ${JSON.stringify(args)}` }
  const line = sharedLine(object)
  if (line !== undefined) return { kind: 'line', label, value: line === '' ? 'none' : line }
  return { kind: 'group', label, blocks: layoutOf(object) }
}

/** The members of an object on one line; undefined if they are too long for it. */
function sharedLine(object: Readonly<Record<string, unknown>>): string | undefined {
  let line = ''
  for (const name of Object.keys(object)) {
    const value = object[name]
    if (value === undefined) continue
    if (!isScalar(value) || isBlock(value)) return undefined
    line += `${line === '' ? '' : ', '}${name}: ${scalarText(value)}`
    if (line.length > SHARED_LINE_CHARS) return undefined
  }
  return line
}

function listBlock(label: string, entries: readonly unknown[], first: number): Block {
  if (entries.every((entry): entry is Scalar => isScalar(entry) && !isBlock(entry))) {
    const items = entries.map(scalarText)
    const line = items.join(', ')
    if (line.length <= SHARED_LINE_CHARS && !items.some((item) => item.includes(',')))
      return { kind: 'line', label, value: line }
    return { kind: 'items', label, items }
  }
  const table = tableOf(label, entries)
  if (table) return table
  return { kind: 'entries', label, first, entries: entries.map(entryBlocks) }
}

function entryBlocks(entry: unknown): readonly Block[] {
  if (isJsonObject(entry) && !(entry instanceof CutText)) return layoutOf(entry)
  const block = blockOf('', entry)
  return block ? [block] : []
}

/** Returns a table for a list of flat objects with few columns; undefined for any other list. */
function tableOf(label: string, entries: readonly unknown[]): Block | undefined {
  if (entries.length < ROWS_MIN) return undefined
  const header: string[] = []
  const rows: string[][] = []
  for (const entry of entries) {
    const row = isJsonObject(entry) ? rowOf(entry, header) : undefined
    if (!row) return undefined
    rows.push(row)
  }
  if (header.length < 2) return undefined
  for (const row of rows) for (let at = row.length; at < header.length; at++) row.push('')
  return { kind: 'table', label, header, rows }
}

/** The cells of an object, whose new columns are added to `header`; undefined if it does not fit into a row. */
function rowOf(entry: Readonly<Record<string, unknown>>, header: string[]): string[] | undefined {
  const row: string[] = header.map(() => '')
  for (const name of Object.keys(entry)) {
    const value = entry[name]
    let at = header.indexOf(name)
    if (at < 0) at = header.push(name) - 1
    if (at >= COLUMNS_MAX) return undefined
    row[at] = ''
    if (value === undefined) continue
    if (!isScalar(value) || isBlock(value) || String(value).includes(' | ')) return undefined
    row[at] = scalarText(value)
  }
  return row
}

function isScalar(value: unknown): value is Scalar {
  return (
    typeof value === 'string' ||
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    value === null ||
    value instanceof Literal
  )
}

/** True for a string or a literal that needs lines of its own. */
function isBlock(value: Scalar | unknown): boolean {
  if (value instanceof Literal) return value.text.length > LINE_MAX_CHARS
  return typeof value === 'string' && (value.length > LINE_MAX_CHARS || value.includes('\n'))
}

function scalarText(value: Scalar): string {
  if (value instanceof Literal) return value.text
  if (value === null) return 'none'
  if (typeof value !== 'string') return String(value)
  return value === '' || value.trim() !== value ? `"${value}"` : value
}

function lineCount(text: string): string {
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return count === 1 ? '1 line' : `${count} lines`
}
