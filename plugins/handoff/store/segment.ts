import { crc32 } from 'node:zlib'
import { createPieces, type Pieces } from './pieces.ts'
import {
  type Columns,
  GROUPS,
  type Group,
  type IndexedFile,
  isProblemIn,
  rowBits,
  rowBytes,
  textHash,
  viewOf,
} from './segment-columns.ts'
import { createWordList } from './segment-words.ts'

/** Most files of one segment: what it takes to build one bounds the memory of a scan. */
export const SEGMENT_ROWS = 4096

const GROUP_NAMES = Object.keys(GROUPS) as readonly Group[] // the keys of the table
/** In the order of the file. */
export const SECTIONS = [...GROUP_NAMES, 'edges', 'rows', 'texts', 'blocks', 'words', 'postings'] as const
export type Section = Group | 'edges' | 'rows' | 'texts' | 'blocks' | 'words' | 'postings'

/** What is known of a segment without its sections: many a question needs no more of it. */
export interface SegmentFacts {
  readonly count: number
  /** Rows of damaged files. */
  readonly problems: number
  /** The latest update of a record. */
  readonly newest: number
  /** The first and the last key. */
  readonly range: readonly [KeyWords, KeyWords]
}

/** Besides, position, length and checksum of each section. */
export type SegmentHeader = SegmentFacts &
  Readonly<Record<Section, readonly [at: number, length: number, crc: number]>>

const MAGIC = 'satchel handoff segment 4 '
/** The header with its line end; the sections follow. */
export const HEADER_BYTES = 1024

/** What a builder takes of a segment that is open: see `Segment`. */
interface OpenSegment {
  readonly count: number
  columns<G extends Group>(group: G): Columns<G>
  passingColumns<G extends Group>(group: G): Columns<G>
  edges(): Uint32Array
  section(name: Section): Buffer
}

/** Takes files one by one and makes segments of them: parts of the index that never change. */
export interface SegmentBuilder {
  readonly count: number
  add(file: IndexedFile): void
  /**
   * Adds the files of a segment, without those that are marked as replaced: its bytes as they are, since to take texts
   * apart into words costs ten times as much. Errors: `DamagedSegment`.
   */
  addSegment(segment: OpenSegment, replaced: Uint8Array | undefined): void
  /** The bytes of a segment of all files since the last one. They are valid until the next call of `bytes`. */
  bytes(): Buffer
}

/**
 * A builder without files, for segments of at most `capacity`. Keeps no objects of them, only bytes, in room that serves
 * one segment after another.
 */
export function createSegmentBuilder(capacity = SEGMENT_ROWS): SegmentBuilder {
  const columns = allColumns((group) => viewOf(group, new ArrayBuffer(capacity * rowBytes(group)), capacity))
  const [rows, texts, edges] = [createPieces(), createPieces(), createPieces()]
  const words = createWordList()
  let count = 0
  let room = Buffer.alloc(0)
  const clear = () => {
    for (const part of [rows, texts, edges, words]) part.clear()
    count = 0
  }
  return {
    get count() {
      return count
    },
    add(file) {
      const own = Buffer.from(JSON.stringify(file.content))
      const text = Buffer.from(file.text?.join('\u0000') ?? '')
      setFacts(columns, count, file)
      const { places, lengths } = columns
      place([places.rowAt, places.rowSize, places.rowCrc], count, { bytes: own, at: rows.add(own) })
      place([places.textAt, places.textSize, places.textCrc], count, { bytes: text, at: texts.add(text) })
      lengths.lengths.set(words.add(count, file.text ?? []), count * GROUPS.lengths.lengths[1])
      for (const parent of file.parents) edges.add(edgeOf(count, parent))
      count += 1
    },
    addSegment(segment, replaced) {
      const numbers = newNumbers(segment.count, replaced, count)
      copyColumns(columns, segment, numbers)
      copyBlobs(columns, segment, { numbers, rows, texts })
      words.addEncoded(segment.section('words'), segment.section('postings'), numbers)
      const own = segment.edges()
      for (let at = 0; at < own.length; at += EDGE_WORDS) {
        const child = numbers[own[at] ?? 0] ?? REPLACED
        if (child !== REPLACED) edges.add(edgeWith(child, own.subarray(at + 1, at + EDGE_WORDS)))
      }
      count = numbers.reduce((next, number) => Math.max(next, number + 1), count)
    },
    bytes() {
      columns.keys.order.set(orderOf(columns.keys.key, count))
      const facts = factsOf(columns, count)
      const groups = GROUP_NAMES.map((group) => [group, shortened(columns[group], count / capacity)])
      const { blocks, words: list, postings } = words.encoded()
      const parts = laidOut(facts, {
        ...(Object.fromEntries(groups) as Record<Group, Parts>), // one for each group
        edges: edges.pieces(),
        rows: rows.pieces(),
        texts: texts.pieces(),
        blocks: [blocks],
        words: list,
        postings,
      })
      const size = parts.reduce((sum, part) => sum + part.length, 0)
      if (room.length < size) room = Buffer.allocUnsafeSlow(Math.ceil(size * 1.125))
      parts.reduce((at, part) => at + part.copy(room, at), 0)
      clear()
      return room.subarray(0, size)
    },
  }
}

