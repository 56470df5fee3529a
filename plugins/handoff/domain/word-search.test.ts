import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findSecrets } from './secrets.ts'
import { createWordSearch } from './word-search.ts'

const WORDS = ['s.', 'sk', 'sk-', 'sk-ant', 'auth', 'authorization', '://', 'https://', 'a3-', '_mmk']

/** What a look at each place for each word finds. */
function placesOf(text: string): readonly string[] {
  const lower = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return WORDS.flatMap((word) => {
    return Array.from(text, (_, at) => at)
      .filter((at) => lower.startsWith(word, at))
      .map((at) => `${at} ${word}`)
  }).sort()
}

test('a search finds each place of each word, in any case, also in words that go on from others', () => {
  const search = createWordSearch(WORDS.map((word) => [word, word]))
  const part = fc.constantFrom(...WORDS, 'SK-', 'Auth', 'orization', 'http', 's', 'S', ' ', '-', '7', 'aé')
  fc.assert(
    fc.property(fc.array(part, { maxLength: 400 }), (parts) => {
      // A word at the very end may lack the third character by which words of two are found.
      const text = `${parts.join('')} `
      const found: string[] = []
      let last = 0
      search(text, (word, at) => {
        assert.ok(at >= last)
        last = at
        found.push(`${at} ${word}`)
      })
      assert.deepEqual(found.sort(), placesOf(text))
    }),
  )
})

test('a secret behind thousands of mentions is found', () => {
  const value = 'Gk29xLm71Qz8'
  for (const [word, text] of [
    ['token ', `token: ${value}`],
    ['-auth ', `REGISTRY_AUTH=${value}`],
    [' -u a ', `curl -u admin:${value} x`],
    ['https://a ', `https://ada:${value}@example.org`],
    ['api_key ', `api_key = ${value}${value}`],
  ] as const) {
    const all = `${word.repeat(12_000)} ${text} ${word.repeat(12_000)} ${text}`
    assert.equal(findSecrets({ all }).length, 2, word)
  }
})
