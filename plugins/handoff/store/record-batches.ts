import { isAscii } from 'node:buffer'
import { onceFor } from '../../../server/plugin.ts'
import type { RecordBatch } from '../domain/record-table.ts'
import { type Layer, numberOf, recordCount, recordsOf } from './layers.ts'
import { DamagedSegment, type Segment } from './open-segment.ts'
import { blobOf, WHOLE_SECTION_ROWS } from './row-content.ts'
import { idAt } from './segment-columns.ts'
import { blocksOf, entriesIn, isWhole, postingsIn, type WordEntry } from './segment-words.ts'

/** The records of each segment. */
export function batchesOf(layers: readonly Layer[]): readonly RecordBatch[] {
  return layers.map((layer, at) => batchOf(layers, layer, at))
}

function batchOf(layers: readonly Layer[], layer: Layer, at: number): RecordBatch {
  const { segment } = layer
  return {
    first: numberOf(at, 0),
    size: segment.count,
    newestMs: segment.newest,
    oldestMs: () => oldestIn(segment),
    get firstId() {
      return firstIdIn(segment)
    },
    count: recordCount(layer),
    records: () => recordsOf(layers, at),
    passing: (name, test) => passingIn(layer, name, () => recordsOf(layers, at).filter(test).length),
    occurrences: (word, isPrefix) => occurrencesIn(segment, word, isPrefix),
    lengths: () => segment.passingColumns('lengths').lengths,
    textsWith: (phrase, rows) => textsWith(segment, phrase, rows),
  }
}

/** What is asked again and again of a segment, which never changes. */
const oldestIn = onceFor((segment: Segment) =>
  segment.columns('times').updated.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY),
)
const firstIdIn = onceFor(({ range }: Segment) => idAt(Uint32Array.from(range[0]), 0))

/** So many counts are kept of each layer, which never changes. */
const MAX_COUNTS = 16
const counts = new WeakMap<Layer, Map<string, number>>()

function passingIn(layer: Layer, name: string, count: () => number): number {
  const known = counts.get(layer) ?? new Map<string, number>()
  counts.set(layer, known)
  const found = known.get(name) ?? count()
  known.delete(name) // the one asked last is the last to go
  known.set(name, found)
  const [first] = known.keys()
  if (known.size > MAX_COUNTS && first !== undefined) known.delete(first)
  return found
}

const NONE = new Uint32Array(0)

function occurrencesIn(segment: Segment, word: string, isPrefix: boolean): Uint32Array {
  const blocks = blocksOf(segment.passing('blocks'), word, isPrefix)
  const entries = partsOf(wholeSpan(segment, 'words', blocks), blocks).flatMap((block) =>
    entriesIn(block, word, isPrefix),
  )
  return entries.length === 0 ? NONE : postingsIn(wholeSpan(segment, 'postings', entries))
}

/** The bytes of entries, which follow one another: words with one beginning do, and so do their postings. */
function wholeSpan(segment: Segment, section: 'words' | 'postings', entries: readonly WordEntry[]): Buffer {
  const [first, last] = [entries[0], entries.at(-1)]
  if (!first || !last) return Buffer.alloc(0)
  const bytes = segment.passing(section, first[0], last[0] + last[1] - first[0])
  if (!partsOf(bytes, entries).every((part, at) => isWhole(part, entries[at] ?? first)))
    throw new DamagedSegment(segment.file)
  return bytes
}

function partsOf(bytes: Buffer, entries: readonly WordEntry[]): readonly Buffer[] {
  const begin = entries[0]?.[0] ?? 0
  return entries.map(([at, length]) => bytes.subarray(at - begin, at - begin + length))
}

type Texts = Iterable<readonly [row: number, fields: readonly string[]]>

/** More bytes of texts than this are never in memory together. */
const MAX_SECTION_BYTES = 32 * 1024 * 1024

function* textsWith(segment: Segment, phrase: string, rows: readonly number[]): Texts {
  const isFew = rows.length <= WHOLE_SECTION_ROWS || segment.sizeOf('texts') > MAX_SECTION_BYTES
  const whole = isFew ? undefined : segment.passing('texts')
  const left = whole ? candidatesIn(whole, phrase, { segment, rows }) : rows
  for (const row of left) {
    const bytes = blobOf(segment, 'texts', { row, whole })
    yield [row, bytes.toString('utf8').split('\u0000')]
  }
}

/** Rows whose bytes have a phrase in any case. Of text beyond ASCII that is not told by its bytes. */
function candidatesIn(
  texts: Buffer,
  phrase: string,
  { segment, rows }: { readonly segment: Segment; readonly rows: readonly number[] },
): readonly number[] {
  const { textAt, textSize } = segment.columns('places')
  const isPlain = isAscii(texts)
  const wanted = Buffer.from(phrase)
  const searched = isAscii(wanted) ? bytesFinder(wanted) : undefined
  return rows.filter((row) => {
    const from = textAt[row] ?? 0
    const end = from + (textSize[row] ?? 0)
    if (searched?.(texts, from, end)) return true
    return !isPlain && !isAscii(texts.subarray(from, end))
  })
}

/** Tells whether bytes are somewhere between two places, small and large ASCII letters being equal (Horspool). */
function bytesFinder(wanted: Buffer): (bytes: Buffer, from: number, end: number) => boolean {
  const last = wanted.length - 1
  const skips = new Uint32Array(256).fill(wanted.length)
  for (let at = 0; at < last; at++) skips[wanted[at] ?? 0] = last - at
  for (let large = 0x41; large <= 0x5a; large++) skips[large] = skips[large + 0x20] ?? 0
  return (bytes, from, end) => {
    for (let at = from + last; at < end; at += skips[bytes[at] ?? 0] ?? 1) {
      let back = 0
      while (back <= last && small(bytes[at - back] ?? 0) === wanted[last - back]) back++
      if (back > last) return true
    }
    return false
  }
}

function small(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte
}
