import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memorySource, openSectionFile, sectionFileBytes } from './section-file.ts'
import { createTermsWriter, openTermDictionary } from './term-dictionary.ts'

/** So many that look-ups cross the pieces in which blocks are read. */
const TERMS = Array.from(
  { length: 5000 },
  (_, n) => `${'abcdefgh'[n % 8]}${n.toString(36)}${'-'.repeat(n % 9)}`,
)

function dictionaryOf(terms: readonly string[]) {
  const writer = createTermsWriter()
  for (const [at, term] of terms.entries()) {
    writer.add(2 * at, new Map([[term, [1, 0]]]))
    if (at % 3 === 0) writer.add(2 * at + 1, new Map([[term, [0, 2]]]))
  }
  return openTermDictionary(openSectionFile(memorySource(sectionFileBytes({}, writer.sections()))))
}

test('each term is found, and those with a beginning are just these, in order', () => {
  const dictionary = dictionaryOf(TERMS)
  const startingWith = (prefix: string) => [...dictionary.startingWith(prefix)].map(({ term }) => term)

  for (const term of TERMS) assert.equal(dictionary.find(term)?.term, term)
  assert.equal(dictionary.find('zebra'), undefined)
  for (const prefix of ['', 'a', 'c1', 'h3', 'b', 'zz', '0'])
    assert.deepEqual(startingWith(prefix), TERMS.filter((term) => term.startsWith(prefix)).sort())
})

test('terms of other sizes and rarer ones are passed over, and what is given has its own postings', () => {
  const dictionary = dictionaryOf(TERMS)
  const wanted = { leastTexts: 2, leastBytes: 5, mostBytes: 7 }

  const found = [...dictionary.startingWith('d', wanted)]

  const expected = TERMS.filter((term, at) => at % 3 === 0 && /^d.{4,6}$/.test(term)).sort()
  assert.ok(expected.length > 50)
  assert.deepEqual(
    found.map(({ term }) => term),
    expected,
  )
  const isEven = (bytes: Uint8Array, length: number) => (bytes[length - 1] ?? 0) % 2 === 0
  assert.deepEqual(
    Array.from(dictionary.startingWith('d', { ...wanted, isLikely: isEven }), ({ term }) => term),
    expected.filter((term) => isEven(Buffer.from(term), term.length)),
  )
  for (const entry of found.slice(0, 20)) assert.deepEqual(entry, dictionary.find(entry.term))
})
