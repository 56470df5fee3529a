import { isJsonObject } from '../platform/json-object.ts'
import { CutList, CutText } from './cut.ts'

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

type Scalar = string | number | boolean | null

/** Lays out every member of an object, in order. */
export function layoutOf(object: Readonly<Record<string, unknown>>): Block[] {
  return Object.entries(object).flatMap(([label, value]) => blocksOf(label, value))
}

function blocksOf(label: string, value: unknown): Block[] {
  if (value === undefined) return []
  if (value instanceof CutText) return [{ kind: 'text', label, text: value.text, lines: value.shown }]
  if (value instanceof CutList) return listBlocks(`${label} (${value.shown})`, value.entries, value.first)
  if (typeof value === 'string' && isBlock(value))
    return [{ kind: 'text', label, text: value, lines: lineCount(value) }]
  if (isScalar(value)) return [{ kind: 'line', label, value: scalarText(value) }]
  if (Array.isArray(value)) {
    if (value.length === 0) return [{ kind: 'line', label, value: 'none' }]
    return listBlocks(value.every(isScalar) ? label : `${label} (${value.length})`, value, 1)
  }
  return isJsonObject(value) ? objectBlocks(label, value) : []
}

function objectBlocks(label: string, object: Readonly<Record<string, unknown>>): Block[] {
  const { tool, args } = object
  if (typeof tool === 'string' && isJsonObject(args) && Object.keys(object).length === 2)
    return [{ kind: 'line', label, value: `${tool} ${JSON.stringify(args)}` }]
  const members = Object.entries(object).filter(([, value]) => value !== undefined)
  if (members.length === 0) return [{ kind: 'line', label, value: 'none' }]
  const shared = members.map(([name, value]) =>
    isScalar(value) && !isBlock(value) ? `${name}: ${scalarText(value)}` : undefined,
  )
  const line = shared.every((part) => part !== undefined) ? shared.join(', ') : undefined
  if (line !== undefined && line.length <= SHARED_LINE_CHARS) return [{ kind: 'line', label, value: line }]
  return [{ kind: 'group', label, blocks: layoutOf(object) }]
}

function listBlocks(label: string, entries: readonly unknown[], first: number): Block[] {
  if (entries.every((entry): entry is Scalar => isScalar(entry) && !isBlock(entry))) {
    const items = entries.map(scalarText)
    const line = items.join(', ')
    if (line.length <= SHARED_LINE_CHARS && !items.some((item) => item.includes(',')))
      return [{ kind: 'line', label, value: line }]
    return [{ kind: 'items', label, items }]
  }
  const table = tableOf(label, entries)
  if (table) return [table]
  return [
    {
      kind: 'entries',
      label,
      first,
      entries: entries.map((entry) =>
        isJsonObject(entry) && !(entry instanceof CutText) ? layoutOf(entry) : blocksOf('', entry),
      ),
    },
  ]
}

/** Returns a table for a list of flat objects with few columns; undefined for any other list. */
function tableOf(label: string, entries: readonly unknown[]): Block | undefined {
  if (entries.length < ROWS_MIN || !entries.every(isFlat)) return undefined
  const header = [...new Set(entries.flatMap((entry) => Object.keys(entry)))]
  if (header.length < 2 || header.length > COLUMNS_MAX) return undefined
  const rows = entries.map((entry) =>
    header.map((name) => (entry[name] === undefined ? '' : scalarText(entry[name]))),
  )
  return { kind: 'table', label, header, rows }
}

/** True for an object whose values fit into cells. */
function isFlat(entry: unknown): entry is Readonly<Record<string, Scalar | undefined>> {
  return (
    isJsonObject(entry) &&
    Object.values(entry).every(
      (value) =>
        value === undefined || (isScalar(value) && !isBlock(value) && !String(value).includes(' | ')),
    )
  )
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** True for a string that needs lines of its own. */
function isBlock(value: Scalar | unknown): boolean {
  return typeof value === 'string' && (value.includes('\n') || value.length > LINE_MAX_CHARS)
}

function scalarText(value: Scalar): string {
  if (value === null) return 'none'
  if (typeof value !== 'string') return String(value)
  return value === '' || value.trim() !== value ? `"${value}"` : value
}

function lineCount(text: string): string {
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return count === 1 ? '1 line' : `${count} lines`
}
