import type { CallContext } from '../../../server/plugin.ts'
import { isNamed } from '../catalog/find.ts'
import { groupVersions, type ModuleVersions } from '../catalog/versions.ts'
import { providersMeant } from '../domain/providers.ts'
import type { ModuleEmbedder } from '../embed/module-embedder.ts'
import { openEmbedder } from '../embed/open-embedder.ts'
import { includeOf } from '../embed/open-vectors.ts'
import type { StoredRecord } from '../embed/vector-record.ts'
import { documentDigest, vectorDocument } from '../embed/vector-record.ts'
import { orderTags } from '../git/tag-order.ts'
import type { IndexRecord, ModuleIndex } from '../index/module-index.ts'
import { refusal } from '../reasons.ts'
import type { ModuleService } from '../service.ts'
import { openStore } from '../store/open-store.ts'
import { refuseOtherStore } from '../store/store-header.ts'
import { passes, type VectorFilter, type VectorStore } from '../store/vector-store.ts'
import { buildFrom, openKeywordIndex } from './keyword-file.ts'
import type { KeywordIndex } from './keyword-index.ts'
import type { Lexicon } from './lexicon.ts'
import { loadLexicon } from './lexicon-file.ts'
import type { SearchMode, SearchParts } from './module-search.ts'
import type { SearchPlace } from './search-place.ts'

/** Everything one search needs, opened; the caller closes it. */
export interface OpenSearch extends SearchParts {
  readonly strategy: string
  /** Normalised provider names of the index. */
  readonly knownProviders: readonly string[]
  /** Repository URLs that a filter means. */
  repositoriesNamed(named: string): readonly string[]
  close(): Promise<void>
}

/**
 * Opens the stores for one search in `mode`. Keyword search works with embeddings off and without a vector store.
 * Errors: `invalid`/`embeddings_disabled`; `not_found`/`no_vectors`, `no_index`; `conflict`/`embedding_mismatch`.
 */
export async function openSearch(
  service: ModuleService,
  ctx: CallContext,
  place: SearchPlace,
  mode: SearchMode,
): Promise<OpenSearch> {
  if (mode !== 'keyword' && !place.embedding.enabled) {
    throw refusal(
      'embeddings_disabled',
      'Searching by meaning needs vectors: set embedding.enabled to true and run `satchel ingest`, or search with mode keyword.',
      { next: { tool: 'search_modules', args: {} } },
    )
  }
  const lexicon = await loadLexicon(place.configFile)
  const index = await service.findIndex(ctx, place.outputDir)
  const store = mode === 'keyword' ? undefined : await openedStore(service, place, lexicon)
  if (!store && !index)
    throw refusal('no_index', 'Nothing has been ingested yet. Run `satchel ingest`, or call ingest_modules.')
  return searchOver({
    service,
    place,
    index,
    lexicon,
    store: store?.store,
    embedder: store?.embedder,
    signal: ctx.signal,
  })
}

async function openedStore(
  service: ModuleService,
  { embedding }: SearchPlace,
  lexicon: Lexicon,
): Promise<{ store: VectorStore; embedder: ModuleEmbedder }> {
  const { workingDirectory, host } = service
  const store = await openStore(embedding, workingDirectory, () => host.now())
  const held = await store.header()
  if (!held)
    throw refusal('no_vectors', 'The vector store holds nothing yet. Run: satchel ingest --enable-embeddings')
  const embedder = await openEmbedder(embedding, { lexicon, workingDirectory, env: host.env })
  const wanted = embedder.header(includeOf(embedding))
  refuseOtherStore(held, { ...wanted, dims: wanted.dims || held.dims })
  return { store, embedder }
}

interface Opened {
  readonly service: ModuleService
  readonly place: SearchPlace
  readonly index: ModuleIndex | undefined
  readonly lexicon: Lexicon
  readonly store: VectorStore | undefined
  readonly embedder: ModuleEmbedder | undefined
  readonly signal: AbortSignal
}

function searchOver(opened: Opened): OpenSearch {
  const { service, place, index, lexicon, store, embedder, signal } = opened
  const groups = index ? groupVersions(index, index.records) : []
  const load = (record: IndexRecord) => service.summary(place.outputDir, record)
  const latest = groups.map((group) => group.latest)
  return {
    store,
    strategy: embedder?.strategy ?? place.embedding.strategy,
    knownProviders: [...new Set(index?.records.flatMap(({ providers }) => providers))].sort(),
    keyword: (allVersions) =>
      allVersions
        ? buildFrom(index?.records ?? [], load, lexicon)
        : openKeywordIndex(place.outputDir, latest, load, lexicon),
    records: (filter) => localRecords(opened, groups, filter),
    refs: (repository, path) => refsOf(opened, groups, repository, path),
    repositoriesNamed: (named) => repositoriesNamed(index, named),
    embedQuery: (query, keyword) => embedQuery(embedder, query, keyword, signal),
    async close() {
      await embedder?.close()
      await store?.close()
    },
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

/** Records of the local index as stored ones; their documents are made from the summaries. */
async function localRecords(
  { service, place, index }: Opened,
  groups: readonly ModuleVersions[],
  filter: VectorFilter,
): Promise<StoredRecord[]> {
  const latest = new Set(groups.map((group) => group.latest.id))
  const found: StoredRecord[] = []
  for (const record of index?.records ?? []) {
    const stored = storedOf(record, latest.has(record.id))
    if (!passes(stored, filter)) continue
    const document = vectorDocument(
      await service.summary(place.outputDir, record),
      includeOf(place.embedding),
    )
    found.push({
      ...stored,
      document,
      metadata: { ...stored.metadata, document_sha256: documentDigest(document) },
    })
  }
  return found
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
  { store }: Opened,
  groups: readonly ModuleVersions[],
  repository: string,
  path: string,
): Promise<readonly string[]> {
  const group = groups.find((one) => one.repository === repository && one.path === path)
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
