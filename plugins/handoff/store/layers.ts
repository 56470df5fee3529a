import { onceFor } from '../../../server/plugin.ts'
import type { Segment } from './open-segment.ts'
import { createRowKeys } from './row-keys.ts'
import {
  compareKeyAt,
  compareKeys,
  EDGE_WORDS,
  isInRange,
  type KeyWords,
  keyAt,
  rowOfKey,
  SEGMENT_ROWS,
  wordsOfKey,
} from './segment.ts'
import { type Columns, isProblemIn, keyOf } from './segment-columns.ts'

/** A segment, with the marks of its rows that no longer count. */
export interface Layer {
  readonly segment: Segment
  /** 1: a later segment has the file, or it was removed. Absent: every row counts. */
  readonly replaced: Uint8Array | undefined
}

const ROW_BITS = Math.log2(SEGMENT_ROWS)
const ROW_MASK = SEGMENT_ROWS - 1

/** The number of a row among all layers. */
export function numberOf(layer: number, row: number): number {
  return (layer << ROW_BITS) | row
}

export function layerIn(number: number): number {
  return number >>> ROW_BITS
}

export function rowIn(number: number): number {
  return number & ROW_MASK
}

/** The segment of a row. The row must be one of these layers. */
export function segmentWith(layers: readonly Layer[], number: number): Segment {
  const layer = layers[layerIn(number)]
  if (!layer) throw new RangeError(`There is no row ${number}.`)
  return layer.segment
}

/** The number of the row that counts for this key; -1 if there is none. */
export function findRow(layers: readonly Layer[], key: KeyWords): number {
  for (let at = 0; at < layers.length; at++) {
    const layer = layers[at]
    if (!layer || !isInRange(layer.segment.range, key)) continue
    const row = rowOfKey(layer.segment.columns('keys'), key)
    if (row >= 0 && layer.replaced?.[row] !== 1) return numberOf(at, row)
  }
  return -1
}

/** The layers with a new segment on top, whose files replace what they have of them. */
export function withSegment(layers: readonly Layer[], segment: Segment): readonly Layer[] {
  const { key, order } = segment.columns('keys')
  const keys = Array.from(order, (row) => keyAt(key, row))
  return [...withoutKeys(layers, keys), { segment, replaced: undefined }]
}

/** The layers without these files. */
export function withoutFiles(layers: readonly Layer[], names: readonly string[]): readonly Layer[] {
  const keys = names.map((name) => wordsOfKey(keyOf(name.replace(/\.json$/, ''))))
  return withoutKeys(layers, keys.sort(compareKeys))
}

/** The keys ascend. */
function withoutKeys(layers: readonly Layer[], keys: readonly KeyWords[]): readonly Layer[] {
  return layers.map((layer) => {
    const rows = rowsOfKeys(layer.segment, keys).filter((row) => layer.replaced?.[row] !== 1)
    if (rows.length === 0) return layer
    const replaced = layer.replaced?.slice() ?? new Uint8Array(layer.segment.count)
    for (const row of rows) replaced[row] = 1
    return { segment: layer.segment, replaced }
  })
}

/** Looking for one key costs about as much as passing so many. */
const LOOK_COST = 12

/** The rows of a segment with one of these keys, which ascend. */
function rowsOfKeys(segment: Segment, keys: readonly KeyWords[]): readonly number[] {
  const near = keys.filter((key) => isInRange(segment.range, key))
  if (near.length === 0) return []
  const columns = segment.columns('keys')
  if (near.length * LOOK_COST > segment.count) return rowsInBoth(columns, near)
  return near.map((key) => rowOfKey(columns, key)).filter((row) => row >= 0)
}

/** The same by one pass over both: where ids are at random, many keys are near many segments. */
function rowsInBoth({ key, order }: Columns<'keys'>, keys: readonly KeyWords[]): readonly number[] {
  const rows: number[] = []
  let at = 0
  for (const wanted of keys) {
    while (at < order.length && compareKeyAt(key, order[at] ?? 0, wanted) < 0) at++
    const row = order[at]
    if (row !== undefined && compareKeyAt(key, row, wanted) === 0) rows.push(row)
  }
  return rows
}

/** The numbers of the records that count. */
export function liveRecords(layers: readonly Layer[]): Int32Array {
  const records = new Int32Array(layers.reduce((sum, layer) => sum + recordCount(layer), 0))
  let found = 0
  for (const at of layers.keys()) {
    const own = recordsOf(layers, at)
    records.set(own, found)
    found += own.length
  }
  return records
}

/** The numbers of the damaged files that count. */
export function liveProblems(layers: readonly Layer[]): readonly number[] {
  return layers.flatMap((layer, at) => rowsOf(layer).problems.map((row) => numberOf(at, row)))
}

/** How many records of a layer count. */
export function recordCount(layer: Layer): number {
  return rowsOf(layer).records.length
}

/** The numbers of one layer's records that count. */
export function recordsOf(layers: readonly Layer[], at: number): Int32Array {
  const layer = layers[at]
  if (!layer) return new Int32Array(0)
  const rows = rowsOf(layer).records
  const records = new Int32Array(rows.length)
  for (let n = 0; n < rows.length; n++) records[n] = numberOf(at, rows[n] ?? 0)
  return records
}

interface Rows {
  readonly records: Uint16Array
  readonly problems: readonly number[]
}

/** A layer never changes, and most of them stay when a table is made again. */
const rowsOf = onceFor(rowsIn)

const EVERY_ROW = Uint16Array.from({ length: SEGMENT_ROWS }, (_, row) => row)

function rowsIn({ segment, replaced }: Layer): Rows {
  const every = EVERY_ROW.subarray(0, segment.count)
  if (segment.problems === 0) {
    return { records: replaced ? every.filter((row) => replaced[row] !== 1) : every, problems: [] }
  }
  const { bits } = segment.columns('states')
  const live = every.filter((row) => replaced?.[row] !== 1)
  return {
    records: live.filter((row) => !isProblemIn(bits[row] ?? 0)),
    problems: [...live].filter((row) => isProblemIn(bits[row] ?? 0)),
  }
}

/** How many rows of a layer count. */
export function liveCount({ segment, replaced }: Layer): number {
  let count = segment.count
  if (replaced) for (let row = 0; row < replaced.length; row++) count -= replaced[row] ?? 0
  return count
}

/** Every child that counts, with the key of a parent, which is valid during the visit only. */
export function eachEdge(layers: readonly Layer[], visit: (child: number, parent: KeyWords) => void): void {
  const parent: [number, number, number, number] = [0, 0, 0, 0]
  for (const [at, { segment, replaced }] of layers.entries()) {
    const edges = segment.edges()
    for (let n = 0; n < edges.length; n += EDGE_WORDS) {
      const child = edges[n] ?? 0
      if (replaced?.[child] === 1) continue
      for (let word = 0; word < 4; word++) parent[word] = edges[n + 1 + word] ?? 0
      visit(numberOf(at, child), parent)
    }
  }
}

/** Finds rows by key, in constant time each. */
export function keysOf(layers: readonly Layer[]): (key: KeyWords) => number {
  const words = new Uint32Array(layers.length * SEGMENT_ROWS * 4)
  for (const [at, { segment }] of layers.entries())
    words.set(segment.columns('keys').key, numberOf(at, 0) * 4)
  const keys = createRowKeys(words)
  for (const [at, { segment, replaced }] of layers.entries()) {
    for (let row = 0; row < segment.count; row++) if (replaced?.[row] !== 1) keys.add(numberOf(at, row))
  }
  return (key) => keys.find(key)
}
