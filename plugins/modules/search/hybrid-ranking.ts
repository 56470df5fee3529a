import { bestFirst, onePerModule, type Place } from './best-first.ts'
import {
  asksForNothingHere,
  type Candidates,
  candidatesOf,
  exampleTest,
  moduleOf,
  placeOf,
  prefer,
} from './candidates.ts'
import { type Explanation, explainKeyword, type ScoreSteps, scoreSteps, whatDecided } from './explain.ts'
import { type Evidence, evidenceOf, type Fused, fuse, lessen, type Weights } from './fusion.ts'
import type { KeywordIndex, KeywordScores } from './keyword-index.ts'
import type { QueryPlan } from './query-plan.ts'
import type { SearchRecord } from './record-columns.ts'
import type { SearchIndex } from './search-index.ts'
import { type StoredRecord, sixDecimals, type VectorMetadata } from './vector-record.ts'
import type { VectorFilter, VectorMatches, VectorStore } from './vector-store.ts'

export type SearchMode = 'vector' | 'keyword' | 'hybrid'

export interface SearchRequest {
  readonly query: string
  readonly filter: VectorFilter
  /** Examples are left out and counted, score less than other modules, or count like them. */
  readonly examples: 'left out' | 'less' | 'alike'
  readonly allVersions: boolean
  readonly limit: number
  readonly mode: SearchMode
  readonly weights: Weights
  readonly explain: boolean
}

/** What a search reads. */
export interface SearchParts {
  /** Every version of every module that was ingested. */
  readonly index: SearchIndex
  /** Absent: only keyword search is possible. */
  readonly store: Pick<VectorStore, 'query'> | undefined
  /** Vectors are made of the words and concepts that the index has: those of a module that has none are like by chance. */
  readonly hasVectorsOfWords: boolean
  /** The document of a record, as a vector store would hold it. */
  document(record: SearchRecord): Promise<string>
  /** Refs of a module that only the store knows, newest first. */
  storedRefs(repository: string, path: string): Promise<readonly string[]>
  embedQuery(plan: QueryPlan, keyword: KeywordIndex): Promise<Float32Array>
}

/** One result: exactly the fields of spec module-ingestion "Search result", and what explains it. */
export interface SearchHit {
  readonly id: string
  readonly metadata: VectorMetadata
  readonly document: string
  /** Ascending; 0 is the best possible. Six decimals. */
  readonly distance: number
  readonly other_refs?: string[]
  /** The release of its repository since which the module is missing. */
  readonly removed_since?: string
  readonly explain?: Explanation
}

export interface SearchAnswer {
  readonly results: SearchHit[]
  readonly count: number
  readonly query: string
  readonly mode: SearchMode
  readonly fuzzy?: true
  /** No module is about what the query asks for; these are the nearest three. */
  readonly nothing_fits?: true
  /** Misspelt words and phrases of other languages, and what they were taken for. */
  readonly read_as?: { from: string; to: string }[]
  /** Nothing was found among the latest refs; these are older ones. */
  readonly older_versions?: true
  readonly excluded?: { readonly examples: number }
  /** Records of a vector server that the local keyword index does not know score 0 in it. */
  readonly keyword_index?: 'partial'
  /** Some modules, or all, have no vector: these rank by their words. */
  readonly vectors?: 'partial' | 'none'
}

/** Examples are rarely what is wanted, so their scores may count less. */
const EXAMPLE_SHARE = 0.4

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

/** A row of the index, its score (1 is the best possible), and the words of the query that it has. */
export interface RankedRow {
  readonly row: number
  readonly score: number
  readonly words: readonly string[]
}

/** What a search by words alone gives. */
export interface RankedByWords {
  /** Best first: `limit` of them and more, if there are more. */
  readonly rows: readonly RankedRow[]
  /** None of them is about what the query asks for. */
  readonly isNone: boolean
}

/** The latest versions that match by words alone. */
export async function rankByWords(
  index: SearchIndex,
  request: Pick<SearchRequest, 'query' | 'filter' | 'limit' | 'examples'>,
): Promise<RankedByWords> {
  const none = async (): Promise<never> => {
    throw new Error('A search by words needs nothing else.')
  }
  const parts = {
    index,
    store: undefined,
    hasVectorsOfWords: false,
    document: none,
    storedRefs: none,
    embedQuery: none,
  }
  const weights = { keyword: 1, vector: 0 }
  const whole = { ...request, mode: 'keyword', allVersions: false, explain: false, weights } as const
  const ranking = await rank(parts, whole, false)
  const { ranked, candidates, fused, keyword } = ranking
  const rows = ranked.map((at) => {
    const row = candidates.rows[at] ?? -1
    return {
      row,
      score: sixDecimals(fused.scores[at] ?? 0),
      get words() {
        return Object.keys(keyword?.match(index.textOf(row)).match ?? {})
      },
    }
  })
  return { rows, isNone: hasNoneThatFits(ranking, weights) }
}

