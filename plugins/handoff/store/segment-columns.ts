import { createHash } from 'node:crypto'
import { FLAGS, RELATIONS, STATUSES } from '../domain/record.ts'
import { type RecordRow, SEARCH_FIELDS, type SearchText } from '../domain/record-row.ts'
import { timeOf } from '../domain/record-time.ts'
import type { Problem } from './read-record.ts'

/**
 * The fixed facts of files in groups of arrays that are read together, each with the kind of its numbers and how many
 * one row has. Numbers of eight bytes come first in a group: its arrays need no gaps between them.
 */
export const GROUPS = {
  /** The ids as bytes, and the rows in the order of these. */
  keys: { key: [Uint32Array, 4], order: [Uint16Array, 1] },
  times: { updated: [Float64Array, 1] },
  states: { bits: [Uint32Array, 1] },
  /** Whose record it is. */
  owners: { session: [Uint32Array, 1], claim: [Uint32Array, 1] },
  /** What it is about. */
  origins: { project: [Uint32Array, 1], branch: [Uint32Array, 1] },
  /** What a look at files compares. */
  files: { mtime: [Float64Array, 1], size: [Uint32Array, 1] },
  /** Where row and text of a record are. */
  places: {
    rowAt: [Uint32Array, 1],
    rowSize: [Uint32Array, 1],
    rowCrc: [Uint32Array, 1],
    textAt: [Uint32Array, 1],
    textSize: [Uint32Array, 1],
    textCrc: [Uint32Array, 1],
  },
  /** What few lists ask. */
  rare: {
    created: [Float64Array, 1],
    harness: [Uint32Array, 1],
    actor: [Uint32Array, 1],
    idempotency: [Uint32Array, 1],
  },
  /** Different words in each searchable field. */
  lengths: { lengths: [Uint16Array, SEARCH_FIELDS.length] },
} as const
export type Group = keyof typeof GROUPS
type ArrayOf<T> = T extends readonly [new (length: number) => infer A, number] ? A : never
export type Columns<G extends Group> = {
  readonly [name in keyof (typeof GROUPS)[G]]: ArrayOf<(typeof GROUPS)[G][name]>
}

/** Bytes of one row in the columns of a group. */
export function rowBytes(group: Group): number {
  return columnsOf(group).reduce((sum, [, Kind, width]) => sum + Kind.BYTES_PER_ELEMENT * width, 0)
}

/** The columns of a group for `count` rows as views of its bytes, which are `rowBytes` for each row. */
export function viewOf<G extends Group>(group: G, bytes: ArrayBuffer, count: number): Columns<G> {
  let at = 0
  const views = columnsOf(group).map(([name, Kind, width]) => {
    const view = new Kind(bytes, at, count * width)
    at += view.byteLength
    return [name, view]
  })
  return Object.fromEntries(views) as Columns<G> // one view for each column
}

type Kind = typeof Float64Array | typeof Uint32Array | typeof Uint16Array

function columnsOf(group: Group): readonly (readonly [string, Kind, number])[] {
  const columns: Readonly<Record<string, readonly [Kind, number]>> = GROUPS[group]
  return Object.entries(columns).map(([name, [Kind, width]]) => [name, Kind, width])
}

/** What the index keeps of one file of the store: a row or a problem. */
export interface IndexedFile {
  readonly key: Buffer
  readonly mtimeMs: number
  readonly size: number
  readonly createdMs: number
  readonly parents: readonly Buffer[]
  readonly content: { readonly name: string; readonly row?: RecordRow; readonly problem?: Problem }
  /** The searchable fields in their order, with single blanks. */
  readonly text?: readonly string[]
}

interface Found {
  readonly name: string
  readonly mtimeMs: number
  readonly size: number
  readonly row?: RecordRow
  /** As `IndexedFile.text`. */
  readonly fields?: readonly string[]
  readonly problem?: Problem
}

/** The searchable fields as the index keeps them. */
export function fieldsOf(text: SearchText): readonly string[] {
  return SEARCH_FIELDS.map((field) => text[field].replace(/[\s\u0000]+/g, ' '))
}

/** A file as the index keeps it. */
export function indexedFile({ name, mtimeMs, size, row, fields, problem }: Found): IndexedFile {
  return {
    key: keyOf(name.replace(/\.json$/, '')),
    mtimeMs,
    size,
    createdMs: row ? (timeOf(row.created_at) ?? row.updatedMs) : 0,
    parents: row ? [...new Set(row.parents.map((id) => id.toLowerCase()))].map(keyOf) : [],
    content: { name, ...(row && { row }), ...(problem && { problem }) },
    ...(fields && { text: fields }),
  }
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** 16 bytes that identify a file: those of its uuid, or a hash of another name. */
export function keyOf(id: string): Buffer {
  return UUID.test(id)
    ? Buffer.from(id.replaceAll('-', ''), 'hex')
    : createHash('sha256').update(`file ${id.toLowerCase()}`).digest().subarray(0, 16)
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** The uuid whose bytes are the key of a row. Whole stores ask for it: a buffer for each would take three times as long. */
export function idAt(key: Uint32Array, row: number): string {
  const at = row * 4
  const a = key[at] ?? 0
  const b = key[at + 1] ?? 0
  const c = key[at + 2] ?? 0
  const d = key[at + 3] ?? 0
  return `${half(a)}${half(a >>> 16)}-${half(b)}-${half(b >>> 16)}-${half(c)}-${half(c >>> 16)}${half(d)}${half(d >>> 16)}`
}

function half(word: number): string {
  return `${PAIRS[word & 0xff]}${PAIRS[(word >>> 8) & 0xff]}`
}

const hashes = new Map<string, number>()
const MAX_HASHES = 10_000

/** A number for comparisons of texts; 0 for none. A caller that must be sure compares the row's text too. */
export function textHash(text: string | null | undefined): number {
  if (text === null || text === undefined) return 0
  const known = hashes.get(text)
  if (known !== undefined) return known
  const hash = createHash('sha256').update(text).digest().readUInt32LE() || 1
  if (hashes.size < MAX_HASHES) hashes.set(text, hash)
  return hash
}

const PROBLEM = 1

/** Kind, status, flags, relation and skeleton in one number. */
export function rowBits(row: RecordRow | undefined): number {
  if (!row) return PROBLEM
  const flags = FLAGS.reduce((bits, flag, n) => bits | (row.flags.includes(flag) ? 1 << n : 0), 0)
  const status = STATUSES.indexOf(row.status)
  return (status << 2) | (flags << 5) | (RELATIONS.indexOf(row.relation) << 7) | (row.skeleton ? 1 << 10 : 0)
}

/** True for a damaged file, false for a record. */
export function isProblemIn(bits: number): boolean {
  return (bits & 3) === PROBLEM
}

/** The position of the status in `STATUSES`. */
export function statusIn(bits: number): number {
  return (bits >> 2) & 7
}

export function flagsIn(bits: number): number {
  return (bits >> 5) & 3
}

export function relationIn(bits: number): number {
  return (bits >> 7) & 7
}

export function isSkeletonIn(bits: number): boolean {
  return (bits & (1 << 10)) !== 0
}