type Parts = readonly Buffer[]

function factsOf({ keys: { key, order }, times, states }: AllColumns, count: number): SegmentFacts {
  return {
    count,
    problems: states.bits.subarray(0, count).filter(isProblemIn).length,
    newest: times.updated.subarray(0, count).reduce((newest, time) => Math.max(newest, time), 0),
    range: [keyAt(key, order[0] ?? 0), keyAt(key, order[count - 1] ?? 0)],
  }
}

function laidOut(facts: SegmentFacts, sections: Readonly<Record<Section, Parts>>): Parts {
  let at = HEADER_BYTES
  const header: Record<string, unknown> = { ...facts }
  for (const name of SECTIONS) {
    const length = sections[name].reduce((sum, part) => sum + part.length, 0)
    header[name] = [at, length, sections[name].reduce((crc, part) => crc32(part, crc), 0)]
    at += length
  }
  const body = JSON.stringify(header)
  const first = `${MAGIC}${crc32(body)} ${body}`.padEnd(HEADER_BYTES - 1)
  return [Buffer.from(`${first}\n`), ...SECTIONS.flatMap((name) => sections[name])]
}

/** The header in the first bytes of a segment; undefined for another version or damage. */
export function headerIn(bytes: Buffer): SegmentHeader | undefined {
  const text = bytes.toString('latin1')
  if (!text.startsWith(MAGIC) || text.length !== HEADER_BYTES) return undefined
  const blank = text.indexOf(' ', MAGIC.length)
  const body = text.slice(blank + 1).trimEnd()
  if (Number(text.slice(MAGIC.length, blank)) !== crc32(body)) return undefined
  const header: SegmentHeader = JSON.parse(body) // as written
  return GROUP_NAMES.every((group) => header[group][1] === header.count * rowBytes(group))
    ? header
    : undefined
}

type AllColumns = { readonly [G in Group]: Columns<G> }

function allColumns(columnsOf: (group: Group) => Columns<Group>): AllColumns {
  return Object.fromEntries(GROUP_NAMES.map((group) => [group, columnsOf(group)])) as AllColumns // one for each group
}

function setFacts(columns: AllColumns, n: number, file: IndexedFile): void {
  const { keys, times, states, owners, origins, files, rare } = columns
  const { row } = file.content
  Buffer.from(keys.key.buffer, keys.key.byteOffset).set(file.key, n * 16)
  times.updated[n] = row?.updatedMs ?? 0
  states.bits[n] = rowBits(row)
  owners.session[n] = textHash(row?.session)
  owners.claim[n] = textHash(row?.claim?.by)
  origins.project[n] = textHash(row?.project_id)
  origins.branch[n] = textHash(row?.branch)
  files.mtime[n] = file.mtimeMs
  files.size[n] = file.size
  rare.created[n] = file.createdMs
  rare.harness[n] = textHash(row?.harness)
  rare.actor[n] = textHash(row?.actor)
  rare.idempotency[n] = textHash(row?.idempotency_key)
}

function place(
  [at, size, crc]: readonly [Uint32Array, Uint32Array, Uint32Array],
  n: number,
  blob: { readonly bytes: Buffer; readonly at: number },
): void {
  at[n] = blob.at
  size[n] = blob.bytes.length
  crc[n] = crc32(blob.bytes)
}

/** Of a row that is left out. */
const REPLACED = -1

/** By old number the new one of each row, `from` on. */
function newNumbers(count: number, replaced: Uint8Array | undefined, from: number): Int32Array {
  const numbers = new Int32Array(count)
  let next = from
  for (let row = 0; row < count; row++) numbers[row] = replaced?.[row] === 1 ? REPLACED : next++
  return numbers
}

/** Copies what a row has of its own; its places and its order are those of another segment. */
function copyColumns(columns: AllColumns, segment: OpenSegment, numbers: Int32Array): void {
  for (const group of GROUP_NAMES) {
    if (group === 'places') continue
    const own: Readonly<Record<string, Numbers>> = columns[group]
    for (const [name, from] of Object.entries<Numbers>(segment.passingColumns(group))) {
      const to = own[name]
      if (to) copyRows(to, from, numbers)
    }
  }
}