interface Ranking {
  readonly candidates: Candidates
  /** The best candidates that match, best first, and how many match. */
  readonly ranked: readonly number[]
  readonly matching: number
  /** All that match. */
  all(): readonly number[]
  readonly plan: QueryPlan
  readonly steps: ScoreSteps
  /** Whether any module is about what the query asks for. */
  readonly fits: boolean
  readonly fused: Fused
  readonly keyword: KeywordScores | undefined
  readonly vector: Float32Array | undefined
  readonly examples: number
  readonly partial: boolean
  /** Whether a candidate has no vector. */
  readonly lacksVectors: boolean
}

async function rank(parts: SearchParts, request: SearchRequest, allVersions: boolean): Promise<Ranking> {
  const { index, store } = parts
  const latestOnly = !allVersions && request.filter.ref === undefined
  const filter: VectorFilter = { ...request.filter, ...(latestOnly && { latestOnly }) }
  const words = index.keyword(latestOnly ? 'latest' : 'all')
  const plan = words.plan(request.query)
  const heard = request.mode === 'vector' && !parts.hasVectorsOfWords ? undefined : words.score(plan)
  const keyword = request.mode === 'vector' ? undefined : heard
  const vector = request.mode === 'keyword' || !store ? undefined : await parts.embedQuery(plan, words)
  const near =
    vector && store ? await store.query(vector, filter, Math.max(CANDIDATES, request.limit * 5)) : undefined
  const candidates = candidatesOf(index, filter, near)
  const scored = score(parts, request, candidates, heard)
  const isExample = exampleTest(index, candidates)
  const matching = matchingOf(scored.evidence, request.mode)
  const wanted = request.examples === 'left out' ? matching.filter((at) => !isExample(at)) : matching
  if (request.examples === 'less') lessen(scored.fused.scores, wanted.filter(isExample), EXAMPLE_SHARE)
  const steps = scoreSteps(scored.fused.scores, request.explain)
  steps.note('lists')
  prefer(index, scored.fused.scores, candidates, { wanted, plan, words: keyword && words, steps })
  const place = (at: number): Place => placeOf(index, candidates, at)
  const first = (count?: number) => bestFirst(wanted, scored.fused.scores, place, request.limit, count)
  const ranked = first()
  return {
    candidates,
    ranked,
    matching: wanted.length,
    all: () => first(wanted.length),
    plan,
    steps,
    fits: !asksForNothingHere(index, plan, words, { candidates, ranked, keyword }),
    fused: scored.fused,
    keyword,
    vector,
    examples: matching.length - wanted.length,
    partial: candidates.rows.includes(-1),
    lacksVectors: scored.evidence.lacksVectors,
  }
}

/** Joins the lists. */
function score(
  { index, hasVectorsOfWords }: SearchParts,
  { mode, weights }: SearchRequest,
  { rows, matches, near }: Candidates,
  heard: KeywordScores | undefined,
): { readonly fused: Fused; readonly evidence: Evidence } {
  const lists = { rows, matches, texts: index.texts(), scores: heard?.scores, cosines: near?.cosines }
  const { words: shared, cosines, lacksVectors } = evidenceOf(lists, hasVectorsOfWords)
  const words = mode === 'vector' ? new Float64Array(rows.length) : shared
  const fused = fuse(words, cosines, MODE_WEIGHTS[mode] ?? weights)
  // A module without a vector counts by its words alone, instead of as one that means something else.
  if (mode === 'hybrid' && near?.isWhole !== false && lacksVectors) {
    for (let at = 0; at < matches.length; at++)
      if (!hasVector(near, matches[at] ?? -1)) fused.scores[at] = fused.keyword[at] ?? 0
  }
  return { fused, evidence: { words, cosines, lacksVectors } }
}

/** The candidates that match in a list that the mode uses. */
function matchingOf({ words, cosines }: Evidence, mode: SearchMode): Int32Array {
  const places = new Int32Array(words.length)
  let count = 0
  for (let at = 0; at < words.length; at++)
    if ((words[at] ?? 0) > 0 || (mode !== 'keyword' && (cosines[at] ?? 0) > 0)) places[count++] = at
  return places.subarray(0, count)
}

function hasVector(near: VectorMatches | undefined, match: number): boolean {
  return match >= 0 && Number.isFinite(near?.cosines[match])
}

const MODE_WEIGHTS: Readonly<Partial<Record<SearchMode, Weights>>> = {
  keyword: { keyword: 1, vector: 0 },
  vector: { keyword: 0, vector: 1 },
}

/** Shown where nothing fits. */
export const NEAREST = 3

/** Whether what was found is not what was asked for. Vectors alone do not tell. */
function hasNoneThatFits({ fits, ranked }: Ranking, weights: Weights): boolean {
  return !fits && weights.keyword > 0 && ranked.length > 0
}

