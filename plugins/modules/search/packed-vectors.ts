import * as z from 'zod'
import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { parseHeader, type StoreHeader } from './store-header.ts'
import type { StoredRecord } from './vector-record.ts'

/** The store of version 0.1.0: one row of `vectors` per record, all of length 1. */
export interface PackedVectors {
  readonly header: StoreHeader
  readonly records: readonly StoredRecord[]
  readonly vectors: Float32Array
}

const storeFile = z.object({ satchel: z.unknown(), items: z.array(z.unknown()) })

const record = z.object({
  id: z.string(),
  vector: z.custom<readonly number[]>(Array.isArray),
  metadata: z.object({
    repository: z.string(),
    ref: z.string(),
    path: z.string(),
    provider: z.string(),
    providers: z.string(),
    tags: z.string(),
    last_updated: z.string(),
    kind: z.string(),
    latest: z.boolean().catch(false),
    document_sha256: z.string(),
    document: z.string(),
  }),
})

/**
 * Reads vectra's file format. `file` is for messages.
 * Errors: `conflict`/`store_damaged` for anything that is not a complete store.
 */
export function unpackStore(text: string, file: string): PackedVectors {
  const store = storeFile.safeParse(parseJson(text, file))
  if (!store.success) throw damaged(file, 'its records are missing')
  const { satchel, items } = store.data
  const header = parseHeader(satchel, file)
  if (!header) throw damaged(file, 'its header is missing')
  const { dims } = header
  const vectors = new Float32Array(items.length * dims)
  const records = items.map((item, row) => {
    const known = record.safeParse(item)
    if (!known.success) throw damaged(file, `its record ${row} lacks a field`)
    const { document, ...metadata } = known.data.metadata
    const { vector } = known.data
    // Not by the schema, which would look at each of some million numbers by a call.
    if (vector.length !== dims || !vector.every(Number.isFinite))
      throw damaged(file, `its record ${row} has no vector of ${dims} numbers`)
    vectors.set(vector, row * dims)
    return { id: known.data.id, document, metadata }
  })
  return { header, records, vectors }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(file, 'it is not complete JSON')
  }
}

/** A store that cannot be read; its file is never touched. */
function damaged(file: string, why: string): SatchelError {
  return refusals.store_damaged({ file, why })
}
