import { compare } from '../domain/order.ts'
import { type Explanation, explainKeyword } from './explain.ts'
import { type Fused, fuse, type Weights } from './fusion.ts'
import type { KeywordHit, KeywordIndex } from './keyword-index.ts'
import { queryTokens } from './tokens.ts'
import { type StoredRecord, sixDecimals, type VectorMetadata } from './vector-record.ts'
import { passes, type VectorFilter, type VectorHit, type VectorStore } from './vector-store.ts'

export type SearchMode = 'vector' | 'keyword' | 'hybrid'

export interface SearchRequest {
  readonly query: string
  readonly filter: VectorFilter
  /** Examples are left out and counted unless they are asked for. */
  readonly wantsExamples: boolean
  readonly allVersions: boolean
  readonly limit: number
  readonly mode: SearchMode
  readonly weights: Weights
  readonly explain: boolean
}

/** What a search reads. */
export interface SearchParts {
  /** Absent: only keyword search is possible. */
  readonly store: VectorStore | undefined
  /** One document per module (its latest ref), or per record for `allVersions`. */
  keyword(allVersions: boolean): Promise<KeywordIndex>
  /** The local records, without documents: the candidates of a search without a store. */
  records(): readonly StoredRecord[]
  /** The document of a local record. */
  document(id: string): Promise<string>
  /** Refs of a module, newest first. */
  refs(repository: string, path: string): Promise<readonly string[]>
  embedQuery(query: string, keyword: KeywordIndex): Promise<Float32Array>
}

/** One result: exactly the fields of spec module-ingestion "Search result", and what explains it. */
export interface SearchHit {
  readonly id: string
  readonly metadata: VectorMetadata
  readonly document: string
  /** Ascending; 0 is the best possible. Six decimals. */
  readonly distance: number
  readonly other_refs?: string[]
  readonly explain?: Explanation
}

export interface SearchAnswer {
  readonly results: SearchHit[]
  readonly count: number
  readonly query: string
  readonly mode: SearchMode
  readonly fuzzy?: true
  /** Nothing was found among the latest refs; these are older ones. */
  readonly older_versions?: true
  readonly excluded?: { readonly examples: number }
  /** Records of a vector server that the local keyword index does not know score 0 in it. */
  readonly keyword_index?: 'partial'
}

/** How many candidates a vector server is asked for. */
const CANDIDATES = 200

/**
 * Ranks modules for a query: both lists over all candidates that pass the filters, weighted, one result per module.
 * Deterministic: ties go to the newer ref, then repository, then path.
 */
export async function searchModules(parts: SearchParts, request: SearchRequest): Promise<SearchAnswer> {
  const first = await rank(parts, request, request.allVersions)
  if (first.ranked.length > 0 || request.allVersions) return answer(parts, request, first)
  const older = await rank(parts, { ...request, allVersions: true }, true)
  return {
    ...(await answer(parts, request, older)),
    ...(older.ranked.length > 0 && { older_versions: true as const }),
  }
}

interface Ranking {
  readonly ranked: readonly Ranked[]
  readonly fuzzy: boolean
  readonly examples: number
  readonly partial: boolean
  readonly vector: Float32Array | undefined
}

interface Ranked extends Fused {
  readonly record: StoredRecord
  readonly hit: KeywordHit | undefined
  readonly cosine: number | undefined
}

async function rank(parts: SearchParts, request: SearchRequest, allVersions: boolean): Promise<Ranking> {
  const filter: VectorFilter = {
    ...request.filter,
    ...(!allVersions && request.filter.ref === undefined && { latestOnly: true }),
  }
  // Alone, a vector needs of the keywords only how rare a word is.
  const wantsAll = request.mode !== 'vector' && (allVersions || request.filter.ref !== undefined)
  const keyword = await parts.keyword(wantsAll)
  const found = request.mode === 'vector' ? { hits: [], fuzzy: false } : keyword.search(request.query)
  const hits = new Map(found.hits.map((hit) => [hit.id, hit]))
  const { store } = parts
  const vector =
    request.mode === 'keyword' || !store ? undefined : await parts.embedQuery(request.query, keyword)
  const near =
    vector && store ? await store.query(vector, filter, Math.max(CANDIDATES, request.limit * 5)) : undefined
  const records = near ?? parts.records().filter((record) => passes(record, filter))
  const scored = score(records, hits, near, request)
  const wanted = scored.filter(({ record }) => request.wantsExamples || record.metadata.kind !== 'example')
  return {
    ranked: wanted.sort(byScore),
    fuzzy: found.fuzzy,
    examples: scored.length - wanted.length,
    partial: near !== undefined && keyword.size < near.length,
    vector,
  }
}

