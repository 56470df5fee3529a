import { once } from '../../../server/plugin.ts'
import { LATEST, type SegmentSet } from '../segments/segment-set.ts'
import { rowsOfIds } from './id-table.ts'
import { unpackText } from './packed-text.ts'
import { ID_BYTES, type RecordColumns } from './record-columns.ts'
import { isLive, isOfLatest, liveRecords, segmentFinder, selectRows, storedIds } from './search-index.ts'
import { parseHeader, type StoreHeader } from './store-header.ts'
import type { StoredRecord } from './vector-record.ts'
import { openVectorSegment, type VectorSegment } from './vector-segments.ts'
import type { VectorFilter, VectorItem, VectorMatches } from './vector-store.ts'

/** A vector store as it was at one moment. Vectors stay in memory once they are read; those of older versions are not read until they are asked for. */
export interface StoredVectors {
  readonly header: StoreHeader
  readonly set: SegmentSet
  /** Records that were neither replaced nor removed. */
  readonly live: number
  /** The content of the module index that the records are of, if the writer knew it. */
  readonly content: string | undefined
  /** Record id -> row of the set. */
  rows(): ReadonlyMap<string, number>
  /** The row of each of these records, or -1; none is named twice. */
  rowsOf(ids: readonly string[]): Int32Array
  digest(row: number): string
  record(row: number): StoredRecord
  item(row: number): VectorItem
  select(filter: VectorFilter): readonly number[]
  nearest(query: Float32Array, filter: VectorFilter): VectorMatches
}

/** Reads a set of segments as a vector store; undefined when its header is of another kind. */
export function storedVectors(set: SegmentSet, place: string): StoredVectors | undefined {
  const header = parseHeader(set.meta['header'], place)
  if (!header) return undefined
  const { dims } = header
  const segments = set.segments.map(({ file }) => openVectorSegment(file, dims))
  const columns = segments.map((segment) => segment.columns)
  const segmentOf = segmentFinder(set)
  const held: Float32Array[] = segments.map(() => new Float32Array(0))
  let ids: Buffer | undefined
  const latest = once(() => selectRows(set, columns, { latestOnly: true }))
  const at = <T>(row: number, read: (segment: VectorSegment, local: number, number: number) => T): T => {
    const number = segmentOf(row)
    const segment = segments[number]
    if (!segment) throw new Error(`There is no record ${row}.`)
    return read(segment, row - (set.segments[number]?.base ?? 0), number)
  }
  const vectorsOf = (number: number, count: number): Float32Array => {
    const known = held[number]
    if (known && known.length >= count * dims) return known
    const read = segments[number]?.firstVectors(count) ?? new Float32Array(0)
    held[number] = read
    return read
  }
  const packed = (row: number): Omit<VectorItem, 'vector'> => {
    const { id, metadata } = at(row, (segment, local) => segment.record(local))
    const document = at(row, (segment, local) => segment.document(local))
    const last_updated = new Date(set.updated[row] ?? 0).toISOString()
    const latest = ((set.flags[row] ?? 0) & LATEST) !== 0
    return { id, document, metadata: { ...metadata, last_updated, latest } }
  }
  const record = (row: number): StoredRecord => {
    const stored = packed(row)
    return { ...stored, document: unpackText(stored.document) }
  }
  return {
    header,
    set,
    live: liveRecords(set),
    content: typeof set.meta['content'] === 'string' ? set.meta['content'] : undefined,
    rows: () => liveRows(set, columns),
    rowsOf: (wanted) => rowsOfIds(storedIds(set, columns), wanted),
    digest: (row) => at(row, (segment, local) => segment.digest(local)),
    record,
    item(row) {
      const vector = at(row, (segment, local, number) => {
        const vectorNumber = segment.vectors()[local] ?? 0
        const start = vectorNumber * dims
        return vectorsOf(number, vectorNumber + 1).slice(start, start + dims)
      })
      return { ...packed(row), vector }
    },
    select: (filter) => selectRows(set, columns, filter),
    nearest(query, filter) {
      ids ??= Buffer.concat(columns.map((own) => own.ids()))
      const cosines = new Float32Array(set.records).fill(Number.NaN)
      const similar = similarityTo(query)
      const rows = isOfLatest(filter) ? latest() : selectRows(set, columns, filter)
      for (const { number, from, to } of bySegment(set, rows)) {
        const { base } = set.segments[number] ?? { base: 0 }
        const vectorOf = segments[number]?.vectors() ?? new Uint32Array(0)
        const count = highestOf(vectorOf, rows.slice(from, to), base) + 1
        const vectors = vectorsOf(number, count)
        for (let at = from; at < to; at++) {
          const row = rows[at] ?? 0
          cosines[row] = similar(vectors, (vectorOf[row - base] ?? 0) * dims)
        }
      }
      return { ids, cosines, isWhole: true, record }
    },
  }
}

