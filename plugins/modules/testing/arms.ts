import type { ModuleSummary } from '../domain/summary.ts'
import { recordOf } from '../ingest/summary-output.ts'
import { type IndexRecord, type ModuleIndex, moduleId } from '../output/module-index.ts'
import { documentVector, queryVector } from '../search/dense-features.ts'
import { type SearchAnswer, searchModules } from '../search/hybrid-ranking.ts'
import { createLexicon, type Lexicon } from '../search/lexicon.ts'
import { moduleFields } from '../search/module-fields.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { currentSearchIndex } from '../search/search-index-file.ts'
import { similarity } from '../search/similarity.ts'
import type { StoredRecord } from '../search/vector-record.ts'
import type { VectorMatches, VectorStore } from '../search/vector-store.ts'

/** A corpus ranked by one arm of the ladder: which parts of the search take part. */
export interface Arm {
  readonly name: string
  answer(query: string): Promise<ArmAnswer>
}

/** What a caller of the search would see of a query. */
export interface ArmAnswer {
  /** Ids of the corpus, best first. */
  readonly ranking: readonly string[]
  readonly nothingFits: boolean
}

interface Corpus {
  readonly ids: readonly string[]
  readonly summaries: readonly ModuleSummary[]
}

/** As many as the deepest figure looks at. */
const DEPTH = 50

/**
 * The ladder of `search.md` 8 over one corpus: keyword, keyword with concepts, vector, hybrid, hybrid without lexicon.
 * Each arm is the search itself, with the options that its tools have by default.
 */
export async function ladder(corpus: Corpus, lexicon: Lexicon): Promise<Arm[]> {
  const plain = await engine(corpus, createLexicon([], 'none'))
  const full = await engine(corpus, lexicon)
  const arm = (name: string, search: Engine, keyword: number, vector: number): Arm => ({
    name,
    answer: (query) => search(query, { keyword, vector }),
  })
  return [
    arm('keyword', plain, 1, 0),
    arm('keyword + concepts', full, 1, 0),
    arm('vector', full, 0, 1),
    arm('hybrid', full, 0.5, 0.5),
    arm('hybrid without lexicon', plain, 0.5, 0.5),
  ]
}

interface Weights {
  readonly keyword: number
  readonly vector: number
}

type Engine = (query: string, weights: Weights) => Promise<ArmAnswer>

async function engine({ ids, summaries }: Corpus, lexicon: Lexicon): Promise<Engine> {
  const records = summaries.map(recordFor)
  const names = new Map(records.map(({ id }, at) => [id, ids[at] ?? '']))
  const load = async ({ summary_file }: Pick<IndexRecord, 'summary_file'>): Promise<ModuleSummary> => {
    const summary = summaries[Number(summary_file)]
    if (!summary) throw new Error(`There is no summary ${summary_file}.`)
    return summary
  }
  const index = await currentSearchIndex(undefined, { index: indexOf(records), lexicon, load })
  const store = storeOf(index, records, summaries, lexicon)
  return async (query, weights) => {
    const answer = await searchModules(
      {
        index,
        store,
        hasVectorsOfWords: true,
        document: async () => '',
        storedRefs: async () => [],
        embedQuery: async (plan, { frequencies }) => queryVector(plan, frequencies),
      },
      { ...ASKED, query, weights, mode: modeOf(weights) },
    )
    return answerOf(answer, names)
  }
}

const ASKED = {
  filter: {},
  examples: 'left out',
  allVersions: false,
  limit: DEPTH,
  explain: false,
} as const

function modeOf({ keyword, vector }: Weights) {
  if (vector === 0) return 'keyword'
  return keyword === 0 ? 'vector' : 'hybrid'
}

function answerOf({ results, nothing_fits }: SearchAnswer, names: ReadonlyMap<string, string>): ArmAnswer {
  return {
    ranking: results.map(({ id }) => names.get(id) ?? ''),
    nothingFits: nothing_fits === true || results.length === 0,
  }
}

function recordFor(summary: ModuleSummary, at: number): IndexRecord {
  return recordOf(moduleId(summary.repository, summary.ref, summary.path), summary, {
    summary_file: String(at),
    summary_sha256: '',
    options_digest: '',
    last_updated: '2026-01-01T00:00:00.000Z',
    embedded: true,
  })
}

function indexOf(records: readonly IndexRecord[]): ModuleIndex {
  return {
    format: 1,
    parser_version: '',
    finished_at: null,
    repositories: [],
    records: [...records],
    leftovers: [],
    stale_vectors: [],
    had_vectors: false,
  }
}

/** The vectors of the corpus in memory, one for each record of the index. */
function storeOf(
  index: SearchIndex,
  records: readonly IndexRecord[],
  summaries: readonly ModuleSummary[],
  lexicon: Lexicon,
): Pick<VectorStore, 'query'> {
  const ids = Buffer.from(records.map(({ id }) => id).join(''), 'hex')
  const vectors = summaries.map((summary) => documentVector(moduleFields(summary), lexicon))
  return {
    async query(wanted, filter): Promise<VectorMatches> {
      const chosen = new Set(Array.from(index.select(filter), (row) => index.record(row).id))
      const cosines = Float32Array.from(records, ({ id }, at) =>
        chosen.has(id) ? similarity(vectors[at] ?? wanted, 0, wanted) : Number.NaN,
      )
      const record = (match: number): StoredRecord => storedOf(records[match])
      return { ids: () => ids, cosines, isWhole: true, record }
    },
  }
}

function storedOf(record: IndexRecord | undefined): StoredRecord {
  if (!record) throw new Error('Every vector has its record.')
  const { id, repository, ref, path, provider, providers, tags, kind, last_updated } = record
  const lists = { providers: providers.join(','), tags: tags.join(',') }
  const inner = { last_updated, kind, latest: true, document_sha256: '' }
  return { id, document: '', metadata: { repository, ref, path, provider, ...lists, ...inner } }
}
