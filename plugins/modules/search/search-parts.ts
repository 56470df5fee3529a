import { isNamed, unknownRepository } from '../catalog/find.ts'
import { isRepositoryOf, ofOwnAddress, parseSource, type RegistryAliases } from '../domain/module-source.ts'
import { nearestRefs, spellingsOf } from '../domain/nearest-names.ts'
import { providersMeant } from '../domain/providers.ts'
import { orderTags } from '../git/tag-order.ts'
import type { ModuleIndex } from '../output/module-index.ts'
import { refusals } from '../reasons.ts'
import type { DocumentFrequencies } from './dense-features.ts'
import type { SearchMode, SearchParts } from './hybrid-ranking.ts'
import type { Lexicon } from './lexicon.ts'
import type { ModuleEmbedder } from './module-embedder.ts'
import type { QueryPlan } from './query-plan.ts'
import type { SearchIndex } from './search-index.ts'
import type { SearchSession } from './search-session.ts'
import { refuseOtherStore } from './store-header.ts'
import { vectorDocument } from './vector-record.ts'
import type { VectorFilter, VectorStore } from './vector-store.ts'
import { includeOf } from './vector-update.ts'

/** The inputs of one search of a session. */
export interface OpenedSearch extends SearchParts {
  readonly strategy: string
  /** Repository URLs that a filter means. */
  repositoriesNamed(named: string): readonly string[]
}

/** How one search is opened. */
export interface SearchOpening {
  readonly session: SearchSession
  readonly mode: SearchMode
  readonly signal: AbortSignal
  readonly lexicon: Lexicon
  readonly index: SearchIndex
}

/** Refuses a search that needs vectors where none are kept. Errors: `invalid`/`embeddings_disabled`. */
export async function requireVectors(
  { target }: SearchSession,
  mode: SearchMode,
  storedIndex: (outputDir: string) => Promise<ModuleIndex | undefined>,
): Promise<void> {
  if (mode === 'keyword' || target.embedding.enabled) return
  const index = await storedIndex(target.outputDir)
  throw index ? refusals.embeddings_disabled() : refusals.nothing_to_search()
}

/**
 * Opens what one search needs beside the index. Keyword search works with embeddings off and without a vector store,
 * hybrid search without vectors.
 * Errors: `not_found`/`no_vectors`; `conflict`/`embedding_mismatch`.
 */
export async function openSearch({
  session,
  mode,
  signal,
  lexicon,
  index,
}: SearchOpening): Promise<OpenedSearch> {
  const mayLack = mode === 'hybrid' && index.records > 0 // words alone find them
  const vectors = mode === 'keyword' ? undefined : await openedStore(session, lexicon, mayLack)
  const { embedding } = session.target
  return {
    index,
    store: vectors?.store,
    hasVectorsOfWords: vectors?.embedder.strategy === 'vectordb-default',
    strategy: vectors?.embedder.strategy ?? embedding.strategy,
    document: async (record) => vectorDocument(await session.summary(record), includeOf(embedding)),
    storedRefs: (repository, path) => storedRefs(vectors?.store, repository, path),
    repositoriesNamed: (named) => repositoriesNamed(index, named),
    async embedQuery(plan, keyword) {
      const hasOthers = await hasOtherVectors(vectors?.store, index)
      const df = keyword.size > 0 ? { ...keyword.frequencies, hasOthers } : undefined
      return await embedQuery(vectors?.embedder, plan, df, signal)
    },
  }
}

async function openedStore(
  session: SearchSession,
  lexicon: Lexicon,
  mayLack: boolean,
): Promise<{ store: VectorStore; embedder: ModuleEmbedder } | undefined> {
  const store = await session.store()
  const held = await store.header()
  if (!held && mayLack) return undefined
  if (!held) throw refusals.no_vectors()
  const embedder = await session.embedder(lexicon)
  const wanted = embedder.header(includeOf(session.target.embedding))
  refuseOtherStore(held, { ...wanted, dims: wanted.dims || held.dims })
  return { store, embedder }
}

