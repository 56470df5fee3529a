import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { parseHeader, type StoreHeader } from './store-header.ts'
import type { StoredRecord } from './vector-record.ts'

/** A store's file in memory: one row of `vectors` per record, all of length 1. Immutable. */
export interface PackedVectors {
  readonly header: StoreHeader
  readonly records: readonly StoredRecord[]
  readonly vectors: Float32Array
}

/** A record as read from the file, unchecked. */
export interface RawRecord {
  readonly id?: unknown
  readonly metadata?: unknown
}

/**
 * Reads vectra's file format: parse once, copy the numbers into one array, drop the rest.
 * `file` is for messages.
 * Errors: `conflict`/`store_damaged` for anything that is not a complete store.
 */
export function unpackStore(text: string, file: string): PackedVectors {
  const { satchel, items } = parse(text, file)
  if (!Array.isArray(items)) throw damaged(file, 'its records are missing')
  const unpacking = startUnpacking(satchel, items.length, file)
  const { dims } = unpacking.header
  const rows = items.map((item: unknown) => (item ?? {}) as RawRecord & { readonly vector?: unknown })
  rows.forEach(({ vector }, row) => {
    if (!Array.isArray(vector) || vector.length !== dims) throw withoutVector(file, row, dims)
    unpacking.vectors.set(vector, row * dims)
  })
  unpacking.add(rows)
  return unpacking.finish()
}

/** Starts a store of `count` records: the caller fills `vectors`. Errors: `conflict`/`store_damaged`. */
export function startUnpacking(satchel: unknown, count: number, file: string) {
  const header = parseHeader(satchel, file)
  if (!header) throw damaged(file, 'its header is missing')
  const vectors = new Float32Array(count * header.dims)
  const records: StoredRecord[] = []
  return {
    header,
    vectors,
    /** Adds the records that follow. */
    add(rows: readonly RawRecord[]): void {
      for (const { id, metadata } of rows) {
        const record = recordOf(id, metadata, file, records.length)
        records.push(record)
      }
    },
    finish(): PackedVectors {
      if (!areFinite(vectors)) throw damaged(file, 'it holds numbers that are none')
      return { header, records, vectors }
    },
  }
}

/** The error of a store with a record that lacks a complete vector. */
export function withoutVector(file: string, row: number, dims: number): SatchelError {
  return damaged(file, `its record ${row} has no vector of ${dims} numbers`)
}

/** A plain loop: a call per number would cost more than reading the file. */
function areFinite(vectors: Float32Array): boolean {
  let [a, b, c, d] = [0, 0, 0, 0] // four sums do not wait for each other
  // a number times 0 is 0, anything else stays NaN
  for (let at = 0; at < vectors.length; at += 4) {
    a += (vectors[at] ?? 0) * 0
    b += (vectors[at + 1] ?? 0) * 0
    c += (vectors[at + 2] ?? 0) * 0
    d += (vectors[at + 3] ?? 0) * 0
  }
  return a + b + c + d === 0
}

function parse(text: string, file: string): { satchel?: unknown; items?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // reported below: the parser's message would not help
  }
  throw damaged(file, 'it is not complete JSON')
}

/** Written out field by field: a loop over names would cost a third of parsing the file. */
function recordOf(id: unknown, metadata: unknown, file: string, row: number): StoredRecord {
  const stored = (metadata ?? {}) as Partial<Record<string, unknown>> // every member is checked
  const { repository, ref, path, provider, providers } = stored
  const { tags, last_updated, kind, document_sha256, document } = stored
  if (
    typeof id === 'string' &&
    typeof repository === 'string' &&
    typeof ref === 'string' &&
    typeof path === 'string' &&
    typeof provider === 'string' &&
    typeof providers === 'string' &&
    typeof tags === 'string' &&
    typeof last_updated === 'string' &&
    typeof kind === 'string' &&
    typeof document_sha256 === 'string' &&
    typeof document === 'string'
  ) {
    const latest = stored['latest'] === true
    const shown = {
      repository,
      ref,
      path,
      provider,
      providers,
      tags,
      last_updated,
      kind,
      latest,
      document_sha256,
    }
    return { id, document, metadata: shown }
  }
  throw damaged(file, `its record ${row} lacks a field`)
}

/** Errors of a store that cannot be read. Its file is never touched. */
export function damaged(file: string, why: string): SatchelError {
  return refusals.store_damaged({ file, why })
}
