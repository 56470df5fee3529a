import MiniSearch, { type SearchResult } from 'minisearch'
import type { ModuleSummary } from '../domain/summary.ts'
import type { DocumentFrequencies } from './dense-features.ts'
import type { Lexicon } from './lexicon.ts'
import { type ModuleFields, moduleFields } from './module-fields.ts'
import { queryTokens, TOKENIZER_VERSION, termsOf, tokenize } from './tokens.ts'

/**
 * How much a concept counts beside the query's own words, per word of the query: MiniSearch multiplies a score by the
 * number of words that matched, so a concept weighs as if half of the query had matched (decision 6).
 */
const CONCEPT_WEIGHT = 0.5

/** What one document scored, and which words of which fields gave it. */
export interface KeywordHit {
  readonly id: string
  readonly score: number
  /** Term -> fields it was found in. */
  readonly match: Readonly<Record<string, readonly string[]>>
  /** Group -> what a concept of the query added where the document has it too. */
  readonly concepts: Readonly<Record<string, number>>
}

export interface KeywordResult {
  readonly hits: readonly KeywordHit[]
  /** No exact match; these results match prefixes and similar spellings. */
  readonly fuzzy: boolean
}

/** The document of one module in the index: the searched fields under its record id. */
export type KeywordDocument = { readonly id: string; readonly name: string } & Omit<ModuleFields, 'title'>

/** A keyword index over modules; one document per module. The caller that opened it owns it; it holds no file. */
export interface KeywordIndex {
  readonly size: number
  readonly frequencies: DocumentFrequencies
  search(query: string): KeywordResult
  toJSON(): unknown
}

const FIELDS = ['name', 'description', 'readme', 'varnames', 'variables', 'outputs', 'resources'] as const

/** Fields whose phrases are looked up in the lexicon; `varnames` is part of `variables`. */
const CONCEPT_FIELDS = ['name', 'description', 'readme', 'variables', 'outputs', 'resources'] as const

/** Names of concepts are indexed in separate fields, so that no word of a query matches them. */
const CONCEPTS_OF: Readonly<Record<string, string>> = Object.fromEntries(
  CONCEPT_FIELDS.map((field) => [field, `concepts_${field}`]),
)

/** Tokens are made before indexing, in documents and queries alike; MiniSearch adds nothing of its own. */
const OPTIONS = {
  fields: [...FIELDS, ...Object.values(CONCEPTS_OF)],
  tokenize: (text: string, field?: string) =>
    field?.startsWith('concepts_') ? text.split(' ').filter(Boolean) : termsOf(text),
  processTerm: (term: string) => term,
  searchOptions: { combineWith: 'OR' as const, boost: {}, prefix: false, fuzzy: false },
}

/** The searched document of a summary. */
export function keywordDocument(id: string, summary: ModuleSummary): KeywordDocument {
  const { title, ...fields } = moduleFields(summary)
  return { id, name: title, ...fields }
}

/** Builds an index document by document, so that a caller may do other things in between; about 1 ms each. */
export function keywordBuilder(lexicon: Lexicon) {
  const engine = new MiniSearch<Record<string, string>>(OPTIONS)
  const counts = new Map<string, number>()
  let documents = 0
  return {
    add(document: KeywordDocument): void {
      const { concepts, features } = readDocument(document, lexicon)
      engine.add({ ...document, ...concepts })
      for (const feature of features) counts.set(feature, (counts.get(feature) ?? 0) + 1)
      documents++
    },
    finish: (): KeywordIndex =>
      keywordIndex(engine, { documents, counts: Object.fromEntries(counts) }, lexicon),
  }
}

/** An index over these documents. */
export function buildKeywordIndex(documents: readonly KeywordDocument[], lexicon: Lexicon): KeywordIndex {
  const builder = keywordBuilder(lexicon)
  for (const document of documents) builder.add(document)
  return builder.finish()
}

/** The index of `toJSON`, or undefined when it was made by another tokenizer or lexicon. */
export function loadKeywordIndex(stored: unknown, lexicon: Lexicon): KeywordIndex | undefined {
  if (!isKeywordIndex(stored, lexicon)) return undefined
  const engine = MiniSearch.loadJS<Record<string, string>>(stored.engine, OPTIONS)
  return keywordIndex(engine, stored.frequencies, lexicon)
}

