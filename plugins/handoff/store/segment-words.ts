import { crc32 } from 'node:zlib'
import { SEARCH_FIELDS } from '../domain/record-row.ts'
import { folded, wordsOf } from '../domain/words.ts'
import type { IndexedFile } from './segment-columns.ts'

/** Longer words are equal in their first characters. */
export const MAX_WORD_CHARS = 200

const COUNT_BITS = 14
const FIELD_BITS = 4
const MAX_COUNT = 2 ** COUNT_BITS - 1
const MAX_LENGTH = 0xffff

/**
 * The words of the texts, one on a line with the place, number and checksum of its postings: `\nword\tat\tcount\tcrc`.
 * Sorted, so that words with the same beginning are neighbours.
 */
export function encodeWords(files: readonly IndexedFile[]) {
  const postings = new Map<string, number[]>()
  const fields = SEARCH_FIELDS.length
  const lengths = new Uint16Array(files.length * fields)
  const addAll = (row: number, field: number, counts: ReadonlyMap<string, number>): void => {
    for (const [word, count] of counts) {
      const packed = (row << (COUNT_BITS + FIELD_BITS)) | (field << COUNT_BITS) | Math.min(count, MAX_COUNT)
      const list = postings.get(word)
      if (list) list.push(packed)
      else postings.set(word, [packed])
    }
  }
  for (const [row, { text }] of files.entries()) {
    for (const [field, part] of (text ?? []).entries()) {
      if (part === '') continue
      const counts = countsOf(part)
      lengths[row * fields + field] = Math.min(counts.length, MAX_LENGTH)
      addAll(row, field, counts.all)
    }
  }
  const lines: string[] = []
  const lists: Buffer[] = []
  let at = 0
  for (const word of [...postings.keys()].sort()) {
    const list = Buffer.from(Uint32Array.from(postings.get(word) ?? []).buffer)
    lines.push(`\n${word}\t${at}\t${list.length / 4}\t${crc32(list)}`)
    lists.push(list)
    at += list.length
  }
  return { words: Buffer.from(`${lines.join('')}\n`), postings: Buffer.concat(lists), lengths }
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

/** Where the postings of a word are: byte offset, number, checksum. */
export type WordEntry = readonly [at: number, count: number, crc: number]

/** The entries of a word, or of all words that begin with it. */
export function entriesIn(words: Buffer, word: string, isPrefix: boolean): readonly WordEntry[] {
  const wanted = Buffer.from(`\n${word.slice(0, MAX_WORD_CHARS)}${isPrefix ? '' : '\t'}`)
  const found: WordEntry[] = []
  for (let at = words.indexOf(wanted); at >= 0; ) {
    const end = words.indexOf(0x0a, at + 1)
    const [, from, count, crc] = words.toString('utf8', at + 1, end).split('\t')
    found.push([Number(from), Number(count), Number(crc)])
    if (!isPrefix || !words.subarray(end, end + wanted.length).equals(wanted)) break
    at = end
  }
  return found
}

/** Visits the postings of an entry, by row and field. False if the bytes are damaged. */
export function eachPosting(
  bytes: Buffer,
  [, count, crc]: WordEntry,
  visit: (row: number, field: number, count: number) => void,
): boolean {
  if (bytes.length !== count * 4 || crc32(bytes) !== crc) return false
  for (let at = 0; at < bytes.length; at += 4) {
    const packed = bytes.readUInt32LE(at)
    visit(
      packed >>> (COUNT_BITS + FIELD_BITS),
      (packed >>> COUNT_BITS) & (2 ** FIELD_BITS - 1),
      packed & MAX_COUNT,
    )
  }
  return true
}