async function answer(parts: SearchParts, request: SearchRequest, ranking: Ranking): Promise<SearchAnswer> {
  const { ranked, examples, partial, keyword } = ranking
  const weights = MODE_WEIGHTS[request.mode] ?? request.weights
  const isNone = hasNoneThatFits(ranking, weights)
  const limit = isNone ? Math.min(NEAREST, request.limit) : request.limit
  const readAs = [...ranking.plan.translations, ...ranking.plan.corrections]
  const chosen = request.allVersions ? ranked.slice(0, limit) : modulesOf(parts, ranking, limit)
  const results: SearchHit[] = []
  for (const at of chosen) results.push(await resultOf(parts, request, ranking, at))
  return {
    results,
    count: results.length,
    query: request.query,
    mode: request.mode,
    ...(keyword?.fuzzy && { fuzzy: true as const }),
    ...(isNone && { nothing_fits: true as const }),
    ...(readAs.length > 0 && { read_as: readAs }),
    ...(examples > 0 && { excluded: { examples } }),
    ...(partial && request.mode !== 'vector' && { keyword_index: 'partial' as const }),
    ...(request.mode === 'hybrid' && lackingVectors(ranking)),
  }
}

/** The best candidate of each of the best modules. */
function modulesOf(parts: SearchParts, ranking: Ranking, limit: number): readonly number[] {
  const { ranked, candidates, matching } = ranking
  const module = (at: number): number => moduleOf(parts.index, candidates, at)
  const chosen = onePerModule(ranked, module, limit)
  return chosen.length === limit || ranked.length === matching
    ? chosen
    : onePerModule(ranking.all(), module, limit)
}

function lackingVectors({ candidates: { near }, lacksVectors }: Ranking): Pick<SearchAnswer, 'vectors'> {
  if (near === undefined) return { vectors: 'none' }
  return near.isWhole && lacksVectors ? { vectors: 'partial' } : {}
}

async function resultOf(
  parts: SearchParts,
  request: SearchRequest,
  ranking: Ranking,
  at: number,
): Promise<SearchHit> {
  const { rows, matches, near } = ranking.candidates
  const row = rows[at] ?? -1
  const match = matches[at] ?? -1
  const stored = near && match >= 0 ? near.record(match) : await localRecord(parts, row)
  const { kind: _kind, latest: _latest, document_sha256: _digest, ...metadata } = stored.metadata
  const refs = request.allVersions
    ? []
    : row >= 0
      ? parts.index.refs(row)
      : await parts.storedRefs(metadata.repository, metadata.path)
  const others = refs.filter((ref) => ref !== metadata.ref)
  const removedSince = row >= 0 ? parts.index.removedSince(row) : undefined
  return {
    id: stored.id,
    metadata,
    document: stored.document,
    distance: distanceOf(request.mode, ranking, at),
    ...(others.length > 0 && { other_refs: others }),
    ...(removedSince !== undefined && { removed_since: removedSince }),
    ...(request.explain && { explain: explanationOf(parts, request, ranking, at) }),
  }
}

/** A record of the index as a store would hold it. */
async function localRecord({ index, document }: SearchParts, row: number): Promise<StoredRecord> {
  const record = index.record(row)
  const { id, repository, ref, path, provider, providers, tags, kind } = record
  const lists = { providers: providers.join(','), tags: tags.join(',') }
  const times = { last_updated: index.lastUpdated(row), latest: index.isLatest(row) }
  return {
    id,
    document: await document(record),
    metadata: { repository, ref, path, provider, ...lists, ...times, kind, document_sha256: '' },
  }
}

function explanationOf(
  { index }: SearchParts,
  request: SearchRequest,
  { candidates, fused, keyword, vector, plan, steps }: Ranking,
  at: number,
): Explanation {
  const row = candidates.rows[at] ?? -1
  const match = row >= 0 ? keyword?.match(index.textOf(row)) : undefined
  const cosine = candidates.near?.cosines[candidates.matches[at] ?? -1] || 0 // NaN: the store left it out
  const scaled = { keyword: fused.keyword[at] ?? 0, vector: fused.vector[at] ?? 0 }
  const weights = MODE_WEIGHTS[request.mode] ?? request.weights
  return {
    keyword: explainKeyword(match, scaled.keyword),
    ...(vector && { vector: { cosine: sixDecimals(cosine), scaled: scaled.vector } }),
    weights,
    fused: sixDecimals(fused.scores[at] ?? 0),
    decided: whatDecided(plan, { hit: match, vector: scaled.vector, steps: steps.of(at) }, weights),
  }
}

function distanceOf(mode: SearchMode, { candidates, fused }: Ranking, at: number): number {
  const cosine = candidates.near?.cosines[candidates.matches[at] ?? -1] || 0
  return sixDecimals(1 - (mode === 'vector' ? cosine : (fused.scores[at] ?? 0)))
}
