import { ID_BYTES } from './record-columns.ts'
import { isLive, type SearchIndex } from './search-index.ts'
import type { VectorMatches } from './vector-store.ts'

/** Which vectors belong to which records of an index. */
export interface JoinedIds {
  /** Row of the index -> place among the vectors; -1 where there is none. */
  readonly matchOf: Int32Array
  /** Vectors of records that the index does not know. */
  readonly foreign: readonly number[]
}

interface Known {
  readonly index: SearchIndex
  readonly joined: JoinedIds
}

/** A store gives the same ids until it changes: then the work is done once. */
const known = new WeakMap<Buffer, Known>()

/** Joins vectors with the records of an index by their ids. */
export function joinIds(index: SearchIndex, { ids }: VectorMatches): JoinedIds {
  const held = known.get(ids)
  if (held?.index === index) return held.joined
  const joined = join(index, ids)
  known.set(ids, { index, joined })
  return joined
}

function join(index: SearchIndex, ids: Buffer): JoinedIds {
  const own = wordsOf(index.ids())
  const find = finder(own, (row) => isLive(index.set, row))
  const others = wordsOf(ids)
  const matchOf = new Int32Array(index.records).fill(-1)
  const foreign: number[] = []
  for (let match = 0; match * ID_WORDS < others.length; match++) {
    const row = find(others, match)
    if (row >= 0) matchOf[row] = match
    else foreign.push(match)
  }
  return { matchOf, foreign }
}

const ID_WORDS = ID_BYTES / Uint32Array.BYTES_PER_ELEMENT

/** Ids as numbers, which are compared several times as fast as bytes. */
function wordsOf(ids: Buffer): Uint32Array {
  const isAligned = ids.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0
  const { buffer, byteOffset, byteLength } = isAligned ? ids : Uint8Array.from(ids)
  return new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT)
}

/**
 * Finds the row with an id, or -1; of equal ids the last. A table of numbers: an id is a digest, so its first word says
 * where to look, and a map of sixty thousand keys costs as much as the rest of a first search.
 */
function finder(own: Uint32Array, isWanted: (row: number) => boolean) {
  const rows = own.length / ID_WORDS
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
