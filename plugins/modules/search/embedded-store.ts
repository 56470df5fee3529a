import { isAscii } from 'node:buffer'
import { join } from 'node:path'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { absentIfDamaged } from '../output/stored-format.ts'
import { refusals } from '../reasons.ts'
import { type PackedVectors, similarity, unpackStore } from './packed-vectors.ts'
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

/** A smaller file is parsed in this thread: it takes less than 200 ms, and starting a thread costs more. */
const IN_PLACE_BYTES = 16 * 1024 * 1024

interface Loaded {
  readonly stamp: string
  readonly packed: PackedVectors
}

interface Loading {
  readonly stamp: string
  readonly loaded: Promise<Loaded>
}

/**
 * The store that needs no server: vectra's file in `folder`, searched by an exact scan of its vectors in memory.
 * Reading never loads vectra. Each call looks whether the file changed and keeps the old content until the new is whole.
 */
export function embeddedStore(folder: string, lock: StoreLock, disk = realDisk): VectorStore {
  const file = join(folder, 'index.json')
  let loaded: Loaded | undefined
  let loading: Loading | undefined

  /** Concurrent searches share one read. */
  const load = async (): Promise<PackedVectors | undefined> => {
    const seen = await stampOf(file, disk)
    if (seen === undefined) return undefined
    if (loaded?.stamp === seen.stamp) return loaded.packed
    if (loading?.stamp !== seen.stamp) loading = { stamp: seen.stamp, loaded: readWhole(file, seen, disk) }
    const mine = loading
    try {
      loaded = await mine.loaded
      return loaded.packed
    } finally {
      if (loading === mine) loading = undefined
    }
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
        await updateIndex(folder, header, changes, disk)
      })
    },
    async replace(header, items) {
      await lock(folder, async () => {
        const held = await load().catch(absentIfDamaged('store_damaged'))
        const { lexicon_version, tokenizer_version } = header
        if (held) refuseOtherStore({ ...held.header, lexicon_version, tokenizer_version }, header)
        const { replaceIndex } = await import('./vectra.lazy.ts')
        await replaceIndex(folder, header, items, disk)
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

/** Records that pass the filter with their similarity, in the order of the store: an exact scan. */
export function nearest(packed: PackedVectors, vector: Float32Array, filter: VectorFilter): VectorHit[] {
  const { records, latest } = packed
  const hits: VectorHit[] = []
  for (let row = 0; row < records.length; row++) {
    if (filter.latestOnly && latest[row] === 0) continue
    const record = records[row]
    if (!record || !passes(record, filter)) continue
    const { id, document, metadata } = record
    hits.push({ id, document, metadata, cosine: similarity(packed, row, vector) })
  }
  return hits
}

interface Seen {
  readonly stamp: string
  readonly bytes: number
}

async function readWhole(file: string, { stamp, bytes }: Seen, disk: Disk): Promise<Loaded> {
  if (bytes <= IN_PLACE_BYTES) return { stamp, packed: unpackStore(textOf(await disk.readFile(file)), file) }
  const { unpackInThread } = await import('./unpack-thread.ts')
  return { stamp, packed: await unpackInThread(file) }
}

/** Most stores are ASCII, which needs no decoding: a fifth of what loading one takes. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}

async function stampOf(file: string, disk: Disk): Promise<Seen | undefined> {
  const stamp = await disk.stamp(file)
  return stamp === undefined ? undefined : { stamp, bytes: Number.parseInt(stamp, 10) } // it begins with the size
}

/** One JSON text ends at 512 MB; the refusal comes before anything is written. */
function refuseTooMuch(packed: PackedVectors | undefined, changes: VectorChanges): void {
  const documents = new Map(packed?.records.map(({ id, document }) => [id, document.length]))
  for (const id of changes.remove) documents.delete(id)
  for (const { id, document } of changes.upsert) documents.set(id, document.length)
  let bytes = 0
  for (const length of documents.values()) bytes += length + RECORD_OVERHEAD_BYTES
  if (documents.size <= MAX_RECORDS && bytes <= MAX_FILE_BYTES) return
  throw refusals.store_full(
    { records: documents.size, limit: MAX_RECORDS },
    { details: { records: documents.size, max_records: MAX_RECORDS } },
  )
}
