import { SatchelError } from '../../../server/plugin.ts'
import type { StoredRecord } from '../embed/vector-record.ts'
import { parseHeader, type StoreHeader } from './store-header.ts'

/** A store's file in memory: one row of `vectors` per record, all of length 1. Immutable. */
export interface PackedVectors {
  readonly header: StoreHeader
  readonly records: readonly StoredRecord[]
  readonly vectors: Float32Array
}

/**
 * Reads vectra's file format: parse once, copy the numbers into one array, drop the rest.
 * `file` is for messages.
 * Errors: `conflict`/`store_damaged` for anything that is not a whole store.
 */
export function unpackStore(text: string, file: string): PackedVectors {
  const parsed = parse(text, file)
  const header = parseHeader(parsed.satchel)
  if (!header || !Array.isArray(parsed.items)) throw damaged(file, 'its header is missing')
  const vectors = new Float32Array(parsed.items.length * header.dims)
  const records = parsed.items.map((item: unknown, row: number) => {
    const { id, metadata, vector } = (item ?? {}) as { id?: unknown; metadata?: unknown; vector?: unknown }
    if (typeof id !== 'string' || !Array.isArray(vector) || vector.length !== header.dims) {
      throw damaged(file, `its record ${row} has no vector of ${header.dims} numbers`)
    }
    vectors.set(vector, row * header.dims)
    return { id, ...recordOf(metadata, file, row) }
  })
  if (!areFinite(vectors)) throw damaged(file, 'it holds numbers that are none')
  return { header, records, vectors }
}

/** A plain loop: a call per number would cost more than reading the file. */
function areFinite(vectors: Float32Array): boolean {
  let sum = 0
  // a number times 0 is 0, anything else stays NaN
  for (let at = 0; at < vectors.length; at++) sum += (vectors[at] ?? 0) * 0
  return sum === 0
}

function parse(text: string, file: string): { satchel?: unknown; items?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // told below: the parser's own words help nobody
  }
  throw damaged(file, 'it is no whole JSON')
}

function recordOf(metadata: unknown, file: string, row: number): Omit<StoredRecord, 'id'> {
  if (typeof metadata !== 'object' || metadata === null)
    throw damaged(file, `its record ${row} has no metadata`)
  const { document, ...rest } = metadata as { document?: unknown }
  const names = [
    'repository',
    'ref',
    'path',
    'provider',
    'providers',
    'tags',
    'last_updated',
    'kind',
    'document_sha256',
  ]
  const whole =
    names.every((name) => typeof Reflect.get(rest, name) === 'string') && typeof document === 'string'
  if (!whole) throw damaged(file, `its record ${row} lacks a field`)
  return { metadata: rest as StoredRecord['metadata'], document: document as string } // every field was just checked
}

/** Errors of a store that cannot be read. Its file is never touched. */
export function damaged(file: string, why: string): SatchelError {
  return new SatchelError(
    'conflict',
    'store_damaged',
    `The vector store ${file} cannot be read: ${why}. Run: satchel modules rebuild, or ingest into another embedding.vectordb_path.`,
  )
}

/**
 * The similarity of `query` to every row that `wanted` admits, as row -> cosine; other rows are NaN.
 * Exact: a plain scan with four accumulators.
 */
export function scan(
  packed: PackedVectors,
  query: Float32Array,
  wanted: (row: number) => boolean,
): Float32Array {
  const { dims } = packed.header
  const { vectors } = packed
  const scores = new Float32Array(packed.records.length)
  for (let row = 0; row < scores.length; row++) {
    scores[row] = wanted(row) ? dot(vectors, row * dims, query) : Number.NaN
  }
  return scores
}

function dot(vectors: Float32Array, start: number, query: Float32Array): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = 0
  const whole = query.length - (query.length % 4)
  for (; i < whole; i += 4) {
    const at = start + i
    // typed-array reads inside their bounds are numbers; the fallback is never taken
    a += (vectors[at] ?? 0) * (query[i] ?? 0)
    b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0)
    c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0)
    d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0)
  }
  for (; i < query.length; i++) a += (vectors[start + i] ?? 0) * (query[i] ?? 0)
  return a + b + c + d
}
