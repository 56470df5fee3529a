import { ChromaClient, ChromaNotFoundError, type Collection, type Where } from 'chromadb'
import { parsedJson } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { type ChromaPlace, type Reach, reachServer } from './chroma-reach.ts'
import { unpackText } from './packed-text.ts'
import { parseHeader, refuseOtherStore, type StoreHeader } from './store-header.ts'
import { keptMetadata, type StoredRecord } from './vector-record.ts'
import {
  matchesOf,
  type VectorChanges,
  type VectorFilter,
  type VectorHit,
  type VectorItem,
  type VectorStore,
} from './vector-store.ts'

/** The server refuses larger batches (its pre-flight check reports 5,461). */
const MAX_BATCH_RECORDS = 5000
const MAX_BATCH_BYTES = 16 * 1024 * 1024

type Metadata = Record<string, string | number | boolean>

/**
 * A ChromaDB server as a vector store: our own vectors, cosine space, our header as the collection's metadata.
 * Errors: `unavailable`/`vector_store_unreachable` naming host and port.
 */
export function chromaStore(place: ChromaPlace): VectorStore {
  const ssl = place.host.startsWith('https://')
  const host = place.host.replace(/^https?:\/\//, '').replace(/\/+$/, '')
  const client = new ChromaClient({ host, port: place.port, ssl })
  const reach = reachServer(client, place)

  const existing = (): Promise<Collection | undefined> =>
    reach(async () => {
      try {
        return await client.getCollection({ name: place.collection })
      } catch (thrown) {
        if (thrown instanceof ChromaNotFoundError) return undefined
        throw thrown
      }
    })

  const made = async (header: StoreHeader): Promise<Collection> => {
    const collection = await reach(() =>
      client.getOrCreateCollection({
        name: place.collection,
        embeddingFunction: null,
        metadata: headerMetadata(header),
        configuration: { hnsw: { space: 'cosine', ef_search: 400, ef_construction: 200 } },
      }),
    )
    // An existing collection silently keeps its own metadata: compare what is there now.
    const held = headerOf(collection)
    if (held) refuseOtherStore(held, header)
    return collection
  }

  return {
    async header() {
      const collection = await existing()
      return collection && headerOf(collection)
    },
    content: async () => undefined, // others may write to a server
    async digests() {
      const records = await everyRecord(await existing(), {}, reach)
      return new Map(records.map(({ id, metadata }) => [id, metadata.document_sha256]))
    },
    async apply(header, changes) {
      const collection = await made(header)
      await applyChanges(collection, changes, reach)
    },
    async replace(header, items) {
      const collection = await existing()
      if (collection && (await renewed(collection, header, items, reach))) return
      await applyChanges(await made(header), { upsert: items, touch: [], remove: [] }, reach)
    },
    async query(vector, filter, atLeast) {
      const collection = await existing()
      return matchesOf(collection ? await nearestOf(collection, { vector, filter, atLeast }, reach) : [])
    },
    list: async (filter) => everyRecord(await existing(), filter, reach),
    async count() {
      const collection = await existing()
      return collection ? reach(() => collection.count()) : 0
    },
    close: async () => {},
  }
}

interface Question {
  readonly vector: Float32Array
  readonly filter: VectorFilter
  readonly atLeast: number
}

async function nearestOf(
  collection: Collection,
  { vector, filter, atLeast }: Question,
  reach: Reach,
): Promise<VectorHit[]> {
  const total = await reach(() => collection.count())
  if (total === 0) return []
  const where = whereOf(filter)
  const answer = await reach(() =>
    collection.query({
      queryEmbeddings: [Array.from(vector)],
      nResults: Math.min(Math.max(atLeast, 1), total),
      include: ['metadatas', 'documents', 'distances'],
      ...(where && { where }),
    }),
  )
  return (answer.ids[0] ?? []).map((id, at): VectorHit => {
    const distance = answer.distances?.[0]?.[at] ?? 1
    return { ...recordOf(id, answer.metadatas[0]?.[at], answer.documents[0]?.[at]), cosine: 1 - distance }
  })
}

/**
 * Gives a collection of another lexicon or tokenizer new vectors; false when it is of this one or has no header.
 * Errors: `conflict`/`embedding_mismatch` for another strategy, model or size, and when it holds records that are not among `items`.
 */
async function renewed(
  collection: Collection,
  header: StoreHeader,
  items: readonly VectorItem[],
  reach: Reach,
): Promise<boolean> {
  const held = headerOf(collection)
  if (!held) return false
  const { lexicon_version, tokenizer_version } = header
  refuseOtherStore({ ...held, lexicon_version, tokenizer_version }, header)
  if (held.lexicon_version === lexicon_version && held.tokenizer_version === tokenizer_version) return false
  const ours = new Set(items.map(({ id }) => id))
  const others = (await everyId(collection, reach)).filter((id) => !ours.has(id))
  if (others.length > 0) {
    throw refusals.collection_shared({ count: others.length }, { details: { others: others.length } })
  }
  await applyChanges(collection, { upsert: items, touch: [], remove: [] }, reach)
  // Last: until every vector is new, the collection is refused as one of another lexicon.
  await reach(() => collection.modify({ metadata: headerMetadata(header) }))
  return true
}

async function applyChanges(collection: Collection, changes: VectorChanges, reach: Reach): Promise<void> {
  for (const ids of chunks(changes.remove, () => 64)) await reach(() => collection.delete({ ids: [...ids] }))
  for (const batch of chunks(unpacked(changes.upsert), itemBytes)) {
    await reach(() =>
      collection.upsert({
        ids: batch.map(({ item }) => item.id),
        embeddings: batch.map(({ item }) => Array.from(item.vector)),
        documents: batch.map(({ document }) => document),
        metadatas: batch.map(({ item }) => storedMetadata(item)),
      }),
    )
  }
  for (const batch of chunks(changes.touch, () => 200)) {
    await reach(() =>
      collection.update({
        ids: batch.map(({ id }) => id),
        metadatas: batch.map(({ last_updated, latest }) => ({ last_updated, latest })),
      }),
    )
  }
}

async function everyRecord(
  collection: Collection | undefined,
  filter: VectorFilter,
  reach: Reach,
): Promise<StoredRecord[]> {
  if (!collection) return []
  const records: StoredRecord[] = []
  const where = whereOf(filter)
  for (let offset = 0; ; offset += MAX_BATCH_RECORDS) {
    const page = await reach(() =>
      collection.get({
        limit: MAX_BATCH_RECORDS,
        offset,
        include: ['metadatas', 'documents'],
        ...(where && { where }),
      }),
    )
    records.push(...page.ids.map((id, at) => recordOf(id, page.metadatas[at], page.documents[at])))
    if (page.ids.length < MAX_BATCH_RECORDS) return records
  }
}

async function everyId(collection: Collection, reach: Reach): Promise<string[]> {
  const ids: string[] = []
  for (let offset = 0; ; offset += MAX_BATCH_RECORDS) {
    const page = await reach(() => collection.get({ limit: MAX_BATCH_RECORDS, offset, include: [] }))
    ids.push(...page.ids)
    if (page.ids.length < MAX_BATCH_RECORDS) return ids
  }
}

/** The server knows `$eq $ne $in $nin $and $or` only: providers are stored as one boolean each. */
function whereOf(filter: VectorFilter): Where | undefined {
  const clauses: Where[] = []
  if (filter.latestOnly) clauses.push({ latest: true })
  if (filter.ref !== undefined) clauses.push({ ref: filter.ref })
  if (filter.kinds) clauses.push({ kind: { $in: [...filter.kinds] } })
  if (filter.repositories) clauses.push({ repository: { $in: [...filter.repositories] } })
  if (filter.providers)
    clauses.push(anyOf(filter.providers.map((provider) => ({ [providerKey(provider)]: true }))))
  return clauses.length > 1 ? { $and: clauses } : clauses[0]
}

function anyOf(clauses: Where[]): Where {
  const [first, ...rest] = clauses
  if (first === undefined) return { repository: '' }
  return rest.length === 0 ? first : { $or: clauses }
}

function providerKey(provider: string): string {
  return `p_${provider}`
}

function storedMetadata({ metadata }: VectorItem): Metadata {
  const providers = new Set(
    [...metadata.providers.split(','), metadata.provider].filter((name) => name !== ''),
  )
  const flags = Object.fromEntries([...providers].map((provider) => [providerKey(provider), true]))
  return { ...metadata, ...flags }
}

function recordOf(id: string, metadata: unknown, document: string | null | undefined): StoredRecord {
  const stored = (metadata ?? {}) as Metadata // what `storedMetadata` wrote; the server drops nulls only
  return { id, document: document ?? '', metadata: keptMetadata(stored) }
}

function headerMetadata(header: StoreHeader): Metadata {
  return { satchel: JSON.stringify(header) }
}

function headerOf(collection: Collection): StoreHeader | undefined {
  const text = collection.metadata?.['satchel']
  const value = typeof text === 'string' ? parsedJson(text) : undefined
  return parseHeader(value, collection.name)
}

/** An item and its document, of which no more are unpacked than one request holds. */
interface SentItem {
  readonly item: VectorItem
  readonly document: string
}

function* unpacked(items: readonly VectorItem[]): Generator<SentItem> {
  for (const item of items) yield { item, document: unpackText(item.document) }
}

function itemBytes({ document, item: { vector } }: SentItem): number {
  return document.length * 2 + vector.length * 12 + 1000
}

function* chunks<T>(items: Iterable<T>, bytesOf: (item: T) => number): Generator<readonly T[]> {
  let chunk: T[] = []
  let bytes = 0
  for (const item of items) {
    const cost = bytesOf(item)
    if (chunk.length > 0 && (chunk.length >= MAX_BATCH_RECORDS || bytes + cost > MAX_BATCH_BYTES)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(item)
    bytes += cost
  }
  if (chunk.length > 0) yield chunk
}
