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
export function joinIds(index: SearchIndex, { ids }: VectorMatches): JoinedIds {
  const held = known.get(ids)
  if (held?.index === index) return held.joined
  const joined = join(index, ids)
  known.set(ids, { index, joined })
  return joined
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
