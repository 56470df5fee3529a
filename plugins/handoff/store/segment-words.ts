import { crc32 } from 'node:zlib'
import { occurrenceOf, ofRow, rowOfOccurrence } from '../domain/occurrence.ts'
import { SEARCH_FIELDS } from '../domain/record-row.ts'
import { hasUnspaced, unspacedPieces } from '../domain/unspaced-words.ts'
import { folded, wordsOf } from '../domain/words.ts'
import { createPieces, type Pieces } from './pieces.ts'

/** Longer words are equal in their first characters. */
export const MAX_WORD_CHARS = 200

const MAX_LENGTH = 0xffff

/** Words that are read together to find one. */
const BLOCK_WORDS = 64

/** Collects the words of texts and where they occur. */
export interface WordList {
  /** Adds the fields of a row; rows come in order. Gives the number of different words in each. */
  add(row: number, fields: readonly string[]): readonly number[]
  /**
   * Adds the words and postings of another list, each row by its new number, after all rows that are here; rows whose
   * number is below 0 are left out.
   */
  addEncoded(words: Buffer, postings: Buffer, numbers: Int32Array): void
  /**
   * The words with the place, number and checksum of their postings, one on a line (`\nword\tat\tcount\tcrc`), in the
   * order of strings; and their blocks in the same form, by their first words. Once, and valid until `clear`.
   */
  encoded(): {
    readonly blocks: Buffer
    readonly words: readonly Buffer[]
    readonly postings: readonly Buffer[]
  }
  /** Forgets the words and keeps their room for others. */
  clear(): void
}

/** A list without words. Occurrences are numbers in arrays: as objects they took most of the memory of a scan. */
export function createWordList(): WordList {
  const numbers = new Map<string, number>()
  const occurrences = createOccurrences()
  const [postings, words] = [createPieces(), createPieces()]
  const numberOf = (word: string): number => {
    const known = numbers.get(word)
    if (known !== undefined) return known
    // A copy: a part of a text would keep the whole text in memory.
    numbers.set(Buffer.from(word).toString(), numbers.size)
    return numbers.size - 1
  }
  return {
    add: (row, fields) =>
      SEARCH_FIELDS.map((_, field) => {
        const counts = countsOf(fields[field] ?? '')
        for (const [word, count] of counts.all) {
          occurrences.add(numberOf(word), occurrenceOf(row, field, count))
        }
        return Math.min(counts.length, MAX_LENGTH)
      }),
    addEncoded(encoded, otherPostings, rows) {
      for (const line of encoded.toString('utf8').split('\n')) {
        if (line === '') continue // between two blocks
        const [word = '', ...entry] = line.split('\t')
        const [at, length] = entryOf(entry)
        let number: number | undefined
        for (const one of postingsIn(otherPostings.subarray(at, at + length))) {
          const row = rows[rowOfOccurrence(one)] ?? -1
          if (row < 0) continue
          number ??= numberOf(word)
          occurrences.add(number, ofRow(one, row))
        }
      }
    },
    encoded() {
      const sorted = [...numbers.keys()].sort()
      const lines = placed(postings, sorted, (word) => occurrences.of(numbers.get(word) ?? 0))
      const firsts = sorted.filter((_, at) => at % BLOCK_WORDS === 0)
      const blocks = placed(words, firsts, (_, block) =>
        Buffer.from(`${lines.slice(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS).join('')}\n`),
      )
      return {
        blocks: Buffer.from(`${blocks.join('')}\n`),
        words: words.pieces(),
        postings: postings.pieces(),
      }
    },
    clear() {
      numbers.clear()
      for (const part of [occurrences, postings, words]) part.clear()
    },
  }
}

/** Numbers by the number of their word: each word's are a chain through two arrays. */
function createOccurrences() {
  let [last, counts] = [new Int32Array(0), new Uint32Array(0)]
  let [values, before] = [new Uint32Array(0), new Int32Array(0)]
  let listed = new Uint32Array(FIRST_LENGTH)
  let used = 0
  return {
    add(word: number, value: number): void {
      if (word >= last.length) [last, counts] = [wider(last, Int32Array), wider(counts, Uint32Array)]
      if (used >= values.length) [values, before] = [wider(values, Uint32Array), wider(before, Int32Array)]
      before[used] = (counts[word] ?? 0) > 0 ? (last[word] ?? 0) : -1
      values[used] = value
      counts[word] = (counts[word] ?? 0) + 1
      last[word] = used
      used += 1
    },
    /** The numbers of a word as bytes, in the order in which they were added; valid until the next call. */
    of(word: number): Buffer {
      const count = counts[word] ?? 0
      while (count > listed.length) listed = wider(listed, Uint32Array)
      let at = last[word] ?? 0
      for (let n = count - 1; n >= 0; n--) {
        listed[n] = values[at] ?? 0
        at = before[at] ?? 0
      }
      return Buffer.from(listed.buffer, 0, count * listed.BYTES_PER_ELEMENT)
    },
    clear() {
      counts.fill(0)
      used = 0
    },
  }
}

