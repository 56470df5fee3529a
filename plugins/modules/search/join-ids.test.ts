import assert from 'node:assert/strict'
import { test } from 'node:test'
import { candidatesOf } from './candidates.ts'
import type { SearchIndex } from './search-index.ts'
import type { VectorMatches } from './vector-store.ts'

const NO_VECTOR = Number.NaN

const idsOf = (numbers: readonly number[]): Buffer => Buffer.concat(numbers.map((n) => Buffer.alloc(32, n)))

/** Records with these ids, of which some are selected. */
function indexOf(ids: readonly number[], rows: readonly number[]): SearchIndex {
  const selected = Int32Array.from(rows)
  const index: Partial<SearchIndex> = {
    records: ids.length,
    ids: () => idsOf(ids),
    idsOf: (from, to) => idsOf(ids.slice(from, to)),
    select: () => selected,
    set: {
      meta: {},
      segments: [],
      records: ids.length,
      flags: new Uint8Array(ids.length).fill(1),
      places: new Uint16Array(ids.length),
      updated: new Float64Array(ids.length),
    },
  }
  return index as SearchIndex // nothing else is asked for
}

function nearOf(ids: readonly number[], matches: readonly number[], isInOrder: boolean): VectorMatches {
  const held = idsOf(ids)
  const passing = {
    matches: Int32Array.from(matches),
    ids: (from: number, to: number) => idsOf(ids.slice(from, to)),
  }
  return {
    ids: () => (isInOrder ? assert.fail('nothing is joined') : held),
    cosines: Float32Array.from(ids, (id, at) => (matches.includes(at) ? id / 10 : NO_VECTOR)),
    isWhole: true,
    passing,
    record: () => assert.fail('no record is read'),
  }
}

/** Id -> similarity of each candidate. */
function joined(ids: readonly number[], rows: readonly number[], near: VectorMatches) {
  const { rows: found, matches } = candidatesOf(indexOf(ids, rows), {}, near)
  return [...found].map((row, at) => [ids[row], near.cosines[matches[at] ?? -1]])
}

test('vectors in the order of the records are not joined, and others are joined by their ids', () => {
  const ids = [1, 2, 3, 4, 5, 6]
  const right = [1, 2, 4, 5].map((id) => [id, Math.fround(id / 10)])

  assert.deepEqual(joined(ids, [0, 1, 3, 4], nearOf([1, 2, 4, 9, 5], [0, 1, 2, 4], true)), right)
  assert.deepEqual(joined(ids, [0, 1, 3, 4], nearOf([5, 4, 1, 2], [0, 1, 2, 3], false)), right)
  const without = joined(ids, [0, 1, 3, 4], nearOf([1, 2, 3, 5], [0, 1, 3], false))
  assert.deepEqual(without, [right[0], right[1], [4, undefined], right[3]])
})

test('a vector of a record that the index does not have is a candidate of its own', () => {
  const near = nearOf([1, 8, 2], [0, 1, 2], false)

  const { rows, matches } = candidatesOf(indexOf([1, 2], [0, 1]), {}, near)

  assert.deepEqual([...rows], [0, 1, -1])
  assert.deepEqual([...matches], [0, 2, 1])
})
