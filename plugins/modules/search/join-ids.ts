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
  const own = index.ids()
  const matchOf = new Int32Array(index.records).fill(-1)
  const rows = new Map<number, number>()
  for (let row = 0; row < index.records; row++)
    if (isLive(index.set, row)) rows.set(own.readUIntBE(row * ID_BYTES, KEY_BYTES), row)
  const foreign: number[] = []
  for (let match = 0; match * ID_BYTES < ids.length; match++) {
    const at = match * ID_BYTES
    const row = rows.get(ids.readUIntBE(at, KEY_BYTES))
    const isSame =
      row !== undefined && own.compare(ids, at, at + ID_BYTES, row * ID_BYTES, (row + 1) * ID_BYTES) === 0
    if (isSame) matchOf[row] = match
    else foreign.push(match)
  }
  return { matchOf, foreign }
}

/** Enough of an id to tell a million apart; what is found is compared whole. */
const KEY_BYTES = 6
