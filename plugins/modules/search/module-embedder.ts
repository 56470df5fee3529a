import { DENSE_DIMS, type DocumentFrequencies, documentVector, queryVector } from './dense-features.ts'
import type { Embedder, Embedding } from './embedder.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModuleFields } from './module-fields.ts'
import type { QueryPlan } from './query-plan.ts'
import type { StoreHeader } from './store-header.ts'
import { TOKENIZER_VERSION } from './tokens.ts'
import type { IncludeOptions } from './vector-record.ts'

const DEFAULT_STRATEGY = 'vectordb-default'

/** One module to embed: models read its title and document, the built-in strategy its fields. */
export interface EmbedItem {
  readonly document: string
  readonly fields: ModuleFields
}

/** A strategy as ingest and search use it. */
export interface ModuleEmbedder {
  readonly strategy: string
  /** The header of a store made by this strategy; `dims` of 0: not known before the first answer. */
  header(include: IncludeOptions): StoreHeader
  modules(items: readonly EmbedItem[], signal: AbortSignal): Promise<readonly Embedding[]>
  /** Errors: `unavailable`/`embedding_failed`. */
  query(plan: QueryPlan, df: DocumentFrequencies | undefined, signal: AbortSignal): Promise<Embedding>
  close(): Promise<void>
}

/** The strategy that needs no download, key or server: it hashes the words and concepts of a module's fields. */
export function builtInEmbedder(lexicon: Lexicon): ModuleEmbedder {
  return {
    strategy: DEFAULT_STRATEGY,
    header: (include) => ({
      format: 1,
      strategy: DEFAULT_STRATEGY,
      model: '',
      dims: DENSE_DIMS,
      include,
      lexicon_version: lexicon.version,
      tokenizer_version: TOKENIZER_VERSION,
    }),
    modules: async (items) => items.map(({ fields }) => ({ vector: documentVector(fields, lexicon) })),
    query: async (plan, df) => ({ vector: queryVector(plan, df) }),
    close: async () => {},
  }
}

/** A strategy whose vectors come from a model: title, blank line, document. */
export function modelEmbedder(embedder: Embedder): ModuleEmbedder {
  return {
    strategy: embedder.strategy,
    header: (include) => ({
      format: 1,
      strategy: embedder.strategy,
      model: embedder.model,
      dims: embedder.dims ?? 0,
      include,
      lexicon_version: '',
      tokenizer_version: 0,
    }),
    modules: (items, signal) =>
      embedder.embed(
        items.map(({ document, fields }) => `${fields.title}\n\n${document}`.trim()),
        'document',
        signal,
      ),
    async query({ text }, _df, signal) {
      const [embedding] = await embedder.embed([text], 'query', signal)
      return embedding ?? { failed: 'the strategy gave no vector' }
    },
    close: () => embedder.close(),
  }
}
