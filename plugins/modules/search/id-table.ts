import { ID_BYTES } from './record-columns.ts'

const ID_WORDS = ID_BYTES / Uint32Array.BYTES_PER_ELEMENT

/** Ids as numbers, which are compared several times as fast as bytes. */
export function wordsOfIds(ids: Buffer): Uint32Array {
  const isAligned = ids.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0
  const { buffer, byteOffset, byteLength } = isAligned ? ids : Uint8Array.from(ids)
  return new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT)
}

/** How many ids these words are. */
export function idsIn(words: Uint32Array): number {
  return words.length / ID_WORDS
}

/**
 * Finds the place of an id among `own`, or -1; of equal ids the last. A table of numbers: an id is a digest, so its first
 * word says where to look, and a map of sixty thousand keys costs as much as the rest of a first search.
 */
export function idFinder(own: Uint32Array, isWanted: (place: number) => boolean = () => true) {
  const rows = idsIn(own)
  const mask = 2 ** Math.ceil(Math.log2(rows * 2 + 1)) - 1
  const table = new Int32Array(mask + 1).fill(-1)
  const placeOf = (ids: Uint32Array, at: number): number => {
    let place = (ids[at * ID_WORDS] ?? 0) & mask
    for (let row = table[place] ?? -1; row >= 0; row = table[place] ?? -1) {
      if (isSameId(own, row, ids, at)) return place
      place = (place + 1) & mask
    }
    return place
  }
  for (let row = 0; row < rows; row++) if (isWanted(row)) table[placeOf(own, row)] = row
  return (ids: Uint32Array, at: number): number => table[placeOf(ids, at)] ?? -1
}

function isSameId(a: Uint32Array, row: number, b: Uint32Array, at: number): boolean {
  const [from, to] = [row * ID_WORDS, at * ID_WORDS]
  for (let word = 0; word < ID_WORDS; word++) if (a[from + word] !== b[to + word]) return false
  return true
}

/** Rows of a set with their ids, of which some do not count. */
export interface StoredIds {
  /** One buffer for each segment. */
  readonly ids: readonly Buffer[]
  isLive(row: number): boolean
}

/** The live row of each of these ids, or -1; of several rows the last. No id is asked for twice. */
export function rowsOfIds({ ids, isLive }: StoredIds, wanted: readonly string[]): Int32Array {
  const found = new Int32Array(wanted.length).fill(-1)
  if (wanted.length === 0) return found
  const find = idFinder(wordsOfIds(Buffer.from(wanted.join(''), 'hex')))
  let row = 0
  for (const held of ids) {
    const words = wordsOfIds(held)
    for (let local = 0; local < idsIn(words); local++, row++) {
      if (!isLive(row)) continue
      const at = find(words, local)
      if (at >= 0) found[at] = row
    }
  }
  return found
}
