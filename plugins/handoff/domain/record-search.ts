import { shownLine } from './fence.ts'
import { countOfOccurrence, fieldOfOccurrence, rowOfOccurrence } from './occurrence.ts'
import type { Query, QueryTerm } from './query.ts'
import { SEARCH_FIELDS, type SearchField } from './record-row.ts'
import type { RecordBatch, RecordTable } from './record-table.ts'
import { hasUnspaced, unspacedPieces } from './unspaced-words.ts'
import { folded } from './words.ts'

/** Records with their scores, in no order. */
export interface Hits {
  readonly records: Int32Array
  /** Absent: nothing was searched for. */
  readonly scores?: Float64Array
}

// design handoff-store, section 1
const BOOST: Readonly<Partial<Record<SearchField, number>>> = { title: 4, objective: 3, open: 2, decision: 2 }
const BOOSTS = SEARCH_FIELDS.map((field) => BOOST[field] ?? 1)
const SNIPPET_CHARS = 160
// BM25; the average length is a constant, so that the score of a record depends on nothing but the record.
const K1 = 1.2
const B = 0.5
const AVERAGE_WORDS = 40

/** The records among these, ascending, that match every term of the query, with their scores; of all if none are given. */
export function searchRecords({ terms }: Query, table: RecordTable, among: Int32Array | undefined): Hits {
  const found: Found[] = []
  const size = Math.max(0, ...table.batches.map((batch) => batch.size))
  const frequencies = terms.map(() => new Float64Array(size))
  /** How many records match the first term, the first two, and so on. */
  const counts = terms.map(() => 0)
  let total = 0
  for (const batch of table.batches) {
    const records = among ? partOf(among, total, batch) : batch.records()
    total += records.length
    found.push(matchesIn(batch, records, { terms, frequencies, counts }))
  }
  const weights = counts.map((count, n) => rarity(counts[n - 1] ?? total, count))
  return scored(found, weights)
}

/** The records of a batch among all of them, of which so many are before it. */
function partOf(among: Int32Array, before: number, { first, size }: RecordBatch): Int32Array {
  let end = before
  while (end < among.length && (among[end] ?? 0) < first + size) end++
  return among.subarray(before, end)
}

interface Found {
  readonly records: Int32Array
  /** Of each record one number for each term. */
  readonly frequencies: Float64Array
}

interface Asked {
  readonly terms: readonly QueryTerm[]
  /** Room for the frequencies of each term in the records of one batch. */
  readonly frequencies: readonly Float64Array[]
  readonly counts: number[]
}

function matchesIn(batch: RecordBatch, records: Int32Array, { terms, frequencies, counts }: Asked): Found {
  const { first } = batch
  const rows = new Int32Array(records.length)
  for (let at = 0; at < rows.length; at++) rows[at] = (records[at] ?? 0) - first
  let left = rows
  for (const [n, term] of terms.entries()) {
    const own = frequencies[n]?.fill(0)
    if (left.length === 0 || !own) break
    addFrequencies(term, batch, { rows: left, frequencies: own })
    left = left.subarray(0, keepMatching(left, own, term.not))
    counts[n] = (counts[n] ?? 0) + left.length
  }
  const numbers = numbersOf(left, frequencies)
  for (let at = 0; at < left.length; at++) left[at] = (left[at] ?? 0) + first
  return { records: left, frequencies: numbers }
}

/** Puts the rows that match at the beginning. Returns how many. */
function keepMatching(rows: Int32Array, frequencies: Float64Array, not: boolean): number {
  let count = 0
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? 0
    if ((frequencies[row] ?? 0) > 0 !== not) rows[count++] = row
  }
  return count
}

function numbersOf(rows: Int32Array, frequencies: readonly Float64Array[]): Float64Array {
  const numbers = new Float64Array(rows.length * frequencies.length)
  for (const [n, own] of frequencies.entries()) {
    for (let at = 0; at < rows.length; at++) numbers[at * frequencies.length + n] = own[rows[at] ?? 0] ?? 0
  }
  return numbers
}

function scored(found: readonly Found[], weights: readonly number[]): Hits {
  const count = found.reduce((sum, { records }) => sum + records.length, 0)
  const [records, scores] = [new Int32Array(count), new Float64Array(count)]
  let to = 0
  for (const part of found) {
    records.set(part.records, to)
    for (let at = 0; at < part.frequencies.length; to++) {
      let score = 0
      for (let n = 0; n < weights.length; n++) {
        const frequency = part.frequencies[at++] ?? 0
        score += ((weights[n] ?? 0) * frequency * (K1 + 1)) / (frequency + K1)
      }
      scores[to] = Math.round(score * 10_000) / 10_000
    }
  }
  return { records, scores }
}

/** In half steps, so that a new record rarely reorders the others: a page would repeat or skip them. */
function rarity(total: number, found: number): number {
  return 1 + Math.round(2 * Math.log2((total + 1) / (found + 1))) / 2 / 4
}

interface Matching {
  readonly rows: Int32Array
  /** By row. */
  readonly frequencies: Float64Array
}

/** The frequency of a term in each record, weighted by field and length as in BM25. */
function addFrequencies(term: QueryTerm, batch: RecordBatch, matching: Matching): void {
  if (term.kind === 'phrase' || hasUnspaced(term.text)) addPhrases(term, batch, matching)
  else {
    addWords(term, batch, matching)
    if (term.kind === 'word' && hasParts(term.text)) addParts(term, batch, matching)
  }
}

