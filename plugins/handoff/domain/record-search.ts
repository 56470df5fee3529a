import { shownLine } from './fence.ts'
import type { Query, QueryTerm } from './query.ts'
import { SEARCH_FIELDS, type SearchField } from './record-row.ts'
import type { RecordTable } from './record-table.ts'
import { folded } from './words.ts'

export interface SearchHit {
  readonly record: number
  readonly score: number
}

// design handoff-store, section 1
const BOOST: Readonly<Partial<Record<SearchField, number>>> = { title: 4, objective: 3, open: 2, decision: 2 }
const BOOSTS = SEARCH_FIELDS.map((field) => BOOST[field] ?? 1)
const SNIPPET_CHARS = 160
// BM25; the average length is a constant, so that the score of a record depends on nothing but the record.
const K1 = 1.2
const B = 0.5
const AVERAGE_WORDS = 40

/** The records among these that match every term of the query, with their scores, in no order. */
export async function searchRecords(
  { terms }: Query,
  table: RecordTable,
  among: readonly number[] | Int32Array,
): Promise<readonly SearchHit[]> {
  let matching: Int32Array = Int32Array.from(among)
  let scores = new Float64Array(matching.length)
  const frequencies = new Float64Array(table.size)
  for (const term of terms) {
    frequencies.fill(0)
    await addFrequencies(term, table, { matching, frequencies })
    const before = matching
    const places = matching
      .map((_, place) => place)
      .filter((place) => (frequencies[before[place] ?? 0] ?? 0) > 0 !== term.not)
    const weight = rarity(matching.length, places.length)
    const sums = new Float64Array(places.length)
    for (let at = 0; at < places.length; at++) {
      const place = places[at] ?? 0
      const frequency = frequencies[matching[place] ?? 0] ?? 0
      sums[at] = (scores[place] ?? 0) + (weight * frequency * (K1 + 1)) / (frequency + K1)
    }
    scores = sums
    matching = places.map((place) => before[place] ?? 0)
  }
  return Array.from(matching, (record, place) => ({
    record,
    score: Math.round((scores[place] ?? 0) * 10_000) / 10_000,
  }))
}

/** In half steps, so that a new record rarely reorders the others: a page would repeat or skip them. */
function rarity(total: number, found: number): number {
  return 1 + Math.round(2 * Math.log2((total + 1) / (found + 1))) / 2 / 4
}

interface Matching {
  readonly matching: Int32Array
  /** By record. */
  readonly frequencies: Float64Array
}

/** The frequency of a term in each record, weighted by field and length as in BM25. */
async function addFrequencies(term: QueryTerm, table: RecordTable, { matching, frequencies }: Matching) {
  const only = term.field === undefined ? undefined : SEARCH_FIELDS.indexOf(term.field)
  if (term.kind === 'phrase') {
    const candidates = await withRuns(term.text, table, matching)
    await eachText(table, candidates, (record, fields) => {
      for (const [field, text] of fields.entries()) {
        if (only !== undefined && only !== field) continue
        if (isWholePhrase(folded(text), term.text))
          frequencies[record] = (frequencies[record] ?? 0) + (BOOSTS[field] ?? 1)
      }
    })
    return
  }
  await table.occurrences(term.text, term.kind === 'prefix', (record, field, count) => {
    if (only !== undefined && only !== field) return
    const length = 1 - B + (B * table.fieldLength(record, field)) / AVERAGE_WORDS
    frequencies[record] = (frequencies[record] ?? 0) + ((BOOSTS[field] ?? 1) * count) / length
  })
}

/** The records that hold every word of a phrase, in any order. */
async function withRuns(phrase: string, table: RecordTable, among: Int32Array): Promise<Int32Array> {
  let left = among
  for (const run of new Set(phrase.match(/[\p{L}\p{N}_]+/gu) ?? [])) {
    const holds = new Uint8Array(table.size)
    await table.occurrences(run, false, (record) => {
      holds[record] = 1
    })
    left = left.filter((record) => holds[record] === 1)
  }
  return left
}

const TEXTS_AT_ONCE = 1000

async function eachText(
  table: RecordTable,
  records: Int32Array,
  each: (record: number, fields: readonly string[]) => void,
): Promise<void> {
  const sorted = [...records].sort((a, b) => a - b)
  for (let from = 0; from < sorted.length; from += TEXTS_AT_ONCE) {
    const part = sorted.slice(from, from + TEXTS_AT_ONCE)
    const texts = await table.texts(part)
    for (const [at, record] of part.entries()) each(record, texts[at] ?? [])
  }
}

function isWholePhrase(plain: string, phrase: string): boolean {
  for (let at = plain.indexOf(phrase); at >= 0; at = plain.indexOf(phrase, at + 1)) {
    const before = plain[at - 1] ?? ' '
    const after = plain[at + phrase.length] ?? ' '
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true
  }
  return false
}

/** Text of a record around the first hit, on one line. Slower than the search, so only used for a page. */
export function snippetOf(fields: readonly string[], query: Query): string {
  for (const term of query.terms.filter(({ not }) => !not)) {
    for (const [n, text] of fields.entries()) {
      const name = SEARCH_FIELDS[n]
      if (name === 'id' || name === 'status' || (term.field !== undefined && term.field !== name)) continue
      const at = placeOf(term, folded(text))
      if (at < 0) continue
      const from = Math.max(0, at - 50)
      return shownLine(text.slice(from, from + SNIPPET_CHARS)).slice(0, SNIPPET_CHARS)
    }
  }
  return ''
}

/** Where a term is in a folded text: as a whole word, the beginning of one, or a phrase. */
function placeOf(term: QueryTerm, plain: string): number {
  for (let at = plain.indexOf(term.text); at >= 0; at = plain.indexOf(term.text, at + 1)) {
    const before = plain[at - 1] ?? ' '
    const after = plain[at + term.text.length] ?? ' '
    const starts = term.kind !== 'phrase' || !/[\p{L}\p{N}_]/u.test(before)
    if (starts && (term.kind === 'prefix' || !/[\p{L}\p{N}]/u.test(after))) return at
  }
  return -1
}
