import { isNamed } from '../catalog/find.ts'
import type { ModuleVersions } from '../catalog/versions.ts'
import { providersMeant } from '../domain/providers.ts'
import { orderTags } from '../git/tag-order.ts'
import type { IndexRecord, ModuleIndex } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import type { SearchMode, SearchParts } from './hybrid-ranking.ts'
import { buildKeywordIndex, type KeywordIndex } from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModuleEmbedder } from './module-embedder.ts'
import type { SearchSession } from './search-session.ts'
import { refuseOtherStore } from './store-header.ts'
import type { StoredRecord } from './vector-record.ts'
import { vectorDocument } from './vector-record.ts'
import type { VectorFilter, VectorStore } from './vector-store.ts'
import { includeOf } from './vector-update.ts'

/** The inputs of one search of a session. */
export interface OpenedSearch extends SearchParts {
  readonly strategy: string
  /** Normalised provider names of the index. */
  knownProviders(): readonly string[]
  /** Repository URLs that a filter means. */
  repositoriesNamed(named: string): readonly string[]
}

/** How one search is opened. */
export interface SearchOpening {
  readonly session: SearchSession
  readonly mode: SearchMode
  readonly signal: AbortSignal
  findIndex(): Promise<ModuleIndex | undefined>
}

/**
 * Opens what one search needs. Keyword search works with embeddings off and without a vector store.
 * Errors: `invalid`/`embeddings_disabled`; `not_found`/`no_vectors`, `no_index`; `conflict`/`embedding_mismatch`.
 */
export async function openSearch({ session, mode, signal, findIndex }: SearchOpening): Promise<OpenedSearch> {
  if (mode !== 'keyword' && !session.target.embedding.enabled) {
    throw refusals.embeddings_disabled()
  }
  const lexicon = await session.lexicon()
  const opening = mode === 'keyword' ? undefined : openedStore(session, lexicon)
  // A failure to read the index is reported first.
  opening?.catch(() => undefined)
  const index = await findIndex()
  const vectors = await opening
  if (!vectors && !index) throw refusals.no_index()
  const modules = index ? await session.modules(index) : []
  return searchOver({ session, index, modules, lexicon, ...vectors, signal })
}

async function openedStore(
  session: SearchSession,
  lexicon: Lexicon,
): Promise<{ store: VectorStore; embedder: ModuleEmbedder }> {
  const store = await session.store()
  const held = await store.header()
  if (!held) throw refusals.no_vectors()
  const embedder = await session.embedder(lexicon)
  const wanted = embedder.header(includeOf(session.target.embedding))
  refuseOtherStore(held, { ...wanted, dims: wanted.dims || held.dims })
  return { store, embedder }
}

interface Opened {
  readonly session: SearchSession
  readonly index: ModuleIndex | undefined
  readonly modules: readonly ModuleVersions[]
  readonly lexicon: Lexicon
  readonly store?: VectorStore
  readonly embedder?: ModuleEmbedder
  readonly signal: AbortSignal
}

function searchOver(opened: Opened): OpenedSearch {
  const { session, index, lexicon, store, embedder, signal } = opened
  return {
    store,
    strategy: embedder?.strategy ?? session.target.embedding.strategy,
    knownProviders: () => [...new Set(index?.records.flatMap(({ providers }) => providers))].sort(),
    async keyword(allVersions) {
      if (!index) return buildKeywordIndex([], lexicon)
      return allVersions ? session.allKeywords(index, lexicon) : session.latestKeywords(index, lexicon)
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
  throw refusals.query_not_embedded({ why: embedding.failed })
}

/** Records of the local index as stored ones, without their documents. */
function localRecords({ index, modules }: Opened): StoredRecord[] {
  const latest = new Set(modules.map((module) => module.latest.id))
  return (index?.records ?? []).map((record) => storedOf(record, latest.has(record.id)))
}

/** The document of a record as a store would hold it, made from its summary. */
async function localDocument({ session, index }: Opened, id: string): Promise<string> {
  const record = index?.records.find((one) => one.id === id)
  if (!record) return ''
  return vectorDocument(await session.summary(record), includeOf(session.target.embedding))
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
  search: OpenedSearch,
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