/** The same for a large one: slower, and other work goes on meanwhile. */
export async function loadLargeKeywordIndex(
  stored: unknown,
  lexicon: Lexicon,
): Promise<KeywordIndex | undefined> {
  if (!isKeywordIndex(stored, lexicon)) return undefined
  const engine = await MiniSearch.loadJSAsync<Record<string, string>>(stored.engine, OPTIONS)
  return keywordIndex(engine, stored.frequencies, lexicon)
}

/** Whether `stored` was made by this tokenizer and lexicon, without loading it. */
export function isKeywordIndex(stored: unknown, lexicon: Lexicon): stored is StoredIndex {
  const file = stored as Partial<StoredIndex> | null // each member is checked before it is used
  if (file?.format !== FORMAT || file.tokenizer_version !== TOKENIZER_VERSION) return false
  return (
    file.lexicon_version === lexicon.version && file.engine !== undefined && file.frequencies !== undefined
  )
}

/** Raise it when the fields change: a stored index of another format is rebuilt. */
const FORMAT = 2

interface StoredIndex {
  readonly format: number
  readonly tokenizer_version: number
  readonly lexicon_version: string
  readonly frequencies: DocumentFrequencies
  readonly engine: ReturnType<MiniSearch['toJSON']>
}

function keywordIndex(
  engine: MiniSearch<Record<string, string>>,
  frequencies: DocumentFrequencies,
  lexicon: Lexicon,
): KeywordIndex {
  return {
    size: engine.documentCount,
    frequencies,
    search: (query) => search(engine, lexicon, query),
    toJSON: () =>
      ({
        format: FORMAT,
        tokenizer_version: TOKENIZER_VERSION,
        lexicon_version: lexicon.version,
        frequencies,
        engine: engine.toJSON(),
      }) satisfies StoredIndex,
  }
}

function search(engine: MiniSearch<Record<string, string>>, lexicon: Lexicon, query: string): KeywordResult {
  const tokens = queryTokens(query)
  const terms = [...tokens.words, ...tokens.joined]
  const own = searchTerms(engine, terms, FIELDS)
  const found = new Map<
    string,
    { score: number; match: Record<string, string[]>; concepts: Record<string, number> }
  >()
  for (const hit of own) found.set(String(hit.id), { score: hit.score, match: hit.match, concepts: {} })

  for (const group of lexicon.match(tokens).keys()) {
    for (const { id, score } of searchTerms(engine, [group], Object.values(CONCEPTS_OF))) {
      const hit = found.get(String(id)) ?? { score: 0, match: {}, concepts: {} }
      const added = CONCEPT_WEIGHT * terms.length * score
      hit.score += added
      hit.concepts[group] = added
      found.set(String(id), hit)
    }
  }
  if (found.size > 0) return { hits: ranked([...found].map(([id, hit]) => ({ id, ...hit }))), fuzzy: false }
  const near = engine.search(terms.join(' '), {
    tokenize: () => terms,
    fields: [...FIELDS],
    prefix: true,
    fuzzy: 0.2,
  })
  return {
    hits: ranked(
      near.map((hit) => ({ id: String(hit.id), score: hit.score, match: hit.match, concepts: {} })),
    ),
    fuzzy: near.length > 0,
  }
}

function searchTerms(
  engine: MiniSearch<Record<string, string>>,
  terms: readonly string[],
  fields: readonly string[],
): SearchResult[] {
  return engine.search(terms.join(' '), { tokenize: () => [...terms], fields: [...fields] })
}

/** Best first; equal scores by id, so that the order never depends on insertion. */
function ranked(hits: KeywordHit[]): KeywordHit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}

/** The concepts of each field, and the features that the vectors of `vectordb-default` weigh by how rare they are. */
function readDocument(document: KeywordDocument, lexicon: Lexicon) {
  const concepts: Record<string, string> = {}
  const features = new Set<string>()
  for (const field of CONCEPT_FIELDS) {
    const tokens = tokenize(document[field])
    const groups = [...lexicon.match(tokens).keys()]
    concepts[`concepts_${field}`] = groups.join(' ')
    for (const word of tokens.words) features.add(`w:${word}`)
    for (const group of groups) features.add(`g:${group}`)
  }
  return { concepts, features }
}