function copyRows(to: Numbers, from: Numbers, numbers: Int32Array): void {
  const width = from.length / numbers.length
  for (let row = 0; row < numbers.length; row++) {
    const number = numbers[row] ?? REPLACED
    if (number === REPLACED) continue
    for (let at = 0; at < width; at++) to[number * width + at] = from[row * width + at] ?? 0
  }
}

type Numbers = Float64Array | Uint32Array | Uint16Array

interface Blobs {
  readonly numbers: Int32Array
  readonly rows: Pieces
  readonly texts: Pieces
}

function copyBlobs({ places }: AllColumns, segment: OpenSegment, { numbers, rows, texts }: Blobs): void {
  const from = segment.columns('places')
  const [ownRows, ownTexts] = [segment.section('rows'), segment.section('texts')]
  for (const [row, number] of numbers.entries()) {
    if (number === REPLACED) continue
    const [rowAt, rowSize] = [from.rowAt[row] ?? 0, from.rowSize[row] ?? 0]
    const [textAt, textSize] = [from.textAt[row] ?? 0, from.textSize[row] ?? 0]
    places.rowAt[number] = rows.add(ownRows.subarray(rowAt, rowAt + rowSize))
    places.textAt[number] = texts.add(ownTexts.subarray(textAt, textAt + textSize))
    places.rowSize[number] = rowSize
    places.textSize[number] = textSize
    places.rowCrc[number] = from.rowCrc[row] ?? 0
    places.textCrc[number] = from.textCrc[row] ?? 0
  }
}

/** The columns of a group one behind the other, each with this share of its rows only, the first ones. */
function shortened(columns: Columns<Group>, share: number): Parts {
  const arrays: readonly ArrayBufferView[] = Object.values(columns)
  return arrays.map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, Math.round(byteLength * share)),
  )
}

/** Numbers of one edge: the row of the child, and the key of the parent as four words. */
export const EDGE_WORDS = 5

function edgeOf(child: number, parent: Buffer): Buffer {
  return edgeWith(child, wordsOfKey(parent))
}

function edgeWith(child: number, parent: ArrayLike<number>): Buffer {
  const words = new Uint32Array(EDGE_WORDS)
  words[0] = child
  words.set(parent, 1)
  return Buffer.from(words.buffer)
}

/** The 16 bytes that identify a file, as four words. */
export type KeyWords = readonly [a: number, b: number, c: number, d: number]

/** The bytes of a key as four words. */
export function wordsOfKey(key: Buffer): KeyWords {
  return [key.readUInt32LE(0), key.readUInt32LE(4), key.readUInt32LE(8), key.readUInt32LE(12)]
}

function orderOf(key: Uint32Array, count: number): Uint16Array {
  const order = Uint16Array.from({ length: count }, (_, row) => row)
  return order.sort((a, b) => compareKeyAt(key, a, keyAt(key, b)))
}

export function keyAt(key: Uint32Array, row: number): KeyWords {
  const at = row * 4
  return [key[at] ?? 0, key[at + 1] ?? 0, key[at + 2] ?? 0, key[at + 3] ?? 0]
}

/** In the order of their bytes: ids that were made one after another are near one another. */
export function compareKeyAt(keys: Uint32Array, row: number, wanted: KeyWords): number {
  const at = row * 4
  return (
    compareWords(keys[at] ?? 0, wanted[0]) ||
    compareWords(keys[at + 1] ?? 0, wanted[1]) ||
    compareWords(keys[at + 2] ?? 0, wanted[2]) ||
    compareWords(keys[at + 3] ?? 0, wanted[3])
  )
}

/**
 * As `compareKeyAt`. By index: taking arrays apart makes an object for each word, and a look at a store compares keys a
 * thousand times.
 */
export function compareKeys(a: KeyWords, b: KeyWords): number {
  return (
    compareWords(a[0], b[0]) ||
    compareWords(a[1], b[1]) ||
    compareWords(a[2], b[2]) ||
    compareWords(a[3], b[3])
  )
}

function compareWords(a: number, b: number): number {
  return a === b ? 0 : swapped(a) - swapped(b)
}

function swapped(word: number): number {
  return ((word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24)) >>> 0
}

/** False if no row between these keys can have this one. */
export function isInRange(range: SegmentFacts['range'], key: KeyWords): boolean {
  return compareKeys(range[0], key) <= 0 && compareKeys(key, range[1]) <= 0
}

/** The row of a key among these columns; -1 if there is none. */
export function rowOfKey({ key, order }: Columns<'keys'>, wanted: KeyWords): number {
  let [from, to] = [0, order.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const row = order[middle] ?? 0
    const compared = compareKeyAt(key, row, wanted)
    if (compared === 0) return row
    if (compared < 0) from = middle + 1
    else to = middle
  }
  return -1
}
