import { isSatchelError } from '../../../server/plugin.ts'
import type { DatabaseVectors } from './database-vectors.ts'
import type { EmbeddedStore } from './embedded-store.ts'
import type { StoreHeader } from './store-header.ts'
import type { VectorStore } from './vector-store.ts'

/** How long a search goes on where the vectors were. */
const LOOK_EVERY_MS = 1_000

/**
 * The vectors of a catalogue in a database: in files and memory of each machine up to `bound`, and where an update exceeds it,
 * in rows that all machines then use. Without pgvector, or the right to make its table, they stay on each machine.
 */
export function boundedStore(memory: EmbeddedStore, rows: DatabaseVectors, bound: number): VectorStore {
  let known: VectorStore = memory
  let lookedMs = Number.NEGATIVE_INFINITY
  const look = async (): Promise<VectorStore> => {
    try {
      known = (await rows.header()) === undefined ? memory : rows
      lookedMs = performance.now()
    } catch (thrown) {
      // What this machine has is searched on while the database is away.
      const isAway = isSatchelError(thrown) && thrown.code === 'unavailable'
      if (!isAway || known !== memory) throw thrown
    }
    return known
  }
  const current = async (): Promise<VectorStore> =>
    performance.now() - lookedMs < LOOK_EVERY_MS ? known : look()
  const moveIfFull = async (header: StoreHeader): Promise<void> => {
    if ((await memory.count()) <= bound || !(await rows.prepare())) return
    await rows.begin(header, await memory.items())
    await look()
  }
  return {
    header: async () => (await current()).header(),
    content: async () => (await look()).content(),
    digests: async (of) => (await look()).digests(of),
    async apply(header, changes) {
      const store = await look()
      await store.apply(header, changes)
      if (store === memory) await moveIfFull(header)
    },
    async replace(header, items) {
      const store = await look()
      await store.replace(header, items)
      if (store === memory) await moveIfFull(header)
    },
    query: async (vector, filter, atLeast) => (await current()).query(vector, filter, atLeast),
    list: async (filter) => (await current()).list(filter),
    count: async () => (await current()).count(),
    close: () => memory.close(),
  }
}