/** `server/auth.ts` is in several words of a text, or the end of a longer path. */
function hasParts(word: string): boolean {
  return /[^\p{L}\p{N}_]/u.test(word)
}

/** Also finds the word as a part of longer ones, such as the name of a file in its path. */
function addParts(term: QueryTerm, batch: RecordBatch, { rows, frequencies }: Matching): void {
  addPhrases(term, batch, { rows: rows.filter((row) => (frequencies[row] ?? 0) === 0), frequencies })
}

function addPhrases(term: QueryTerm, batch: RecordBatch, { rows, frequencies }: Matching): void {
  const boosts = boostsOf(term)
  for (const [row, fields] of batch.textsWith(term.text, withRuns(term.text, batch, rows))) {
    for (const [field, text] of fields.entries()) {
      const boost = boosts[field] ?? 0
      if (boost > 0 && isWholePhrase(folded(text), term.text))
        frequencies[row] = (frequencies[row] ?? 0) + boost
    }
  }
}

function addWords(term: QueryTerm, batch: RecordBatch, { frequencies }: Matching): void {
  const boosts = boostsOf(term)
  const occurrences = batch.occurrences(term.text, term.kind === 'prefix')
  if (occurrences.length === 0) return
  const lengths = batch.lengths()
  for (let at = 0; at < occurrences.length; at++) {
    const one = occurrences[at] ?? 0
    const row = rowOfOccurrence(one)
    const field = fieldOfOccurrence(one)
    const length = 1 - B + (B * (lengths[row * FIELDS + field] ?? 0)) / AVERAGE_WORDS
    frequencies[row] = (frequencies[row] ?? 0) + ((boosts[field] ?? 0) * countOfOccurrence(one)) / length
  }
}

const FIELDS = SEARCH_FIELDS.length

/** What an occurrence in each field counts: nothing where the term names another. */
function boostsOf({ field }: QueryTerm): Float64Array {
  return Float64Array.from(BOOSTS, (boost, at) =>
    field === undefined || SEARCH_FIELDS[at] === field ? boost : 0,
  )
}

/** The rows that hold every word of a phrase, in any order. */
function withRuns(phrase: string, batch: RecordBatch, rows: Int32Array): readonly number[] {
  let left = rows
  const { pieces, rest } = unspacedPieces(phrase)
  // A word goes on beyond its last character, except in the text's last one.
  const parts = pieces.filter((piece) => pieces.length === 1 || [...piece].length > 1)
  for (const run of new Set([...parts, ...(rest.match(/[\p{L}\p{N}_]+/gu) ?? [])])) {
    const holds = new Uint8Array(batch.size)
    const occurrences = batch.occurrences(run, parts.includes(run))
    for (let at = 0; at < occurrences.length; at++) holds[rowOfOccurrence(occurrences[at] ?? 0)] = 1
    left = left.filter((row) => holds[row] === 1)
  }
  return [...left]
}

function isWholePhrase(plain: string, phrase: string): boolean {
  for (let at = plain.indexOf(phrase); at >= 0; at = plain.indexOf(phrase, at + 1)) {
    const before = plain[at - 1] ?? ' '
    const after = plain[at + phrase.length] ?? ' '
    if (!goesOn(before, phrase[0]) && !goesOn(after, phrase.at(-1))) return true
  }
  return false
}

/** Tells whether a word goes on to the character next to its edge. Scripts without spaces do not say: any part is found. */
function goesOn(next: string, edge = ''): boolean {
  return /[\p{L}\p{N}_]/u.test(next) && !hasUnspaced(edge + next)
}

/** Text of a record around the first hit, on one line. Slower than the search, so only used for a page. */
export function snippetOf(fields: readonly string[], query: Query): string {
  for (const term of query.terms.filter(({ not }) => !not)) {
    for (const [n, text] of fields.entries()) {
      const name = SEARCH_FIELDS[n]
      if (name === 'id' || name === 'status' || (term.field !== undefined && term.field !== name)) continue
      const at = placeOf(term, folded(text))
      if (at < 0) continue
      const from = beginBefore(text, at)
      return shownLine(text.slice(from, from + SNIPPET_CHARS)).slice(0, SNIPPET_CHARS)
    }
  }
  return ''
}

/** Where the part of a text that shows a place begins: with a whole word, where there are spaces. */
function beginBefore(text: string, at: number): number {
  const near = Math.max(0, at - 50)
  const space = near === 0 ? -1 : text.slice(0, at).indexOf(' ', near)
  return space < 0 ? near : space + 1
}

/** Where a term is in a folded text: as a whole word, the beginning of one, or a phrase. */
function placeOf(term: QueryTerm, plain: string): number {
  for (let at = plain.indexOf(term.text); at >= 0; at = plain.indexOf(term.text, at + 1)) {
    const before = plain[at - 1] ?? ' '
    const after = plain[at + term.text.length] ?? ' '
    const starts = term.kind !== 'phrase' || !goesOn(before, term.text[0])
    if (starts && (term.kind === 'prefix' || after === '_' || !goesOn(after, term.text.at(-1)))) return at
  }
  return -1
}
