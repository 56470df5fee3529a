import { dirname, join, resolve } from 'node:path'
import { type Disk, makeDirectoryDurably, realDisk } from '../../../server/plugin.ts'
import type { EmbeddingOptions } from '../config.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import { refusals } from '../reasons.ts'
import type { VectorPlace } from './database-vectors.ts'
import { embeddedStore, type StoreLock } from './embedded-store.ts'
import type { VectorStore } from './vector-store.ts'

const DEFAULT_PORT = 8000

/** Collection names that both kinds of store take (search, section 6). */
const COLLECTION = /^[a-zA-Z0-9][a-zA-Z0-9._-]{1,510}[a-zA-Z0-9]$/

export interface StoreParts {
  readonly disk?: Disk | undefined
  /** Where the database keeps the catalogue that the vectors are of. */
  readonly place?: VectorPlace | undefined
}

/**
 * The configured vector store: a ChromaDB server when `vectordb_host` is set, else the file in `vectordb_path`, and where
 * that becomes too large, the database of `place`. Opens nothing yet; the caller closes it. `disk` is that of the file.
 * Errors: `invalid`/`options_invalid` for a collection name; `unavailable`/`chroma_client_missing`.
 */
export async function openStore(
  options: EmbeddingOptions,
  workingDirectory: string,
  { disk = realDisk, place }: StoreParts = {},
): Promise<VectorStore> {
  const collection = options.collection_name
  if (!COLLECTION.test(collection) || collection.includes('..')) {
    throw refusals.collection_refused()
  }
  if (!options.vectordb_host) {
    const embedded = embeddedStore(embeddedFolder(options, workingDirectory), locked(disk), disk)
    if (!place) return embedded
    const [{ boundedStore }, { databaseVectors }] = await Promise.all([
      import('./bounded-store.ts'),
      import('./database-vectors.ts'),
    ])
    return boundedStore(embedded, databaseVectors(place, collection), options.memory_vectors)
  }
  const { chromaStore } = await import('./chroma.lazy.ts').catch((cause: unknown) => {
    throw refusals.chroma_client_missing({ cause })
  })
  return chromaStore({ host: options.vectordb_host, port: options.vectordb_port ?? DEFAULT_PORT, collection })
}

/** Where the embedded store of these options keeps its file. */
export function embeddedFolder(options: EmbeddingOptions, workingDirectory: string): string {
  return join(resolve(workingDirectory, options.vectordb_path), options.collection_name)
}

const LOCK_WAIT_MS = 5_000

/** Two runs wait for each other here; the lock beside the folder is held for one update only. */
function locked(disk: Disk): StoreLock {
  return async (folder, work) => {
    await makeDirectoryDurably(dirname(folder), undefined, disk)
    const lock = await takeIngestLock(`${folder}.lock`, { waitMs: LOCK_WAIT_MS, disk })
    try {
      return await work()
    } finally {
      await lock.release()
    }
  }
}
