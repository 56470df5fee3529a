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

/** The rows in which every term of the query holds, with their scores, in no order. */
export function searchRows(query: Query, rows: readonly RecordRow[]): SearchHit[] {
  let left = rows
  const weights = new Map<QueryTerm, number>()
  for (const term of query.terms) {
    const before = left.length
    left = left.filter((row) => holds(term, row) !== term.not)
    weights.set(term, rarity(before, left.length))
  }
  const wanted = query.terms.filter((term) => !term.not)
  return left.map((row) => ({ row, score: scoreOf(row, wanted, weights) }))
}

/** In half steps: one more record must not move the others, or a page would repeat or skip them. */
function rarity(total: number, found: number): number {
  return 1 + Math.round(2 * Math.log2((total + 1) / (found + 1))) / 2 / 4
}

/** A field of a row as it is searched; made when first needed and kept as long as the row. */
interface SearchedField {
  readonly plain: string
  words?: ReadonlyMap<string, number>
}

const searched = new WeakMap<RecordRow, Partial<Record<SearchField, SearchedField>>>()

function fieldOf(row: RecordRow, field: SearchField): SearchedField {
  let fields = searched.get(row)
  if (!fields) {
    fields = {}
    searched.set(row, fields)
  }
  fields[field] ??= { plain: folded(row.text[field]).replace(/\s+/g, ' ') }
  return fields[field]
}

function wordCounts(row: RecordRow, field: SearchField): ReadonlyMap<string, number> {
  const found = fieldOf(row, field)
  if (!found.words) {
    const counts = new Map<string, number>()
    for (const word of wordsOf(row.text[field])) counts.set(word, (counts.get(word) ?? 0) + 1)
    found.words = counts
  }
  return found.words
}

function holds(term: QueryTerm, row: RecordRow): boolean {
  return fieldsOf(term).some((field) => countIn(term, row, field) > 0)
}

function fieldsOf(term: QueryTerm): readonly SearchField[] {
  return term.field ? [term.field] : SEARCH_FIELDS
}

/** How often the term stands in the field. Most fields are left by the first, cheap look. */
function countIn(term: QueryTerm, row: RecordRow, field: SearchField): number {
  const { plain } = fieldOf(row, field)
  if (!plain.includes(term.text)) return 0
  if (term.kind === 'phrase') return isWholePhrase(plain, term.text) ? 1 : 0
  const counts = wordCounts(row, field)
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

function scoreOf(
  row: RecordRow,
  terms: readonly QueryTerm[],
  weights: ReadonlyMap<QueryTerm, number>,
): number {
  let score = 0
  for (const term of terms) {
    let frequency = 0
    for (const field of fieldsOf(term)) {
      const count = countIn(term, row, field)
      if (count === 0) continue
      const length = term.kind === 'phrase' ? AVERAGE_WORDS : wordCounts(row, field).size
      frequency += ((BOOST[field] ?? 1) * count) / (1 - B + (B * length) / AVERAGE_WORDS)
    }
    score += ((weights.get(term) ?? 1) * frequency * (K1 + 1)) / (frequency + K1)
  }
  return Math.round(score * 10_000) / 10_000
}

/** Words of a row around the first hit, on one line, every character shown. Costs more than the search: for a page only. */
export function snippetOf(row: RecordRow, query: Query): string {
  for (const term of query.terms.filter(({ not }) => !not)) {
    for (const field of fieldsOf(term)) {
      if (field === 'id' || field === 'status' || countIn(term, row, field) === 0) continue
      const text = row.text[field].replace(/\s+/g, ' ')
      const at = Math.max(0, folded(text).indexOf(term.text))
      const from = Math.max(0, at - 50)
      return shownLine(text.slice(from, from + SNIPPET_CHARS)).slice(0, SNIPPET_CHARS)
    }
  }
  return ''
}
