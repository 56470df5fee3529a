import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cursorOf, keyIn, numberIn, questionName } from './page-cursor.ts'

test('a cursor gives its key back, to its own question only', () => {
  const key = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.integer()), { maxLength: 4 })

  fc.assert(
    fc.property(fc.string(), fc.string(), key, (question, other, parts) => {
      const cursor = cursorOf(
        question,
        parts.map((part) => (typeof part === 'string' ? part.toWellFormed() : part)),
      )

      assert.equal(keyIn(cursor, question)?.length, parts.length)
      if (other !== question) assert.equal(keyIn(cursor, other), undefined)
    }),
  )
})

test('anything else is neither a cursor nor a number', () => {
  for (const cursor of [
    '',
    'nonsense',
    '7',
    cursorOf('q', [-1]),
    cursorOf('q', [1.5]),
    cursorOf('q', ['1']),
    cursorOf('q', [1, 2]),
  ])
    assert.equal(numberIn(cursor, 'q'), undefined, cursor)
  assert.equal(numberIn(cursorOf('q', [0]), 'q'), 0)
  assert.equal(keyIn(cursorOf('q', ['x'.repeat(5000)]), 'q'), undefined)
})

test('a question has one name in any order of its members', () => {
  assert.equal(questionName({ a: 1, b: undefined, c: [2] }), questionName({ c: [2], a: 1 }))
  assert.notEqual(questionName({ a: 1 }), questionName({ a: 2 }))
})
