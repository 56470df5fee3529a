import type { Segment } from './open-segment.ts'
import { createRowKeys } from './row-keys.ts'
import { EDGE_WORDS, isInRange, type KeyWords, keyAt, rowOfKey, SEGMENT_ROWS, wordsOfKey } from './segment.ts'
import { isProblemIn, keyOf } from './segment-columns.ts'

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
  const { key } = segment.columns('keys')
  const keys = Array.from({ length: segment.count }, (_, row) => keyAt(key, row))
  return [...withoutKeys(layers, keys), { segment, replaced: undefined }]
}

/** The layers without these files. */
export function withoutFiles(layers: readonly Layer[], names: readonly string[]): readonly Layer[] {
  return withoutKeys(
    layers,
    names.map((name) => wordsOfKey(keyOf(name.replace(/\.json$/, '')))),
  )
}

function withoutKeys(layers: readonly Layer[], keys: readonly KeyWords[]): readonly Layer[] {
  const marks = new Map<number, Uint8Array>()
  for (const key of keys) {
    const found = findRow(layers, key)
    if (found < 0) continue
    const at = layerIn(found)
    const { count } = segmentWith(layers, found)
    const own = marks.get(at) ?? layers[at]?.replaced?.slice() ?? new Uint8Array(count)
    own[rowIn(found)] = 1
    marks.set(at, own)
  }
  return layers.map((layer, at) => {
    const replaced = marks.get(at)
    return replaced ? { segment: layer.segment, replaced } : layer
  })
}

/** The numbers of the rows that count. */
export function liveRows(layers: readonly Layer[]): { records: Int32Array; problems: readonly number[] } {
  const parts = layers.map(rowsOf)
  const records = new Int32Array(parts.reduce((sum, part) => sum + part.records.length, 0))
  let found = 0
  for (const [at, part] of parts.entries()) {
    records.set(recordsOf(layers, at), found)
    found += part.records.length
  }
  return { records, problems: parts.flatMap(({ problems }, at) => problems.map((row) => numberOf(at, row))) }
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
const known = new WeakMap<Layer, Rows>()

function rowsOf(layer: Layer): Rows {
  const rows = known.get(layer) ?? rowsIn(layer)
  known.set(layer, rows)
  return rows
}

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
