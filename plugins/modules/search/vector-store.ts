import type { PackedText } from './packed-text.ts'
import type { StoreHeader } from './store-header.ts'
import type { StoredRecord } from './vector-record.ts'

/** One record with its vector (length 1). */
export interface VectorItem extends Omit<StoredRecord, 'document'> {
  readonly document: PackedText
  readonly vector: Float32Array
}

/** What is new of a record whose document did not change. */
export interface Touch {
  readonly id: string
  readonly last_updated: string
  readonly latest: boolean
}

/** The changes of one ingest run; applied as one update. */
export interface VectorChanges {
  readonly upsert: readonly VectorItem[]
  /** Records whose document did not change: only these members of their metadata are replaced. */
  readonly touch: readonly Touch[]
  readonly remove: readonly string[]
  /** The content that the records are of afterwards, if the store was of the content `from` before. */
  readonly content?: { readonly from: string | undefined; readonly to: string } | undefined
}

/** Equalities that a record must fulfil; absent members do not filter. */
export interface VectorFilter {
  /** Normalised provider names; any of them. */
  readonly providers?: readonly string[]
  /** Repository URLs; any of them. */
  readonly repositories?: readonly string[]
  readonly ref?: string
  readonly kinds?: readonly string[]
  /** Only records of the latest ref of their module. */
  readonly latestOnly?: boolean
}

/** A record and its similarity: cosine, 1 is the same direction. */
export interface VectorHit extends StoredRecord {
  readonly cosine: number
}

/** Records that pass a filter and their similarity, by number; a record is only read when it is asked for. */
export interface VectorMatches {
  /** Ids of 32 bytes, one after the other; the same object until the store changes. */
  ids(): Buffer
  /** The places of records that pass, rising, and the ids of those from a place to before another; absent: see `cosines`. */
  readonly passing?: { readonly matches: Int32Array; ids(from: number, to: number): Buffer }
  /** NaN for a record that does not pass the filter. */
  readonly cosines: Float32Array
  /** Whether every record of the store has a place here; a server gives the nearest ones. */
  readonly isWhole: boolean
  record(match: number): StoredRecord
}

/** Matches of records that are in memory: the nearest of a store. */
export function matchesOf(hits: readonly VectorHit[]): VectorMatches {
  const ids = Buffer.from(hits.map(({ id }) => id).join(''), 'hex')
  return {
    ids: () => ids,
    cosines: Float32Array.from(hits, ({ cosine }) => cosine),
    isWhole: false,
    record: (match) => {
      const hit = hits[match]
      if (!hit) throw new Error(`There is no match ${match}.`)
      return hit
    },
  }
}

/**
 * Where vectors are kept: a file, or a ChromaDB server.
 * Errors of every method: `conflict`/`store_damaged`, `unavailable`/`vector_store_unreachable`.
 */
export interface VectorStore {
  /** Undefined: the store does not exist yet. */
  header(): Promise<StoreHeader | undefined>
  /**
   * The content of the module index that the records are of; undefined where the store does not know it. See
   * `contentOf`.
   */
  content(): Promise<string | undefined>
  /** Record id -> digest of its document, for what is stored. `of`: only these records, each named once. */
  digests(of?: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Errors: `conflict`/`embedding_mismatch`; `too_large`/`store_full`. */
  apply(header: StoreHeader, changes: VectorChanges): Promise<void>
  /**
   * Replaces the records of another lexicon or tokenizer, or a file that cannot be read, by these.
   * Errors: `conflict`/`embedding_mismatch` for a store of another strategy, model or size, and for one with records
   * that are not among these; `conflict`/`store_damaged` for a store of a newer version.
   */
  replace(header: StoreHeader, items: readonly VectorItem[]): Promise<void>
  /** Records that pass the filter with their similarity; all of them from a file, the nearest `atLeast` from a server. */
  query(vector: Float32Array, filter: VectorFilter, atLeast: number): Promise<VectorMatches>
  /** Records that pass the filter, without similarity. */
  list(filter: VectorFilter): Promise<readonly StoredRecord[]>
  count(): Promise<number>
  close(): Promise<void>
}
