import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createPostingsReader } from './postings.ts'
import { createPostingsPool } from './postings-pool.ts'

const FIELDS = 13

test('each term has the postings that were added, few or many, in any order', () => {
  const counts = fc.dictionary(fc.constantFrom('0', '1', '5', '12'), fc.integer({ min: 1, max: 70_000 }), {
    minKeys: 1,
  })
  const addition = fc.record({
    term: fc.integer({ min: 0, max: 7 }),
    gap: fc.constantFrom(1, 2, 127, 128, 20_000),
    counts,
  })
  fc.assert(
    fc.property(fc.array(addition, { maxLength: 400 }), (additions) => {
      const pool = createPostingsPool()
      const terms = Array.from({ length: 8 }, () => pool.open())
      const expected = terms.map((): (readonly [number, number, number])[] => [])
      let text = 0
      for (const { term, gap, counts: given } of additions) {
        text += gap
        const byField = Array.from({ length: FIELDS }, (_, field) => given[String(field)] ?? 0)
        pool.add(terms[term] ?? 0, text, byField)
        for (const [field, count] of byField.entries())
          if (count > 0) expected[term]?.push([text, field, Math.min(count, 0xffff)])
      }
      for (const term of terms) {
        const reader = createPostingsReader(1)
        const bound = text + 1
        reader.add(pool.bytes(term).slice(), { isIn: new Uint8Array(bound).fill(1), bound }, 0)
        const { length, texts, fields, counts: read } = reader.finish()
        const found = Array.from({ length }, (_, at) => [texts[at], fields[at], read[at]])
        assert.deepEqual(found, expected[term])
        assert.equal(pool.texts(term), new Set(expected[term]?.map(([one]) => one)).size)
      }
    }),
    { numRuns: 60 },
  )
})

test('more bytes than fit in one piece of memory are found again', () => {
  const pool = createPostingsPool()
  const terms = Array.from({ length: 3000 }, () => pool.open())
  for (let text = 0; text < 400; text++) for (const term of terms) pool.add(term, text, [term % 3, 1])
  for (const term of terms.filter((one) => one % 97 === 0)) {
    const bytes = pool.bytes(term)
    assert.equal(pool.texts(term), 400)
    assert.equal(bytes.length, 400 * (term % 3 === 0 ? 3 : 4))
  }
})
