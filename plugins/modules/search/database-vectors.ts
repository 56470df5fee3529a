import type { Database } from '../../../server/plugin.ts'
import { similarityTo } from './similarity.ts'
import { refuseOtherStore, type StoreHeader } from './store-header.ts'
import { vectorRows } from './vector-rows.ts'
import { matchesOf, type VectorHit, type VectorItem, type VectorStore } from './vector-store.ts'

/** Vectors of a catalogue in its database. It is there once `begin` has ended. */
export interface DatabaseVectors extends VectorStore {
  /** Makes the table, if the extension is there and the role may; false: it cannot be used. Errors: those of the database. */
  prepare(): Promise<boolean>
  /** Puts a whole store here, in place of what an earlier try left. */
  begin(header: StoreHeader, items: Iterable<VectorItem>): Promise<void>
}

/** Which vectors of a database. */
export interface VectorPlace {
  readonly database: Database
  readonly catalogue: string
}

/** The server computes in single precision: so many more are taken, of which the nearest are chosen here. */
const MORE = 32

/**
 * Rows that pgvector compares with a query: all that pass its filter, without an index that approximates. The nearest are
 * compared again here, so that a similarity is that of the embedded store bit by bit.
 */
export function databaseVectors({ database, catalogue }: VectorPlace, collection: string): DatabaseVectors {
  const rows = vectorRows(database, { catalogue, collection })
  /** These records and no others, then the header: until it is there, or is this one, no machine reads them. */
  const begin = async (wanted: StoreHeader, items: Iterable<VectorItem>): Promise<void> => {
    const others = await rows.digests()
    await rows.put(noted(items, ({ id }) => others.delete(id)))
    await rows.remove([...others.keys()])
    await rows.putHeader(wanted)
  }
  return {
    prepare: async () => (await rows.extension()) !== undefined,
    begin,
    header: rows.header,
    content: async () => undefined, // several machines write
    digests: rows.digests,
    async apply(wanted, changes) {
      const held = await rows.header()
      if (held) refuseOtherStore(held, wanted)
      await rows.remove(changes.remove)
      await rows.put(changes.upsert)
      await rows.touch(changes.touch)
      if (JSON.stringify(held) !== JSON.stringify(wanted)) await rows.putHeader(wanted)
    },
    async replace(wanted, items) {
      const held = await rows.header()
      const { lexicon_version, tokenizer_version } = wanted
      if (held) refuseOtherStore({ ...held, lexicon_version, tokenizer_version }, wanted)
      await begin(wanted, items)
    },
    async query(vector, filter, atLeast) {
      const similar = similarityTo(vector)
      const near = await rows.nearest(vector, filter, atLeast + MORE)
      const hits = near.map(({ vector: own, ...record }) => ({ ...record, cosine: similar(own, 0) }))
      return matchesOf(hits.sort(nearestFirst).slice(0, atLeast))
    },
    list: rows.list,
    count: rows.count,
    close: async () => {},
  }
}

function nearestFirst(a: VectorHit, b: VectorHit): number {
  return b.cosine - a.cosine || (a.id < b.id ? -1 : 1)
}

function* noted<T>(values: Iterable<T>, note: (value: T) => void): Generator<T> {
  for (const value of values) {
    note(value)
    yield value
  }
}