/** The highest number of these rows; -1 for none. */
function highestOf(numbers: Uint32Array, rows: readonly number[], base: number): number {
  let most = -1
  for (const row of rows) most = Math.max(most, numbers[row - base] ?? 0)
  return most
}

function liveRows(set: SegmentSet, columns: readonly RecordColumns[]): Map<string, number> {
  const rows = new Map<string, number>()
  for (const [number, own] of columns.entries()) {
    const { base, records } = set.segments[number] ?? { base: 0, records: 0 }
    const hex = own.ids().toString('hex')
    for (let local = 0; local < records; local++) {
      const id = hex.slice(local * ID_BYTES * 2, (local + 1) * ID_BYTES * 2)
      if (isLive(set, base + local)) rows.set(id, base + local)
    }
  }
  return rows
}

/** Which of these rising rows of a set are in which segment. */
function* bySegment({ segments }: SegmentSet, rows: readonly number[]) {
  let from = 0
  for (const [number, { base, records }] of segments.entries()) {
    let to = from
    while (to < rows.length && (rows[to] ?? 0) < base + records) to++
    if (to > from) yield { number, from, to }
    from = to
  }
}

/** A query with more numbers than this share of its dimensions is compared number by number. */
const SPARSE_SHARE = 1 / 4

/**
 * `similarity` to one query, bit by bit the same. The built-in strategy gives a query two numbers for each of its words
 * and concepts; the hundreds of others are 0, and a product with 0 adds nothing.
 */
export function similarityTo(query: Float32Array): (vectors: Float32Array, start: number) => number {
  const used = [...query.keys()].filter((at) => query[at] !== 0)
  const whole = query.length - (query.length % 4)
  if (used.length > query.length * SPARSE_SHARE || whole < query.length)
    return (vectors, start) => similarity(vectors, start, query)
  // In four sums, as `similarity` adds them.
  const places = Int32Array.from([0, 1, 2, 3].flatMap((sum) => used.filter((at) => at % 4 === sum)))
  const values = Float64Array.from(places, (at) => query[at] ?? 0)
  const ends = [0, 1, 2, 3].map((sum) => places.filter((at) => at % 4 <= sum).length)
  const [endA = 0, endB = 0, endC = 0, endD = 0] = ends
  const sumOf = (vectors: Float32Array, start: number, from: number, to: number): number => {
    let sum = 0
    for (let at = from; at < to; at++) sum += (vectors[start + (places[at] ?? 0)] ?? 0) * (values[at] ?? 0)
    return sum
  }
  return (vectors, start) =>
    sumOf(vectors, start, 0, endA) +
    sumOf(vectors, start, endA, endB) +
    sumOf(vectors, start, endB, endC) +
    sumOf(vectors, start, endC, endD)
}

/** The cosine of two vectors of length 1. Four accumulators keep the sums independent. */
export function similarity(vectors: Float32Array, start: number, query: Float32Array): number {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  let i = 0
  const whole = query.length - (query.length % 4)
  for (; i < whole; i += 4) {
    const at = start + i
    // typed-array reads inside their bounds are numbers; the fallback is never taken
    a += (vectors[at] ?? 0) * (query[i] ?? 0)
    b += (vectors[at + 1] ?? 0) * (query[i + 1] ?? 0)
    c += (vectors[at + 2] ?? 0) * (query[i + 2] ?? 0)
    d += (vectors[at + 3] ?? 0) * (query[i + 3] ?? 0)
  }
  for (; i < query.length; i++) a += (vectors[start + i] ?? 0) * (query[i] ?? 0)
  return a + b + c + d
}
