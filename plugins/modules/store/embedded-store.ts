import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SatchelError } from '../../../server/plugin.ts'
import type { StoredRecord } from '../embed/vector-record.ts'
import { type PackedVectors, scan, unpackStore } from './packed-vectors.ts'
import { refuseOtherStore } from './store-header.ts'
import {
  passes,
  type VectorChanges,
  type VectorFilter,
  type VectorHit,
  type VectorStore,
} from './vector-store.ts'

const MAX_RECORDS = 25_000
const MAX_FILE_BYTES = 400 * 1024 * 1024
/** Bytes of one record beside its document: vector, metadata, punctuation. */
const RECORD_OVERHEAD_BYTES = 5000

/** Runs `work` while no other process writes the store. Errors: `conflict`/`ingest_running`. */
export type StoreLock = <T>(folder: string, work: () => Promise<T>) => Promise<T>

interface Loaded {
  readonly stamp: string
  readonly packed: PackedVectors
}

/**
 * The store that needs no server: vectra's file in `folder`, searched by an exact scan of its vectors in memory.
 * Reading never loads vectra. Each call looks whether the file changed and keeps the old content until the new is whole.
 */
export function embeddedStore(folder: string, lock: StoreLock): VectorStore {
  const file = join(folder, 'index.json')
  let loaded: Loaded | undefined

  const load = async (): Promise<PackedVectors | undefined> => {
    const stamp = await stampOf(file)
    if (stamp === undefined) return undefined
    if (loaded?.stamp !== stamp) loaded = { stamp, packed: unpackStore(await readFile(file, 'utf8'), file) }
    return loaded.packed
  }

  return {
    header: async () => (await load())?.header,
    async digests() {
      const packed = await load()
      return new Map(packed?.records.map(({ id, metadata }) => [id, metadata.document_sha256]))
    },
    async apply(header, changes) {
      await lock(folder, async () => {
        const packed = await load()
        if (packed) refuseOtherStore(packed.header, header)
        refuseTooMuch(packed, changes)
        const { updateIndex } = await import('./vectra.lazy.ts')
        await updateIndex(folder, header, changes)
      })
    },
    async query(vector, filter) {
      const packed = await load()
      return packed ? nearest(packed, vector, filter) : []
    },
    list: async (filter) => ((await load())?.records ?? []).filter((record) => passes(record, filter)),
    count: async () => (await load())?.records.length ?? 0,
    close: async () => {
      loaded = undefined
    },
  }
}

/** Records that pass the filter with their similarity, in the order of the store. */
export function nearest(packed: PackedVectors, vector: Float32Array, filter: VectorFilter): VectorHit[] {
  const wanted = packed.records.map((record) => passes(record, filter))
  const scores = scan(packed, vector, (row) => wanted[row] === true)
  return packed.records.flatMap((record: StoredRecord, row) =>
    wanted[row] ? [{ ...record, cosine: scores[row] ?? 0 }] : [],
  )
}

async function stampOf(file: string): Promise<string | undefined> {
  const stats = await stat(file, { bigint: true }).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return undefined
    throw thrown
  })
  return stats && `${stats.mtimeNs}:${stats.size}:${stats.ino}`
}

/** One JSON text ends at 512 MB; the refusal comes before anything is written. */
function refuseTooMuch(packed: PackedVectors | undefined, changes: VectorChanges): void {
  const documents = new Map(packed?.records.map(({ id, document }) => [id, document.length]))
  for (const id of changes.remove) documents.delete(id)
  for (const { id, document } of changes.upsert) documents.set(id, document.length)
  let bytes = 0
  for (const length of documents.values()) bytes += length + RECORD_OVERHEAD_BYTES
  if (documents.size <= MAX_RECORDS && bytes <= MAX_FILE_BYTES) return
  throw new SatchelError(
    'too_large',
    'store_full',
    `The vector file would hold ${documents.size} records; its limit is ${MAX_RECORDS} records or 400 MB. ` +
      'Use a ChromaDB server: set embedding.vectordb_host and vectordb_port.',
    { details: { records: documents.size, max_records: MAX_RECORDS } },
  )
}
