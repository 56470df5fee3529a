import type { Segment } from './open-segment.ts'
import { createRowKeys, type KeyWords, type RowKeys } from './row-keys.ts'
import { copyColumns, EDGE_WORDS, newColumns } from './segment.ts'
import { kindIn } from './segment-columns.ts'

/** The columns of several segments, one behind the other. */
export interface JoinedSegments {
  readonly segments: readonly Segment[]
  /** The first row of each segment. */
  readonly bases: readonly number[]
  readonly size: number
  readonly columns: ReturnType<typeof newColumns>
  readonly keys: RowKeys
  /** 1: the file exists, and no later row replaces this one. */
  readonly isLive: Uint8Array
  readonly records: Int32Array
  /** Records and problems. */
  readonly present: Int32Array
  /** For each segment its rows that no later one replaces, marks of removed files among them. */
  readonly kept: readonly (readonly number[])[]
  /** For each segment the number of its live rows. */
  readonly live: readonly number[]
  segmentAt(row: number): number
  /** The live row of a file. */
  rowOf(key: Buffer): number | undefined
  /** Every live child with the key of a parent, which is valid during the visit only. */
  eachEdge(visit: (child: number, parent: KeyWords) => void): void
}

/** The 16 bytes of a key as four words. */
export function wordsOfKey(key: Buffer): KeyWords {
  return [key.readUInt32LE(0), key.readUInt32LE(4), key.readUInt32LE(8), key.readUInt32LE(12)]
}

/** Joins segments; a row of a later one replaces that of an earlier one. */
export function joinedSegments(segments: readonly Segment[]): JoinedSegments {
  const bases: number[] = []
  let size = 0
  for (const { count } of segments) {
    bases.push(size)
    size += count
  }
  const columns = newColumns(size)
  for (const [at, { columns: encoded, count }] of segments.entries()) {
    copyColumns(columns, encoded, count, bases[at] ?? 0)
  }
  const keys = createRowKeys(columns.key)
  const isLive = new Uint8Array(size)
  const kept: number[][] = segments.map(() => [])
  for (let at = segments.length - 1; at >= 0; at--) {
    const base = bases[at] ?? 0
    for (let row = base; row < base + (segments[at]?.count ?? 0); row++) {
      if (keys.add(row) >= 0) continue
      kept[at]?.push(row)
      isLive[row] = kindIn(columns.bits[row] ?? 2) === 'removed' ? 0 : 1
    }
  }
  const present = Int32Array.from({ length: size }, (_, row) => row).filter((row) => isLive[row] === 1)
  return {
    segments,
    bases,
    size,
    columns,
    keys,
    isLive,
    kept,
    present,
    records: present.filter((row) => kindIn(columns.bits[row] ?? 2) === 'record'),
    live: kept.map((rows) => rows.filter((row) => isLive[row] === 1).length),
    segmentAt(row) {
      let at = bases.length - 1
      while (at > 0 && (bases[at] ?? 0) > row) at--
      return at
    },
    rowOf(key) {
      const row = keys.find(wordsOfKey(key))
      return row >= 0 && isLive[row] === 1 ? row : undefined
    },
    eachEdge: (visit) => eachEdge({ segments, bases, isLive }, visit),
  }
}

function eachEdge(
  { segments, bases, isLive }: Pick<JoinedSegments, 'segments' | 'bases' | 'isLive'>,
  visit: (child: number, parent: KeyWords) => void,
): void {
  const parent: [number, number, number, number] = [0, 0, 0, 0]
  for (const [at, { edges }] of segments.entries()) {
    const base = bases[at] ?? 0
    for (let n = 0; n < edges.length; n += EDGE_WORDS) {
      const child = base + (edges[n] ?? 0)
      if (isLive[child] !== 1) continue
      for (let word = 0; word < 4; word++) parent[word] = edges[n + 1 + word] ?? 0
      visit(child, parent)
    }
  }
}
