import MiniSearch, { type SearchResult } from 'minisearch'
import type { ModuleSummary } from '../domain/summary.ts'
import type { DocumentFrequencies } from './dense-features.ts'
import type { Lexicon } from './lexicon.ts'
import { type ModuleFields, moduleFields } from './module-fields.ts'
import { queryTokens, TOKENIZER_VERSION, termsOf, tokenize } from './tokens.ts'

/**
 * How much the other phrases of a query's concepts count beside its own words. MiniSearch multiplies a score by the
 * number of words that matched, so a phrase weighs less than it seems; 1 measured best of 0.5 to 3.
 */
const EXPANSION_WEIGHT = 1

/** What one document scored, and which words of which fields gave it. */
export interface KeywordHit {
  readonly id: string
  readonly score: number
  /** Term -> fields it was found in. */
  readonly match: Readonly<Record<string, readonly string[]>>
  /** Group -> what its other phrases added. */
  readonly concepts: Readonly<Record<string, number>>
}

export interface KeywordResult {
  readonly hits: readonly KeywordHit[]
  /** Nothing matched as written; these came from prefixes and near spellings. */
  readonly fuzzy: boolean
}

/** The document of one module in the index: the searched fields under its record id. */
export type KeywordDocument = { readonly id: string; readonly name: string } & Omit<ModuleFields, 'title'>

/** A keyword index over modules; one document per module. Owned by whoever opened it; holds no file. */
export interface KeywordIndex {
  readonly size: number
  readonly frequencies: DocumentFrequencies
  search(query: string): KeywordResult
  toJSON(): unknown
}

const FIELDS = ['name', 'description', 'readme', 'varnames', 'variables', 'outputs', 'resources']
/** Tokens come from `termsOf`, in documents and queries alike; MiniSearch adds nothing of its own. */
const OPTIONS = {
  fields: FIELDS,
  tokenize: (text: string) => termsOf(text),
  processTerm: (term: string) => term,
  searchOptions: { combineWith: 'OR' as const, boost: {}, prefix: false, fuzzy: false },
}

/** The searched document of a summary. */
export function keywordDocument(id: string, summary: ModuleSummary): KeywordDocument {
  const { title, ...fields } = moduleFields(summary)
  return { id, name: title, ...fields }
}

/** Builds an index over these documents. About 1 ms a document. */
export function buildKeywordIndex(documents: readonly KeywordDocument[], lexicon: Lexicon): KeywordIndex {
  const engine = new MiniSearch<KeywordDocument>(OPTIONS)
  engine.addAll(documents)
  return keywordIndex(engine, frequenciesOf(documents, lexicon), lexicon)
}

/** The index of `toJSON`, or undefined when it was made by another tokenizer or lexicon. */
export function loadKeywordIndex(stored: unknown, lexicon: Lexicon): KeywordIndex | undefined {
  const file = stored as Partial<StoredIndex> | null // each member is checked before it is used
  if (file?.tokenizer_version !== TOKENIZER_VERSION || file.lexicon_version !== lexicon.version)
    return undefined
  if (!file.engine || !file.frequencies) return undefined
  return keywordIndex(MiniSearch.loadJS<KeywordDocument>(file.engine, OPTIONS), file.frequencies, lexicon)
}

interface StoredIndex {
  readonly tokenizer_version: number
  readonly lexicon_version: string
  readonly frequencies: DocumentFrequencies
  readonly engine: ReturnType<MiniSearch['toJSON']>
}

function keywordIndex(
  engine: MiniSearch<KeywordDocument>,
  frequencies: DocumentFrequencies,
  lexicon: Lexicon,
): KeywordIndex {
  return {
    size: engine.documentCount,
    frequencies,
    search: (query) => search(engine, lexicon, query),
    toJSON: () =>
      ({
        tokenizer_version: TOKENIZER_VERSION,
        lexicon_version: lexicon.version,
        frequencies,
        engine: engine.toJSON(),
      }) satisfies StoredIndex,
  }
}

function search(engine: MiniSearch<KeywordDocument>, lexicon: Lexicon, query: string): KeywordResult {
  const tokens = queryTokens(query)
  const terms = [...tokens.words, ...tokens.joined]
  const own = searchTerms(engine, terms, 'OR')
  const found = new Map<
    string,
    { score: number; match: Record<string, string[]>; concepts: Record<string, number> }
  >()
  for (const hit of own) found.set(String(hit.id), { score: hit.score, match: hit.match, concepts: {} })

  for (const group of lexicon.match(tokens).keys()) {
    for (const [id, score] of expansion(engine, lexicon, group, terms)) {
      const hit = found.get(id) ?? { score: 0, match: {}, concepts: {} }
      hit.score += EXPANSION_WEIGHT * score
      hit.concepts[group] = EXPANSION_WEIGHT * score
      found.set(id, hit)
    }
  }
  if (found.size > 0) return { hits: ranked([...found].map(([id, hit]) => ({ id, ...hit }))), fuzzy: false }
  const near = engine.search(terms.join(' '), { tokenize: () => terms, prefix: true, fuzzy: 0.2 })
  return {
    hits: ranked(
      near.map((hit) => ({ id: String(hit.id), score: hit.score, match: hit.match, concepts: {} })),
    ),
    fuzzy: near.length > 0,
  }
}

/** For one concept: per document the best of its phrases that the query does not hold itself. */
function expansion(
  engine: MiniSearch<KeywordDocument>,
  lexicon: Lexicon,
  group: string,
  terms: readonly string[],
): Map<string, number> {
  const best = new Map<string, number>()
  for (const { stems } of lexicon.phrases(group)) {
    if (stems.every((stem) => terms.includes(stem))) continue
    for (const hit of searchTerms(engine, stems, 'AND')) {
      const score = hit.score / Math.sqrt(stems.length)
      if (score > (best.get(String(hit.id)) ?? 0)) best.set(String(hit.id), score)
    }
  }
  return best
}

function searchTerms(
  engine: MiniSearch<KeywordDocument>,
  terms: readonly string[],
  combineWith: 'OR' | 'AND',
): SearchResult[] {
  return engine.search(terms.join(' '), { tokenize: () => [...terms], combineWith })
}

/** Best first; equal scores by id, so that the order never depends on insertion. */
function ranked(hits: KeywordHit[]): KeywordHit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

function frequenciesOf(documents: readonly KeywordDocument[], lexicon: Lexicon): DocumentFrequencies {
  const counts = new Map<string, number>()
  for (const document of documents) {
    for (const feature of featuresOf(document, lexicon)) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  }
  return { documents: documents.length, counts: Object.fromEntries(counts) }
}

function featuresOf(document: KeywordDocument, lexicon: Lexicon): Set<string> {
  const { id, varnames, ...texts } = document
  const features = new Set<string>()
  for (const text of Object.values(texts)) {
    const tokens = tokenize(text)
    for (const word of tokens.words) features.add(`w:${word}`)
    for (const group of lexicon.match(tokens).keys()) features.add(`g:${group}`)
  }
  return features
}
