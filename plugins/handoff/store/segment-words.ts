import { crc32 } from 'node:zlib'
import { SEARCH_FIELDS } from '../domain/record-row.ts'
import { folded, wordsOf } from '../domain/words.ts'

/** Longer words are equal in their first characters. */
export const MAX_WORD_CHARS = 200

const COUNT_BITS = 14
const FIELD_BITS = 4
const MAX_COUNT = 2 ** COUNT_BITS - 1
const MAX_LENGTH = 0xffff

/** Words that are read together to find one. */
const BLOCK_WORDS = 64

/** Collects the words of texts and where they occur. */
export interface WordList {
  /** Adds the fields of a row; rows come in order. Gives the number of different words in each. */
  add(row: number, fields: readonly string[]): readonly number[]
  /**
   * The words with the place, number and checksum of their postings, one on a line (`\nword\tat\tcount\tcrc`), in the
   * order of strings; and their blocks in the same form, by their first words.
   */
  encoded(): { readonly blocks: Buffer; readonly words: Buffer; readonly postings: Buffer }
}

export function createWordList(): WordList {
  const lists = new Map<string, number[]>()
  return {
    add: (row, fields) =>
      SEARCH_FIELDS.map((_, field) => {
        const counts = countsOf(fields[field] ?? '')
        for (const [word, count] of counts.all) {
          const packed =
            (row << (COUNT_BITS + FIELD_BITS)) | (field << COUNT_BITS) | Math.min(count, MAX_COUNT)
          const list = lists.get(word)
          if (list) list.push(packed)
          else lists.set(word, [packed])
        }
        return Math.min(counts.length, MAX_LENGTH)
      }),
    encoded() {
      const sorted = [...lists.keys()].sort()
      const postings = placed(sorted, (word) => Buffer.from(Uint32Array.from(lists.get(word) ?? []).buffer))
      const firsts = sorted.filter((_, at) => at % BLOCK_WORDS === 0)
      const words = placed(firsts, (_, block) =>
        Buffer.from(`${postings.lines.slice(block * BLOCK_WORDS, (block + 1) * BLOCK_WORDS).join('')}\n`),
      )
      return { blocks: Buffer.from(`${words.lines.join('')}\n`), words: words.all, postings: postings.all }
    },
  }
}

/** The bytes of each name behind one another, and lines that say where they are. */
function placed(names: readonly string[], bytesOf: (name: string, at: number) => Buffer) {
  const lines: string[] = []
  const parts: Buffer[] = []
  let at = 0
  for (const [number, name] of names.entries()) {
    const bytes = bytesOf(name, number)
    lines.push(`\n${name}\t${at}\t${bytes.length}\t${crc32(bytes)}`)
    parts.push(bytes)
    at += bytes.length
  }
  return { lines, all: Buffer.concat(parts) }
}

/** Counts of the words, and the number of different ones. */
function countsOf(text: string): { readonly all: ReadonlyMap<string, number>; readonly length: number } {
  const counts = new Map<string, number>()
  for (const word of wordsOf(text)) add(counts, word)
  const length = counts.size
  // For phrases, which cut words at every sign: `fooBar.baz` also counts as `foobar`.
  const runs = new Map<string, number>()
  for (const run of runsOf(folded(text))) if (!counts.has(run.slice(0, MAX_WORD_CHARS))) add(runs, run)
  return { all: new Map([...counts, ...runs]), length }
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
  for (const line of blocks.toString('utf8').split('\n')) {
    const [first = '', ...entry] = line.split('\t')
    if (line === '') continue
    if (first > wanted && !(isPrefix && first.startsWith(wanted))) break
    if (first <= wanted) found.length = 0 // the word is not before the last of these
    found.push(entryOf(entry))
  }
  return found
}

/** The entries of a word, or of all words that begin with it, in a block. */
export function entriesIn(block: Buffer, word: string, isPrefix: boolean): readonly WordEntry[] {
  const wanted = Buffer.from(`\n${word.slice(0, MAX_WORD_CHARS)}${isPrefix ? '' : '\t'}`)
  const found: WordEntry[] = []
  for (let at = block.indexOf(wanted); at >= 0; ) {
    const end = block.indexOf(0x0a, at + 1)
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

/** Visits postings, by row and field. */
export function eachPosting(bytes: Buffer, visit: (row: number, field: number, count: number) => void): void {
  const whole = Uint8Array.from(bytes) // from the beginning of an array, as numbers of four bytes must be
  for (const packed of new Uint32Array(whole.buffer)) {
    visit(
      packed >>> (COUNT_BITS + FIELD_BITS),
      (packed >>> COUNT_BITS) & (2 ** FIELD_BITS - 1),
      packed & MAX_COUNT,
    )
  }
}
