import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addTerm, scoreTexts } from './keyword-score.ts'
import type { TextIndex } from './text-index.ts'

const FIELDS = 3
const TERMS = ['a', 'b', 'c']

/** Term -> text -> field -> count; 0 where it does not occur. */
type Occurrences = readonly (readonly (readonly number[])[])[]

function indexOf(occurrences: Occurrences, lengths: readonly number[]): TextIndex {
  const texts = lengths.length / FIELDS
  const means = [0, 1, 2].map((field) => {
    const own = lengths.filter((_, at) => at % FIELDS === field)
    return own.reduce((sum, length) => sum + length, 0) / texts
  })
  return {
    ...{ bound: texts, texts, fields: FIELDS, lengths: Uint16Array.from(lengths), averageLengths: means },
    postings(term) {
      const rows = (occurrences[TERMS.indexOf(term)] ?? []).flatMap((fields, text) =>
        fields.flatMap((count, field) => (count > 0 ? [[text, field, count] as const] : [])),
      )
      const inField = new Uint32Array(FIELDS)
      for (const [, field] of rows) inField[field] = (inField[field] ?? 0) + 1
      return {
        ...{ inField, byFirst: inField, byLast: inField },
        length: rows.length,
        texts: Uint32Array.from(rows, ([text]) => text),
        fields: Uint8Array.from(rows, ([, field]) => field),
        counts: Uint16Array.from(rows, ([, , count]) => count),
      }
    },
    count: () => 0,
    startingWith: () => [],
  }
}

/** What a term gives a text in a field, by the formula alone. */
function gain(index: TextIndex, occurrences: Occurrences, [term, text, field]: readonly number[]): number {
  const rows = occurrences[term ?? 0] ?? []
  const count = rows[text ?? 0]?.[field ?? 0] ?? 0
  if (count === 0) return 0
  const having = rows.filter((fields) => (fields[field ?? 0] ?? 0) > 0).length
  const rarity = Math.log(1 + (index.texts - having + 0.5) / (having + 0.5))
  const share =
    (index.lengths[(text ?? 0) * FIELDS + (field ?? 0)] ?? 0) / (index.averageLengths[field ?? 0] || 1)
  return rarity * (0.5 + (count * 2.2) / (count + 1.2 * (1 - 0.7 + 0.7 * share)))
}

const TEXTS = 6
const counts = fc.array(fc.array(fc.nat(3), { minLength: FIELDS, maxLength: FIELDS }), {
  minLength: TEXTS,
  maxLength: TEXTS,
})

test('a score is what the formula says, for words and for concepts', () => {
  const cases = fc.record({
    occurrences: fc.array(counts, { minLength: TERMS.length, maxLength: TERMS.length }),
    lengths: fc.array(fc.nat(9), { minLength: TEXTS * FIELDS, maxLength: TEXTS * FIELDS }),
    boosts: fc.array(fc.constantFrom(0, 0.5, 1, 3), { minLength: FIELDS, maxLength: FIELDS }),
    isOneWord: fc.boolean(),
  })
  fc.assert(
    fc.property(cases, ({ occurrences, lengths, boosts, isOneWord }) => {
      const index = indexOf(occurrences, lengths)
      const terms = TERMS.map((term, at) => ({
        ...{ term, weight: 1 - at / 4 },
        ...(isOneWord && { source: 'a' }),
      }))
      const given = (term: number, text: number): readonly number[] =>
        boosts.map((boost, field) => boost * (1 - term / 4) * gain(index, occurrences, [term, text, field]))
      const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

      const scores = scoreTexts(index, terms, boosts)
      const added = new Float64Array(TEXTS).fill(1)
      addTerm(added, index, { term: 'b', weight: 0.75, factor: 4 }, boosts)

      for (let text = 0; text < TEXTS; text++) {
        const found = terms.filter((_, at) => sumOf(given(at, text)) > 0).length
        const words = isOneWord ? Math.min(1, found) : found
        const right = words * sumOf(terms.map((_, at) => sumOf(given(at, text))))
        assert.ok(Math.abs((scores[text] ?? 0) - right) < 1e-9)
        assert.ok(Math.abs((added[text] ?? 0) - 1 - 4 * sumOf(given(1, text))) < 1e-9)
      }
    }),
  )
})