/** Candidates with a score above zero in one of the lists that the mode uses. */
function score(
  records: readonly StoredRecord[],
  hits: ReadonlyMap<string, KeywordHit>,
  near: readonly VectorHit[] | undefined,
  request: SearchRequest,
): Ranked[] {
  const cosines = new Map(near?.map(({ id, cosine }) => [id, cosine]))
  const keywordScores = new Map([...hits].map(([id, hit]) => [id, hit.score]))
  const weights = MODE_WEIGHTS[request.mode] ?? request.weights
  const first = namedFirst(request, hits)
  const ids = records.map(({ id }) => id)
  const ranked: Ranked[] = []
  for (const [at, fused] of fuse(ids, keywordScores, cosines, weights).entries()) {
    const record = records[at]
    const hit = hits.get(fused.id)
    const cosine = cosines.get(fused.id)
    const matches = hit !== undefined || (request.mode !== 'keyword' && (cosine ?? 0) > 0)
    if (record && matches) ranked.push({ ...fused, score: first(fused), record, hit, cosine })
  }
  return ranked
}

/** A query that is one name with `_`: modules with an input, output or resource of that name fill the upper half. */
function namedFirst(
  { query, mode }: SearchRequest,
  hits: ReadonlyMap<string, KeywordHit>,
): (fused: Fused) => number {
  const name = query.trim()
  if (mode === 'vector' || !/^[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+$/.test(name)) return ({ score }) => score
  const [joined = ''] = queryTokens(name).joined
  const isNamed = ({ id }: Fused): boolean =>
    (hits.get(id)?.match[joined] ?? []).some((field) => NAMED_FIELDS.has(field))
  return (fused) => (isNamed(fused) ? (1 + fused.score) / 2 : fused.score / 2)
}

/** Fields of a module that hold names. */
const NAMED_FIELDS: ReadonlySet<string> = new Set(['varnames', 'outputs', 'resources'])

const MODE_WEIGHTS: Readonly<Partial<Record<SearchMode, Weights>>> = {
  keyword: { keyword: 1, vector: 0 },
  vector: { keyword: 0, vector: 1 },
}

async function answer(parts: SearchParts, request: SearchRequest, ranking: Ranking): Promise<SearchAnswer> {
  const collapsed = request.allVersions ? ranking.ranked : onePerModule(ranking.ranked)
  const results: SearchHit[] = []
  for (const ranked of collapsed.slice(0, request.limit))
    results.push(await resultOf(parts, request, ranking, ranked))
  return {
    results,
    count: results.length,
    query: request.query,
    mode: request.mode,
    ...(ranking.fuzzy && { fuzzy: true as const }),
    ...(ranking.examples > 0 && { excluded: { examples: ranking.examples } }),
    ...(ranking.partial && request.mode !== 'vector' && { keyword_index: 'partial' as const }),
  }
}

async function resultOf(
  parts: SearchParts,
  request: SearchRequest,
  ranking: Ranking,
  ranked: Ranked,
): Promise<SearchHit> {
  const { id, metadata } = ranked.record
  const document = parts.store ? ranked.record.document : await parts.document(id)
  const { kind: _kind, latest: _latest, document_sha256: _digest, ...shown } = metadata
  const others = request.allVersions
    ? []
    : (await parts.refs(metadata.repository, metadata.path)).filter((ref) => ref !== metadata.ref)
  return {
    id,
    metadata: shown,
    document,
    distance: distanceOf(request.mode, ranked),
    ...(others.length > 0 && { other_refs: others }),
    ...(request.explain && { explain: explanationOf(request, ranking, ranked) }),
  }
}

function explanationOf(request: SearchRequest, ranking: Ranking, ranked: Ranked): Explanation {
  return {
    keyword: explainKeyword(ranked.hit, ranked.keyword),
    ...(ranking.vector && { vector: { cosine: sixDecimals(ranked.cosine ?? 0), scaled: ranked.vector } }),
    weights: MODE_WEIGHTS[request.mode] ?? request.weights,
    fused: sixDecimals(ranked.score),
  }
}

function distanceOf(mode: SearchMode, ranked: Ranked): number {
  return sixDecimals(1 - (mode === 'vector' ? (ranked.cosine ?? 0) : ranked.score))
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || compareRecords(a.record, b.record)
}

function compareRecords(a: StoredRecord, b: StoredRecord): number {
  const latest = Number(b.metadata.latest) - Number(a.metadata.latest)
  return (
    latest ||
    compare(b.metadata.ref, a.metadata.ref) ||
    compare(a.metadata.repository, b.metadata.repository) ||
    compare(a.metadata.path, b.metadata.path)
  )
}

/** The best record of each (repository, path). */
function onePerModule(ranked: readonly Ranked[]): Ranked[] {
  const seen = new Set<string>()
  return ranked.filter(({ record: { metadata } }) => {
    const module = `${metadata.repository}//${metadata.path}`
    if (seen.has(module)) return false
    seen.add(module)
    return true
  })
}
