import type { CallContext } from '../../../server/plugin.ts'
import { isNamed } from '../catalog/find.ts'
import type { ModuleVersions } from '../catalog/versions.ts'
import { providersMeant } from '../domain/providers.ts'
import { orderTags } from '../git/tag-order.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { refusal } from '../reasons.ts'
import type { ModuleService } from '../service/module-service.ts'
import type { SearchMode, SearchParts } from './hybrid-ranking.ts'
import { buildKeywordIndex, type KeywordIndex } from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModuleEmbedder } from './module-embedder.ts'
import type { SearchStand } from './search-session.ts'
import { refuseOtherStore } from './store-header.ts'
import type { StoredRecord } from './vector-record.ts'
import { vectorDocument } from './vector-record.ts'
import type { VectorFilter, VectorStore } from './vector-store.ts'
import { includeOf } from './vector-update.ts'

/** Everything one search needs; it belongs to its stand. */
export interface OpenSearch extends SearchParts {
  readonly strategy: string
  /** Normalised provider names of the index. */
  knownProviders(): readonly string[]
  /** Repository URLs that a filter means. */
  repositoriesNamed(named: string): readonly string[]
}

/**
 * Opens what one search in `mode` needs. Keyword search works with embeddings off and without a vector store.
 * Errors: `invalid`/`embeddings_disabled`; `not_found`/`no_vectors`, `no_index`; `conflict`/`embedding_mismatch`.
 */
export async function openSearch(
  service: ModuleService,
  ctx: CallContext,
  stand: SearchStand,
  mode: SearchMode,
): Promise<OpenSearch> {
  const { outputDir, embedding } = stand.place
  if (mode !== 'keyword' && !embedding.enabled) {
    throw refusal(
      'embeddings_disabled',
      'Searching by meaning needs vectors: set embedding.enabled to true and run `satchel ingest`, or search with mode keyword.',
      { next: { tool: 'search_modules', args: {} } },
    )
  }
  const lexicon = await stand.lexicon()
  const opening = mode === 'keyword' ? undefined : openedStore(stand, lexicon)
  // What keeps the index from being read is told first.
  opening?.catch(() => undefined)
  const index = await service.findIndex(ctx, outputDir)
  const vectors = await opening
  if (!vectors && !index)
    throw refusal('no_index', 'Nothing has been ingested yet. Run `satchel ingest`, or call ingest_modules.')
  const modules = index ? await stand.modules(index) : []
  return searchOver({ service, stand, index, modules, lexicon, ...vectors, signal: ctx.signal })
}

async function openedStore(
  stand: SearchStand,
  lexicon: Lexicon,
): Promise<{ store: VectorStore; embedder: ModuleEmbedder }> {
  const store = await stand.store()
  const held = await store.header()
  if (!held)
    throw refusal('no_vectors', 'The vector store holds nothing yet. Run: satchel ingest --enable-embeddings')
  const embedder = await stand.embedder(lexicon)
  const wanted = embedder.header(includeOf(stand.place.embedding))
  refuseOtherStore(held, { ...wanted, dims: wanted.dims || held.dims })
  return { store, embedder }
}

interface Opened {
  readonly service: ModuleService
  readonly stand: SearchStand
  readonly index: ModuleIndex | undefined
  readonly modules: readonly ModuleVersions[]
  readonly lexicon: Lexicon
  readonly store?: VectorStore
  readonly embedder?: ModuleEmbedder
  readonly signal: AbortSignal
}

function searchOver(opened: Opened): OpenSearch {
  const { stand, index, lexicon, store, embedder, signal } = opened
  return {
    store,
    strategy: embedder?.strategy ?? stand.place.embedding.strategy,
    knownProviders: () => [...new Set(index?.records.flatMap(({ providers }) => providers))].sort(),
    async keyword(allVersions) {
      if (!index) return buildKeywordIndex([], lexicon)
      return allVersions ? stand.allKeywords(index, lexicon) : stand.latestKeywords(index, lexicon)
    },
    records: () => localRecords(opened),
    document: (id) => localDocument(opened, id),
    refs: (repository, path) => refsOf(opened, repository, path),
    repositoriesNamed: (named) => repositoriesNamed(index, named),
    embedQuery: (query, keyword) => embedQuery(embedder, query, keyword, signal),
  }
}

async function embedQuery(
  embedder: ModuleEmbedder | undefined,
  query: string,
  keyword: KeywordIndex,
  signal: AbortSignal,
): Promise<Float32Array> {
  const df = keyword.size > 0 ? keyword.frequencies : undefined
  const embedding = (await embedder?.query(query, df, signal)) ?? { failed: 'no strategy is open' }
  if ('vector' in embedding) return embedding.vector
  throw refusal(
    'embedding_failed',
    `The query could not be embedded: ${embedding.failed}. Try again, or search with mode keyword.`,
  )
}

/** Records of the local index as stored ones, without their documents. */
function localRecords({ index, modules }: Opened): StoredRecord[] {
  const latest = new Set(modules.map((module) => module.latest.id))
  return (index?.records ?? []).map((record) => storedOf(record, latest.has(record.id)))
}

/** The document of a record as a store would hold it, made from its summary. */
async function localDocument({ service, stand: { place }, index }: Opened, id: string): Promise<string> {
  const record = index?.records.find((one) => one.id === id)
  if (!record) return ''
  return vectorDocument(await service.summary(place.outputDir, record), includeOf(place.embedding))
}

function storedOf(record: IndexRecord, latest: boolean): StoredRecord {
  const { id, repository, ref, path, provider, providers, tags, last_updated, kind } = record
  const lists = { providers: providers.join(','), tags: tags.join(',') }
  return {
    id,
    document: '',
    metadata: { repository, ref, path, provider, ...lists, last_updated, kind, latest, document_sha256: '' },
  }
}

async function refsOf(
  { store, modules }: Opened,
  repository: string,
  path: string,
): Promise<readonly string[]> {
  const group = modules.find((one) => one.repository === repository && one.path === path)
  if (group) return group.versions.map(({ ref }) => ref)
  const records = (await store?.list({ repositories: [repository] })) ?? []
  return orderTags(
    records.filter(({ metadata }) => metadata.path === path).map(({ metadata }) => metadata.ref),
  )
}

function repositoriesNamed(index: ModuleIndex | undefined, named: string): readonly string[] {
  const names = new Map(index?.records.map(({ repository, name }) => [repository, name]))
  const found = [...names].filter(([url, name]) => isNamed(url, name, named)).map(([url]) => url)
  return found.length > 0 ? found : [named]
}

/** The filter words of a caller as equalities of records. */
export function filterOf(
  search: OpenSearch,
  words: {
    readonly provider?: string | undefined
    readonly repository?: string | undefined
    readonly ref?: string | undefined
    readonly kind?: string | undefined
  },
): VectorFilter {
  return {
    ...(words.provider !== undefined && { providers: providersMeant(words.provider) }),
    ...(words.repository !== undefined && { repositories: search.repositoriesNamed(words.repository) }),
    ...(words.ref !== undefined && { ref: words.ref }),
    ...(words.kind !== undefined && { kinds: [words.kind] }),
  }
}