/** Whether ingests into other folders keep their vectors in the same store. */
async function hasOtherVectors(store: VectorStore | undefined, index: SearchIndex): Promise<boolean> {
  return store !== undefined && (await store.count()) > index.live()
}

async function embedQuery(
  embedder: ModuleEmbedder | undefined,
  plan: QueryPlan,
  df: DocumentFrequencies | undefined,
  signal: AbortSignal,
): Promise<Float32Array> {
  const embedding = (await embedder?.query(plan, df, signal)) ?? { failed: 'no strategy is open' }
  if ('vector' in embedding) return embedding.vector
  throw refusals.query_not_embedded({ why: embedding.failed })
}

async function storedRefs(
  store: VectorStore | undefined,
  repository: string,
  path: string,
): Promise<readonly string[]> {
  const records = (await store?.list({ repositories: [repository] })) ?? []
  return orderTags(
    records.filter(({ metadata }) => metadata.path === path).map(({ metadata }) => metadata.ref),
  )
}

/**
 * URLs of the repositories that a caller means by URL, `owner/name`, name, or the source of a call.
 * Errors: `not_found`/`module_not_found` with the nearest names: a search of none of them would find nothing.
 */
export function repositoriesNamed(
  index: SearchIndex,
  named: string,
  aliases?: RegistryAliases,
): readonly string[] {
  const known = [...index.repositories()]
  const found = known.filter(([url, names]) => [...names].some((name) => isNamed(url, name, named)))
  const source = found.length === 0 ? parseSource(named, aliases) : undefined
  const meant =
    source?.kind === 'git' || source?.kind === 'registry'
      ? ofOwnAddress(
          source,
          known.filter(([url]) => isRepositoryOf(source, url)),
          ([url]) => url,
        )
      : found
  if (meant.length > 0) return meant.map(([url]) => url)
  if (known.length === 0) return [named] // nothing is ingested, which the answer says
  throw unknownRepository(
    named,
    known.flatMap(([url, names]) => [url, ...names]),
  )
}

/** The filter words of a caller as equalities of records. Errors: `not_found`/`module_not_found` for a repository. */
export function filterOf(
  index: SearchIndex,
  words: {
    readonly provider?: string | undefined
    readonly repository?: string | undefined
    readonly ref?: string | undefined
    readonly kind?: string | undefined
    readonly aliases?: RegistryAliases | undefined
  },
): VectorFilter {
  const others = {
    ...(words.provider !== undefined && { providers: providersMeant(words.provider) }),
    ...(words.repository !== undefined && {
      repositories: repositoriesNamed(index, words.repository, words.aliases),
    }),
    ...(words.kind !== undefined && { kinds: [words.kind] }),
  }
  return words.ref === undefined ? others : { ...others, ...versionsMeant(index, others, words.ref) }
}

/** A ref means to a search what it means to `findModule`: `latest`, or a tag also without its "v" if none is written so. */
function versionsMeant(index: SearchIndex, others: VectorFilter, written: string): VectorFilter {
  if (written === 'latest') return { latestOnly: true }
  const isThere = (ref: string): boolean => index.select({ ...others, ref }).length > 0
  return { ref: spellingsOf(written).find(isThere) ?? written }
}

/** The refs most like the one of a filter, at most three, where no module that passes the rest of it has that ref. */
export function refsInstead(index: SearchIndex, filter: VectorFilter): readonly string[] | undefined {
  const { ref, ...others } = filter
  if (ref === undefined || index.select(filter).length > 0) return undefined
  return nearestRefs(ref, new Set(Array.from(index.select(others), (row) => index.record(row).ref)))
}

/** The providers that there are, where the one that is asked for is none of them. */
export function providersInstead(
  index: SearchIndex,
  asked: string | undefined,
): readonly string[] | undefined {
  const known = index.providers()
  if (asked === undefined || providersMeant(asked).some((name) => known.includes(name))) return undefined
  return known
}
