import { LATEST, type SegmentSet } from '../segments/segment-set.ts'
import { ID_BYTES } from './record-columns.ts'
import { isLive, liveRecords, segmentFinder, selectRows } from './search-index.ts'
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
  /** Record id -> row of the set. */
  rows(): ReadonlyMap<string, number>
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
  const record = (row: number): StoredRecord => {
    const written = at(row, (segment, local) => segment.record(local))
    const last_updated = new Date(set.updated[row] ?? 0).toISOString()
    const latest = ((set.flags[row] ?? 0) & LATEST) !== 0
    return { ...written, metadata: { ...written.metadata, last_updated, latest } }
  }
  const select = (filter: VectorFilter): readonly number[] => selectRows(set, columns, filter)
  return {
    header,
    set,
    live: liveRecords(set),
    rows() {
      const rows = new Map<string, number>()
      for (const [number, { columns: own }] of segments.entries()) {
        const { base, records } = set.segments[number] ?? { base: 0, records: 0 }
        const hex = own.ids().toString('hex')
        for (let local = 0; local < records; local++) {
          const id = hex.slice(local * ID_BYTES * 2, (local + 1) * ID_BYTES * 2)
          if (isLive(set, base + local)) rows.set(id, base + local)
        }
      }
      return rows
    },
    digest: (row) => at(row, (segment, local) => segment.digest(local)),
    record,
    item(row) {
      const vector = at(row, (segment, local, number) => {
        const vectorNumber = segment.vectors()[local] ?? 0
        const start = vectorNumber * dims
        return vectorsOf(number, vectorNumber + 1).slice(start, start + dims)
      })
      return { ...record(row), vector }
    },
    select,
    nearest(query, filter) {
      ids ??= Buffer.concat(columns.map((own) => own.ids()))
      const cosines = new Float32Array(set.records).fill(Number.NaN)
      for (const { number, rows } of bySegment(set, select(filter))) {
        const { base } = set.segments[number] ?? { base: 0 }
        const vectorOf = segments[number]?.vectors() ?? new Uint32Array(0)
        let count = 0
        for (const row of rows) count = Math.max(count, (vectorOf[row - base] ?? 0) + 1)
        const vectors = vectorsOf(number, count)
        for (const row of rows) cosines[row] = similarity(vectors, (vectorOf[row - base] ?? 0) * dims, query)
      }
      return { ids, cosines, isWhole: true, record }
    },
  }
}

/** Rising rows of a set, those of each segment together. */
function* bySegment({ segments }: SegmentSet, rows: readonly number[]) {
  let from = 0
  for (const [number, { base, records }] of segments.entries()) {
    let to = from
    while (to < rows.length && (rows[to] ?? 0) < base + records) to++
    if (to > from) yield { number, rows: rows.slice(from, to) }
    from = to
  }
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