const FIRST_LENGTH = 4096

function wider<A extends Int32Array | Uint32Array>(array: A, Kind: new (length: number) => A): A {
  const more = new Kind(Math.max(FIRST_LENGTH, array.length * 2))
  more.set(array)
  return more
}

/** Adds the bytes of each name to `pieces`. Gives lines that say where they are. */
function placed(
  pieces: Pieces,
  names: readonly string[],
  bytesOf: (name: string, at: number) => Buffer,
): readonly string[] {
  return names.map((name, number) => {
    const bytes = bytesOf(name, number)
    return `\n${name}\t${pieces.add(bytes)}\t${bytes.length}\t${crc32(bytes)}`
  })
}

/** Counts of the words, and the number of different ones. */
function countsOf(text: string): { readonly all: ReadonlyMap<string, number>; readonly length: number } {
  const counts = new Map<string, number>()
  for (const word of wordsOf(text)) add(counts, word)
  const length = counts.size
  // For phrases, which cut words at every sign: `fooBar.baz` also counts as `foobar`.
  const runs = new Map<string, number>()
  for (const run of runsOf(folded(text))) if (!counts.has(run.slice(0, MAX_WORD_CHARS))) add(runs, run)
  if (hasUnspaced(text)) addUnspaced(runs, counts, text)
  return { all: new Map([...counts, ...runs]), length }
}

/** Words in sentences without spaces, and those of other scripts beside them: `JWT` in `JWT認証`. */
function addUnspaced(into: Map<string, number>, known: ReadonlyMap<string, number>, text: string): void {
  const { pieces, rest } = unspacedPieces(folded(text))
  for (const piece of [...pieces, ...wordsOf(rest)])
    if (!known.has(piece.slice(0, MAX_WORD_CHARS))) add(into, piece)
}

function add(counts: Map<string, number>, word: string): void {
  const key = word.slice(0, MAX_WORD_CHARS)
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** The longest runs of letters, digits and underscores. */
export function runsOf(plain: string): readonly string[] {
  return plain.match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** Where the bytes of a word are: offset, length, checksum. */
export type WordEntry = readonly [at: number, length: number, crc: number]

/** The blocks that hold a word, or all words that begin with it. */
export function blocksOf(blocks: Buffer, word: string, isPrefix: boolean): readonly WordEntry[] {
  const wanted = word.slice(0, MAX_WORD_CHARS)
  const found: WordEntry[] = []
  for (let at = lastBlock(blocks, wanted); at < blocks.length - 1; ) {
    const end = blocks.indexOf(NEWLINE, at + 1)
    const [first = '', ...entry] = blocks.toString('utf8', at + 1, end).split('\t')
    if (first > wanted && !(isPrefix && first.startsWith(wanted))) break
    found.push(entryOf(entry))
    at = end
  }
  return found
}

const NEWLINE = 0x0a
const TAB = 0x09

/** Where the line of the last block begins whose first word is not behind this one, else that of the first block. */
function lastBlock(blocks: Buffer, word: string): number {
  let [from, to] = [0, blocks.length - 1]
  for (;;) {
    const middle = blocks.lastIndexOf(NEWLINE, from + ((to - from) >> 1))
    const at = middle > from ? middle : blocks.indexOf(NEWLINE, from + 1)
    if (at < 0 || at >= to) return from
    const first = blocks.toString('utf8', at + 1, blocks.indexOf(TAB, at))
    if (first <= word) from = at
    else to = at
  }
}

/** The entries of a word, or of all words that begin with it, in a block. */
export function entriesIn(block: Buffer, word: string, isPrefix: boolean): readonly WordEntry[] {
  const wanted = Buffer.from(`\n${word.slice(0, MAX_WORD_CHARS)}${isPrefix ? '' : '\t'}`)
  const found: WordEntry[] = []
  for (let at = block.indexOf(wanted); at >= 0; ) {
    const end = block.indexOf(NEWLINE, at + 1)
    const [, ...entry] = block.toString('utf8', at + 1, end).split('\t')
    found.push(entryOf(entry))
    if (!isPrefix || !block.subarray(end, end + wanted.length).equals(wanted)) break
    at = end
  }
  return found
}

function entryOf([at, length, crc]: readonly string[]): WordEntry {
  return [Number(at), Number(length), Number(crc)]
}

/** True for the bytes that an entry was made of. */
export function isWhole(bytes: Buffer, [, length, crc]: WordEntry): boolean {
  return bytes.length === length && crc32(bytes) === crc
}

/** Postings as numbers, a view of the bytes where their place allows one. */
export function postingsIn(bytes: Buffer): Uint32Array {
  const isAligned = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0
  const { buffer, byteOffset, length } = isAligned ? bytes : new Uint8Array(bytes)
  return new Uint32Array(buffer, byteOffset, length / Uint32Array.BYTES_PER_ELEMENT)
}
