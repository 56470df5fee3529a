import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bestFirst, highest } from './best-first.ts'
import { similarity, similarityByColumn, similarityTo, usedNumbers } from './similarity.ts'
import { bytesByColumn, vectorsOfColumns } from './vector-columns.ts'

const number = fc.float({ min: -1, max: 1, noNaN: true })
const vectorOf = (dims: number) =>
  fc.array(number, { minLength: dims, maxLength: dims }).map((numbers) => Float32Array.from(numbers))

test('a query of few numbers gets the very similarity that all of its numbers give', () => {
  const cases = fc.integer({ min: 1, max: 70 }).chain((dims) =>
    fc.record({
      vector: vectorOf(dims * 2),
      query: vectorOf(dims),
      used: fc.array(fc.integer({ min: 0, max: dims - 1 }), { maxLength: dims }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ vector, query, used }) => {
      const wanted = query.map((value, at) => (used.includes(at) ? value : 0))
      const start = query.length
      assert.ok(Object.is(similarityTo(wanted)(vector, start) + 0, similarity(vector, start, wanted) + 0))
    }),
  )
})

test('vectors by column give the very similarities and vectors that they give one after the other', () => {
  const cases = fc.integer({ min: 1, max: 48 }).chain((dims) =>
    fc.record({
      vectors: fc.array(vectorOf(dims), { minLength: 1, maxLength: 5 }),
      used: fc.array(fc.tuple(fc.integer({ min: 0, max: dims - 1 }), number), { maxLength: 60 }),
    }),
  )
  fc.assert(
    fc.property(cases, ({ vectors, used }) => {
      const dims = vectors[0]?.length ?? 0
      const query = new Float32Array(dims)
      for (const [place, value] of used) query[place] = value
      const bytes = Buffer.concat(pieces(vectors, dims))
      const stored = new Float32Array(new Uint8Array(bytes).buffer)
      const column = (place: number) => stored.subarray(place * vectors.length, (place + 1) * vectors.length)
      const rows = Float32Array.from(vectors.flatMap((vector) => [...vector]))

      const found = similarityByColumn(usedNumbers(query), vectors.length, column)

      for (const [at, value] of found.entries())
        assert.ok(Object.is(value + 0, similarity(rows, at * dims, query) + 0))
      assert.deepEqual(vectorsOfColumns(column, { count: vectors.length, dims }), rows)
    }),
  )
})

/** Copies, because each piece shares memory with the one before. */
function pieces(vectors: readonly Float32Array[], dims: number): Buffer[] {
  return Array.from(bytesByColumn(vectors, dims), (piece) => Buffer.from(piece))
}

test('candidates come by falling score, and equal ones by their places', () => {
  const scored = fc.array(fc.constantFrom(0, 0.25, 0.5, 0.75, 1), { maxLength: 60 })
  fc.assert(
    fc.property(scored, fc.integer({ min: 1, max: 20 }), (numbers, needed) => {
      const scores = Float64Array.from(numbers)
      const candidates = [...numbers.keys()].filter((at) => at % 3 !== 0)
      const placeOf = (at: number) => ({
        isLatest: true,
        ref: 'v1',
        repository: `r${(at * 7) % 11}`,
        path: `${at}`,
      })
      const ranked = bestFirst(candidates, scores, placeOf, needed)
      const byPlace = (a: number, b: number): number => {
        const [one, other] = [placeOf(a).repository, placeOf(b).repository]
        if (one !== other) return one < other ? -1 : 1
        return String(a) < String(b) ? -1 : 1
      }
      const scoreOf = (at: number): number => scores[at] ?? 0
      const right = candidates.toSorted((a, b) => scoreOf(b) - scoreOf(a) || byPlace(a, b))
      assert.deepEqual(ranked.slice(0, needed), right.slice(0, needed))
      assert.deepEqual(ranked.map(scoreOf), right.slice(0, ranked.length).map(scoreOf))
      assert.ok(ranked.length >= Math.min(needed, candidates.length))
      const all = bestFirst(candidates, scores, placeOf, needed, candidates.length)
      assert.deepEqual(all.slice(0, ranked.length), ranked)
      assert.deepEqual(all.toSorted(), candidates.toSorted())
      const falling = candidates.toSorted((a, b) => scoreOf(b) - scoreOf(a))
      assert.deepEqual(highest(candidates, scores, needed), falling.slice(0, needed))
    }),
  )
})
