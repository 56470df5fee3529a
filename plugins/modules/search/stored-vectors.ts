import { once } from '../../../server/plugin.ts'
import { LATEST, type SegmentSet } from '../segments/segment-set.ts'
import { rowsOfIds } from './id-table.ts'
import { unpackText } from './packed-text.ts'
import { ID_BYTES, idsOfRun, type RecordColumns } from './record-columns.ts'
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
  live(): number
  /** The content of the module index that the records are of, if the writer knew it. */
  readonly content: string | undefined
  /** Record id -> row of the set. */
  rows(): ReadonlyMap<string, number>
  /** The row of each of these records, or -1; none is named twice. */
  rowsOf(ids: readonly string[]): Int32Array
  digest(row: number): string
  record(row: number): StoredRecord
  item(row: number): VectorItem
  select(filter: VectorFilter): Int32Array
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
  const ids = once(() => Buffer.concat(columns.map((own) => own.ids())))
  const latest = once(() => selectRows(set, columns, { latestOnly: true }))
  const live = once(() => liveRecords(set))
  const at = <T>(row: number, read: (segment: VectorSegment, local: number) => T): T => {
    const number = segmentOf(row)
    const segment = segments[number]
    if (!segment) throw new Error(`There is no record ${row}.`)
    return read(segment, row - (set.segments[number]?.base ?? 0))
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
    live,
    content: typeof set.meta['content'] === 'string' ? set.meta['content'] : undefined,
    rows: () => liveRows(set, columns),
    rowsOf: (wanted) => rowsOfIds(storedIds(set, columns), wanted),
    digest: (row) => at(row, (segment, local) => segment.digest(local)),
    record,
    item(row) {
      const vector = at(row, (segment, local) => segment.vector(segment.vectors()[local] ?? 0))
      return { ...packed(row), vector }
    },
    select: (filter) => selectRows(set, columns, filter),
    nearest(query, filter) {
      const cosines = new Float32Array(set.records).fill(Number.NaN)
      const rows = isOfLatest(filter) ? latest() : selectRows(set, columns, filter)
      for (const { number, from, to } of bySegment(set, rows)) {
        const { base } = set.segments[number] ?? { base: 0 }
        const vectorOf = segments[number]?.vectors() ?? new Uint32Array(0)
        const count = highestOf(vectorOf, rows.subarray(from, to), base) + 1
        const found = segments[number]?.similarities(query, count) ?? new Float64Array(0)
        for (let at = from; at < to; at++) {
          const row = rows[at] ?? 0
          cosines[row] = found[vectorOf[row - base] ?? 0] ?? 0
        }
      }
      const passing = {
        matches: rows,
        ids: (from: number, to: number) => idsOfRun(set, columns, { from, to }),
      }
      return { ids, cosines, isWhole: true, passing, record }
    },
  }
}

/** The highest number of these rows; -1 for none. */
function highestOf(numbers: Uint32Array, rows: Int32Array, base: number): number {
  let most = -1
  for (let at = 0; at < rows.length; at++) {
    const number = numbers[(rows[at] ?? 0) - base] ?? 0
    if (number > most) most = number
  }
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
function* bySegment({ segments }: SegmentSet, rows: Int32Array) {
  let from = 0
  for (const [number, { base, records }] of segments.entries()) {
    let to = from
    while (to < rows.length && (rows[to] ?? 0) < base + records) to++
    if (to > from) yield { number, from, to }
    from = to
  }
}
