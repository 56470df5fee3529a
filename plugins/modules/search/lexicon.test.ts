import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PREPARED_ASSOCIATIONS, PREPARED_STEMS, PREPARED_WORDS } from '../../../generated/lexicon-phrases.ts'
import builtIn from '../assets/lexicon.json' with { type: 'json' }
import wished from '../assets/wishes.json' with { type: 'json' }
import { beginningOf, createLexicon, type Lexicon } from './lexicon.ts'
import { preparePhrases } from './prepared-phrases.ts'
import { stem } from './stemmer.ts'
import { tokenize } from './tokens.ts'

const NONE = new Set<number>()
const TEXTS = builtIn.groups.flatMap(({ phrases, asks = [] }) => [...phrases, ...asks])

const compiledWhole = (): Lexicon => {
  const lexicon = createLexicon(builtIn.groups, 'whole')
  lexicon.match(tokenize('any text'))
  return lexicon
}

test('a query means the same, whether all phrases are compiled or only those with words like its own', () => {
  const whole = compiledWhole()
  const growing = createLexicon(builtIn.groups, 'growing')
  const queries = TEXTS.flatMap((text, at) => {
    const other = TEXTS[(at * 7919) % TEXTS.length] ?? ''
    return [
      text,
      `${other} without ${text}`,
      text.replaceAll(' ', ''),
      [...text.split(' ')].reverse().join(' '),
    ]
  })
  for (const query of queries) {
    const tokens = tokenize(query)
    assert.deepEqual([...growing.meant(tokens, NONE)], [...whole.meant(tokens, NONE)], query)
  }
})

test('the words of a phrase begin as their stems do', () => {
  const words = new Set([
    ...createLexicon(builtIn.groups, '').words,
    'ays',
    'eyes',
    'sayed',
    'ties',
    'flying',
  ])
  for (const word of words) assert.equal(beginningOf(stem(word)), beginningOf(word), word)
})

test('a word that every text has says no concept', () => {
  for (const word of ['terraform', 'cloud', 'module', 'resource', 'enterprise'])
    assert.deepEqual([...compiledWhole().match(tokenize(word)).keys()], [], word)
})

test('a user may name a built-in concept again, in any spelling', () => {
  const own = [{ id: 'private-network', phrases: ['Ünser VPC-Netz', 's 3 bucket_store'] }]
  const lexicon = createLexicon([...builtIn.groups, ...own], 'own')
  for (const text of own[0]?.phrases ?? [])
    assert.ok(lexicon.meant(tokenize(text), NONE).has('private-network'), text)
})

test('prepared phrases are those that are compiled, with and without concepts of a user', () => {
  const own = [{ id: 'own-concept', phrases: ['zeppelin', 'zeppelin hangar', 'vpc'] }]
  for (const groups of [builtIn.groups, [...builtIn.groups, ...own]]) {
    const plain = createLexicon(groups, '')
    const prepared = createLexicon(groups, '', preparePhrases(builtIn.groups, wished.groups))
    assert.deepEqual([...prepared.words], [...plain.words])
    for (const [at, text] of [...TEXTS, 'zeppelin hangar vpc'].entries()) {
      const tokens = tokenize(
        `${text} without ${TEXTS[(at * 7919) % TEXTS.length]} ${text.replaceAll(' ', '')}`,
      )
      assert.deepEqual([...prepared.meant(tokens, NONE)], [...plain.meant(tokens, NONE)], text)
      assert.deepEqual([...prepared.match(tokens)], [...plain.match(tokens)], text)
    }
  }
})

test('the prepared phrases of the built-in lexicon are those of its file', () => {
  assert.deepEqual(preparePhrases(builtIn.groups, wished.groups), {
    words: PREPARED_WORDS,
    stems: PREPARED_STEMS,
    associations: PREPARED_ASSOCIATIONS,
  })
})
