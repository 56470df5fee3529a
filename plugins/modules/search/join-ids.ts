import { idFinder, idsIn, wordsOfIds } from './id-table.ts'
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
export function joinIds(index: SearchIndex, near: VectorMatches): JoinedIds {
  const ids = near.ids()
  const held = known.get(ids)
  if (held?.index === index) return held.joined
  const joined = join(index, ids)
  known.set(ids, { index, joined })
  return joined
}

type Passing = NonNullable<VectorMatches['passing']>

interface Compared {
  readonly rows: Int32Array
  readonly isSame: boolean
}

/** Vectors that passed -> records that they were compared with. */
const compared = new WeakMap<Int32Array, Compared>()

/**
 * Whether the vectors that passed are of these records, in this order: then nothing needs to be joined. Index and store
 * write the records of one ingest in the same order.
 */
export function isOfRows(index: SearchIndex, rows: Int32Array, passing: Passing): boolean {
  const held = compared.get(passing.matches)
  if (held?.rows === rows) return held.isSame
  const isSame = haveSameIds(index, rows, passing)
  compared.set(passing.matches, { rows, isSame })
  return isSame
}

function haveSameIds(index: SearchIndex, rows: Int32Array, { matches, ids }: Passing): boolean {
  if (rows.length !== matches.length) return false
  for (let from = 0; from < rows.length; ) {
    const [row, match] = [rows[from] ?? 0, matches[from] ?? 0]
    let length = 1
    while (rows[from + length] === row + length && matches[from + length] === match + length) length++
    if (!index.idsOf(row, row + length).equals(ids(match, match + length))) return false
    from += length
  }
  return true
}

function join(index: SearchIndex, ids: Buffer): JoinedIds {
  const find = idFinder(wordsOfIds(index.ids()), (row) => isLive(index.set, row))
  const others = wordsOfIds(ids)
  const matchOf = new Int32Array(index.records).fill(-1)
  const foreign: number[] = []
  for (let match = 0; match < idsIn(others); match++) {
    const row = find(others, match)
    if (row >= 0) matchOf[row] = match
    else foreign.push(match)
  }
  return { matchOf, foreign }
}
