/**
 * What this plugin uses of the optional peer `chromadb`, which is not installed where the sources are compiled; see
 * test/peers. The tests run against the package itself.
 */
declare module 'chromadb' {
  type Scalar = string | number | boolean

  /** A filter of records by their metadata. */
  export type Where = { $and: Where[] } | { $or: Where[] } | { [key: string]: Scalar | { $in: Scalar[] } }

  type Metadata = Record<string, Scalar | null>

  interface Page {
    readonly ids: string[]
    readonly documents: (string | null)[]
    readonly metadatas: (Metadata | null)[]
  }

  interface Records {
    ids: string[]
    embeddings?: number[][]
    documents?: string[]
    metadatas?: Record<string, Scalar>[]
  }

  export interface Collection {
    readonly name: string
    readonly metadata: Record<string, unknown> | undefined
    count(): Promise<number>
    get(args: { limit: number; offset: number; include: string[]; where?: Where }): Promise<Page>
    query(args: {
      queryEmbeddings: number[][]
      nResults: number
      include: string[]
      where?: Where
    }): Promise<{
      readonly ids: string[][]
      readonly documents: (string | null)[][]
      readonly metadatas: (Metadata | null)[][]
      readonly distances: (number | null)[][]
    }>
    upsert(records: Records): Promise<void>
    update(records: Records): Promise<void>
    delete(args: { ids: string[] }): Promise<unknown>
    modify(args: { metadata: Record<string, Scalar> }): Promise<void>
  }

  export class ChromaNotFoundError extends Error {}

  export class ChromaClient {
    constructor(args: { host: string; port: number; ssl: boolean })
    heartbeat(): Promise<number>
    getCollection(args: { name: string }): Promise<Collection>
    getOrCreateCollection(args: {
      name: string
      embeddingFunction: null
      metadata: Record<string, Scalar>
      configuration: { hnsw: { space: 'cosine'; ef_search: number; ef_construction: number } }
    }): Promise<Collection>
  }
}
