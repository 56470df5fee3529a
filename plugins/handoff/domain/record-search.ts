import { shownLine } from './fence.ts'
import type { Query, QueryTerm } from './query.ts'
import { type RecordRow, SEARCH_FIELDS, type SearchField } from './record-row.ts'
import { folded, wordsOf } from './words.ts'

export interface SearchHit {
  readonly row: RecordRow
  readonly score: number
}

// design handoff-store, section 1
const BOOST: Readonly<Partial<Record<SearchField, number>>> = { title: 4, objective: 3, open: 2, decision: 2 }
const SNIPPET_CHARS = 160
// BM25; the average length is a constant, so that the score of a record depends on nothing but the record.
const K1 = 1.2
const B = 0.5
const AVERAGE_WORDS = 40

/** The rows that match every term of the query, with their scores, in no order. */
export function searchRows({ terms }: Query, rows: readonly RecordRow[]): SearchHit[] {
  const held = terms.map(() => 0) // rows that match this term and all before it
  const found: { readonly row: RecordRow; readonly frequencies: readonly number[] }[] = []
  for (const row of rows) {
    const frequencies = frequenciesOf(terms, searchedOf(row), held)
    if (frequencies) found.push({ row, frequencies })
  }
  const weights = terms.map((_, at) => rarity(at === 0 ? rows.length : (held[at - 1] ?? 0), held[at] ?? 0))
  return found.map(({ row, frequencies }) => ({ row, score: scoreOf(frequencies, weights) }))
}

/** The frequency of each term in a row; 0 for excluded terms. Undefined if a term does not match. Counts matches in `held`. */
function frequenciesOf(
  terms: readonly QueryTerm[],
  fields: SearchedRow,
  held: number[],
): readonly number[] | undefined {
  const frequencies: number[] = []
  for (const [at, term] of terms.entries()) {
    const frequency = frequencyOf(term, fields)
    if (frequency > 0 === term.not) return undefined
    held[at] = (held[at] ?? 0) + 1
    frequencies.push(frequency)
  }
  return frequencies
}

/** In half steps, so that a new record rarely reorders the others: a page would repeat or skip them. */
function rarity(total: number, found: number): number {
  return 1 + Math.round(2 * Math.log2((total + 1) / (found + 1))) / 2 / 4
}

/** A searched field of a row. Its words are counted on first use. */
interface SearchedField {
  readonly name: SearchField
  readonly boost: number
  readonly plain: string
  readonly text: string
  words?: ReadonlyMap<string, number>
}
type SearchedRow = readonly SearchedField[]

/** Cached as long as the row. */
const searched = new WeakMap<RecordRow, SearchedRow>()

/** The non-empty fields of a row. */
function searchedOf(row: RecordRow): SearchedRow {
  const known = searched.get(row)
  if (known) return known
  const fields = SEARCH_FIELDS.filter((name) => row.text[name] !== '').map((name) => {
    const text = row.text[name]
    return { name, boost: BOOST[name] ?? 1, plain: folded(text).replace(/\s+/g, ' '), text }
  })
  searched.set(row, fields)
  return fields
}

function wordCounts(field: SearchedField): ReadonlyMap<string, number> {
  if (field.words) return field.words
  const counts = new Map<string, number>()
  for (const word of wordsOf(field.text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  field.words = counts
  return counts
}

/** The frequency of a term in a row, weighted by field and length as in BM25. */
function frequencyOf(term: QueryTerm, fields: SearchedRow): number {
  let frequency = 0
  for (const field of fields) {
    if (term.field !== undefined && term.field !== field.name) continue
    const count = countIn(term, field)
    if (count === 0) continue
    const length = term.kind === 'phrase' ? AVERAGE_WORDS : wordCounts(field).size
    frequency += (field.boost * count) / (1 - B + (B * length) / AVERAGE_WORDS)
  }
  return frequency
}

/** Occurrences of the term in the field. A cheap test first rules out most fields. */
function countIn(term: QueryTerm, field: SearchedField): number {
  if (!field.plain.includes(term.text)) return 0
  if (term.kind === 'phrase') return isWholePhrase(field.plain, term.text) ? 1 : 0
  const counts = wordCounts(field)
  if (term.kind === 'word') return counts.get(term.text) ?? 0
  let sum = 0
  for (const [word, count] of counts) if (word.startsWith(term.text)) sum += count
  return sum
}

function isWholePhrase(plain: string, phrase: string): boolean {
  for (let at = plain.indexOf(phrase); at >= 0; at = plain.indexOf(phrase, at + 1)) {
    const before = plain[at - 1] ?? ' '
    const after = plain[at + phrase.length] ?? ' '
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true
  }
  return false
}

/** Sums the saturated frequencies, weighted by rarity. Excluded terms have none. */
function scoreOf(frequencies: readonly number[], weights: readonly number[]): number {
  let score = 0
  for (const [at, frequency] of frequencies.entries()) {
    score += ((weights[at] ?? 1) * frequency * (K1 + 1)) / (frequency + K1)
  }
  return Math.round(score * 10_000) / 10_000
}

/** Text of a row around the first hit, on one line. Slower than the search, so only used for a page. */
export function snippetOf(row: RecordRow, query: Query): string {
  for (const term of query.terms.filter(({ not }) => !not)) {
    for (const field of searchedOf(row)) {
      if (term.field !== undefined && term.field !== field.name) continue
      if (field.name === 'id' || field.name === 'status' || countIn(term, field) === 0) continue
      const text = field.text.replace(/\s+/g, ' ')
      const at = Math.max(0, folded(text).indexOf(term.text))
      const from = Math.max(0, at - 50)
      return shownLine(text.slice(from, from + SNIPPET_CHARS)).slice(0, SNIPPET_CHARS)
    }
  }
  return ''
}
