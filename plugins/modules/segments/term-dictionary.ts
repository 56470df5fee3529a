import { keepRecent } from '../../../server/plugin.ts'
import { createPostingsPool, type PostingsPool } from './postings-pool.ts'
import type { SectionBytes, SectionFile } from './section-file.ts'
import { createByteWriter, createPiecesWriter, numberAt, type Place } from './varint.ts'

/** Terms of a block share their beginnings with the term before; a look-up reads one block. */
const BLOCK_TERMS = 32
/** Blocks that are read in one piece where many are wanted. */
const READ_BLOCKS = 64
/** Blocks of one segment that stay in memory, and terms that were looked for: queries share most of their words. */
const BLOCKS_KEPT = 512
const TERMS_KEPT = 4096

/** One term of a segment: how many texts have it, and where its postings are. */
export interface TermEntry {
  readonly term: string
  readonly texts: number
  readonly from: number
  readonly to: number
}

/** Which terms are wanted; others are passed over without being decoded. */
export interface TermsWanted {
  readonly leastTexts?: number
  readonly leastBytes?: number
  readonly mostBytes?: number
  /** Told by the first `length` bytes, which the next term overwrites: to decode one costs more. */
  isLikely?(bytes: Uint8Array, length: number): boolean
}

/** The sorted terms of one segment. */
export interface TermDictionary {
  find(term: string): TermEntry | undefined
  /** Terms with this beginning, in order; the empty one gives all. */
  startingWith(prefix: string, wanted?: TermsWanted): Iterable<TermEntry>
  postings(entry: TermEntry): Uint8Array
}

/** Collects the terms of a segment, text by text in rising order. */
export interface TermsWriter {
  /** Term -> occurrences by field. */
  add(text: number, terms: ReadonlyMap<string, readonly number[]>): void
  sections(): Record<'terms' | 'firsts' | 'blocks' | 'postings', SectionBytes>
}

export function createTermsWriter(): TermsWriter {
  const numbers = new Map<string, number>()
  const pool = createPostingsPool()
  return {
    add(text, terms) {
      for (const [term, counts] of terms) {
        let number = numbers.get(term)
        if (number === undefined) {
          number = pool.open()
          numbers.set(term, number)
        }
        pool.add(number, text, counts)
      }
    },
    sections: () => sectionsOf(numbers, pool),
  }
}

function sectionsOf(numbers: ReadonlyMap<string, number>, pool: PostingsPool) {
  const terms = createByteWriter()
  const postings = createPiecesWriter()
  const firsts: string[] = []
  const places: number[] = []
  let before = Buffer.alloc(0)
  for (const [at, term] of [...numbers.keys()].sort().entries()) {
    const number = numbers.get(term) ?? 0
    const isFirst = at % BLOCK_TERMS === 0
    if (isFirst) {
      firsts.push(term)
      places.push(terms.length, postings.length)
    }
    const bytes = Buffer.from(term)
    const shared = isFirst ? 0 : sharedBytes(before, bytes)
    const found = pool.bytes(number)
    terms.number(shared)
    terms.number(bytes.length - shared)
    terms.bytes(bytes.subarray(shared))
    terms.number(pool.texts(number))
    terms.number(found.length)
    postings.bytes(found)
    before = bytes
  }
  return {
    terms: terms.written(),
    firsts: Buffer.from(firsts.join('\n')),
    blocks: bytesOf(Uint32Array.from(places)),
    postings: postings.pieces(),
  }
}

function sharedBytes(a: Uint8Array, b: Uint8Array): number {
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared
}

/** The memory of a typed array. */
export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Opens the terms of a segment: the first term of each block is read, nothing else. */
export function openTermDictionary(file: SectionFile): TermDictionary {
  const firsts = file.lengthOf('blocks') === 0 ? [] : file.whole('firsts').toString('utf8').split('\n')
  const blocks = uint32s(file.whole('blocks'))
  const blockOf = (term: string): number => lastUpTo(firsts, term)
  const entries = (block: number, blockCount: number, wanted: TermsWanted): TermEntry[] => {
    const to = blocks[2 * (block + blockCount)] ?? file.lengthOf('terms')
    return entriesOf(file.read('terms', blocks[2 * block] ?? 0, to), blocks[2 * block + 1] ?? 0, wanted)
  }
  const kept = keepRecent<number, readonly TermEntry[]>(BLOCKS_KEPT)
  const heldBlock = (block: number) => kept.get(block, () => entries(block, 1, ALL))
  const lookedFor = keepRecent<string, TermEntry | null>(TERMS_KEPT)
  const look = (term: string): TermEntry | null => {
    const block = blockOf(term)
    return (block < 0 ? undefined : heldBlock(block).find((entry) => entry.term === term)) ?? null
  }
  return {
    find: (term) => lookedFor.get(term, () => look(term)) ?? undefined,
    *startingWith(prefix, wanted = ALL) {
      const end = firstPast(firsts, prefix)
      for (let block = Math.max(0, blockOf(prefix)); block < end; block += READ_BLOCKS) {
        const found = entries(block, Math.min(READ_BLOCKS, end - block), wanted)
        yield* found.filter(({ term }) => term.startsWith(prefix))
      }
    },
    postings: ({ from, to }) => file.read('postings', from, to),
  }
}

const ALL: TermsWanted = {}

/** The place of the first of these sorted terms from which on none begins so. */
function firstPast(sorted: readonly string[], prefix: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const term = sorted[middle] ?? ''
    if (term <= prefix || term.startsWith(prefix)) low = middle + 1
    else high = middle
  }
  return low
}

/** The place of the last of these sorted terms that is not after `term`; -1 for none. */
function lastUpTo(sorted: readonly string[], term: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? '') <= term) low = middle + 1
    else high = middle
  }
  return low - 1
}

function entriesOf(bytes: Uint8Array, postingsAt: number, wanted: TermsWanted): TermEntry[] {
  const { leastTexts = 0, leastBytes = 0, mostBytes = Number.POSITIVE_INFINITY } = wanted
  const found: TermEntry[] = []
  const place: Place = { bytes, at: 0 }
  let term = Buffer.alloc(128)
  let from = postingsAt
  while (place.at < bytes.length) {
    const shared = numberAt(place)
    const length = shared + numberAt(place)
    if (length > term.length) term = Buffer.concat([term, Buffer.alloc(length)])
    for (let to = shared; to < length; to++) term[to] = bytes[place.at++] ?? 0
    const texts = numberAt(place)
    const to = from + numberAt(place)
    const isWanted = texts >= leastTexts && length >= leastBytes && length <= mostBytes
    if (isWanted && (wanted.isLikely?.(term, length) ?? true))
      found.push({ term: term.toString('utf8', 0, length), texts, from, to })
    from = to
  }
  return found
}

/** The numbers of a section that was read from its start. */
export function uint32s(bytes: Buffer): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
}

/** The numbers of a section that was read from its start. */
export function uint16s(bytes: Buffer): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2)
}
