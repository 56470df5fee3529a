import { crc32 } from 'node:zlib'
import { COLUMN_BYTES, COLUMNS, type Column, type IndexedFile, rowBits, textHash } from './segment-columns.ts'
import { encodeWords } from './segment-words.ts'

/** Most files of one segment: what it takes to build one bounds the memory of a scan. */
export const SEGMENT_ROWS = 4096

export const SECTIONS = ['columns', 'edges', 'rows', 'texts', 'words', 'postings'] as const
export type Section = (typeof SECTIONS)[number]

/** Position, length and checksum of each section. */
export type SegmentHeader = { readonly count: number } & Readonly<
  Record<Section, readonly [at: number, length: number, crc: number]>
>

const MAGIC = 'satchel handoff segment 2 '
/** The header with its line end; the sections follow. */
export const HEADER_BYTES = 512

/** A part of the index that never changes: what is known of up to `SEGMENT_ROWS` files, and the words of their records. */
export function encodeSegment(files: readonly IndexedFile[]): Buffer {
  const rows = files.map(({ content }) => Buffer.from(JSON.stringify(content)))
  const texts = files.map(({ text }) => Buffer.from(text?.join('\u0000') ?? ''))
  const { words, postings, lengths } = encodeWords(files)
  const columns = encodeColumns(files, { rows, texts, lengths })
  const parts: Record<Section, Buffer> = {
    columns,
    edges: encodeEdges(files),
    rows: Buffer.concat(rows),
    texts: Buffer.concat(texts),
    words,
    postings,
  }
  let at = HEADER_BYTES
  const header: Record<string, unknown> = { count: files.length }
  for (const name of SECTIONS) {
    header[name] = [at, parts[name].length, crc32(parts[name])]
    at += parts[name].length
  }
  const body = JSON.stringify(header)
  const first = `${MAGIC}${crc32(body)} ${body}`.padEnd(HEADER_BYTES - 1)
  return Buffer.concat([Buffer.from(`${first}\n`), ...SECTIONS.map((name) => parts[name])])
}

/** The header in the first bytes of a segment; undefined for another version or damage. */
export function headerIn(bytes: Buffer): SegmentHeader | undefined {
  const text = bytes.toString('latin1')
  if (!text.startsWith(MAGIC) || text.length !== HEADER_BYTES) return undefined
  const blank = text.indexOf(' ', MAGIC.length)
  const body = text.slice(blank + 1).trimEnd()
  return Number(text.slice(MAGIC.length, blank)) === crc32(body) ? JSON.parse(body) : undefined // as written
}

interface Blobs {
  readonly rows: readonly Buffer[]
  readonly texts: readonly Buffer[]
  readonly lengths: Uint16Array
}

function encodeColumns(files: readonly IndexedFile[], { rows, texts, lengths }: Blobs): Buffer {
  const arrays = newColumns(files.length)
  let rowAt = 0
  let textAt = 0
  for (const [n, file] of files.entries()) {
    const { row, problem } = file.content
    Buffer.from(arrays.key.buffer).set(file.key, n * 16)
    arrays.updated[n] = row?.updatedMs ?? 0
    arrays.created[n] = file.createdMs
    arrays.mtime[n] = file.mtimeMs
    arrays.size[n] = file.size
    arrays.bits[n] = rowBits(row, problem)
    arrays.project[n] = textHash(row?.project_id)
    arrays.branch[n] = textHash(row?.branch)
    arrays.harness[n] = textHash(row?.harness)
    arrays.actor[n] = textHash(row?.actor)
    arrays.session[n] = textHash(row?.session)
    arrays.idempotency[n] = textHash(row?.idempotency_key)
    arrays.claim[n] = textHash(row?.claim?.by)
    const [own = Buffer.alloc(0), text = Buffer.alloc(0)] = [rows[n], texts[n]]
    arrays.rowAt[n] = rowAt
    arrays.rowSize[n] = own.length
    arrays.rowCrc[n] = crc32(own)
    arrays.textAt[n] = textAt
    arrays.textSize[n] = text.length
    arrays.textCrc[n] = crc32(text)
    rowAt += own.length
    textAt += text.length
  }
  arrays.lengths.set(lengths)
  return Buffer.concat(
    Object.keys(COLUMNS).map((name) => {
      const { buffer, byteLength } = arrays[name as Column] // the keys of the table
      return Buffer.from(buffer, 0, byteLength)
    }),
  )
}

type Columns = { readonly [name in Column]: InstanceType<(typeof COLUMNS)[name][0]> }

/** Empty columns for `count` rows. */
export function newColumns(count: number): Columns {
  const arrays = Object.entries(COLUMNS).map(([name, [Kind, width]]) => [name, new Kind(count * width)])
  return Object.fromEntries(arrays) as Columns // one array for each column
}

/** Copies the columns of a segment of `count` rows behind the first `base` rows. */
export function copyColumns(columns: Columns, encoded: Buffer, count: number, base: number): void {
  let at = 0
  for (const [name, [Kind, width]] of Object.entries(COLUMNS)) {
    const bytes = Kind.BYTES_PER_ELEMENT * width
    const { buffer } = columns[name as Column] // the keys of the table
    new Uint8Array(buffer).set(encoded.subarray(at, at + count * bytes), base * bytes)
    at += count * bytes
  }
}

/** True if a section of this size holds the columns of so many rows. */
export function fitsColumns(bytes: number, count: number): boolean {
  return bytes === count * COLUMN_BYTES && count <= SEGMENT_ROWS
}

/** Numbers of one edge: the row of the child, and the key of the parent as four words. */
export const EDGE_WORDS = 5

function encodeEdges(files: readonly IndexedFile[]): Buffer {
  const edges = files.flatMap(({ parents }, n) => parents.map((parent) => ({ n, parent })))
  const words = new Uint32Array(edges.length * EDGE_WORDS)
  for (const [at, { n, parent }] of edges.entries()) {
    words[at * EDGE_WORDS] = n
    Buffer.from(words.buffer).set(parent, (at * EDGE_WORDS + 1) * 4)
  }
  return Buffer.from(words.buffer)
}
