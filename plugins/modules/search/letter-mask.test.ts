import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { letterMask, mayBeNear, nearBytes } from './letter-mask.ts'

const word = fc.string({ unit: fc.constantFrom(...'abcdeXYZ019é-'), minLength: 1, maxLength: 12 })
const edit = fc.record({
  at: fc.nat(12),
  kind: fc.constantFrom('insert', 'remove', 'replace', 'exchange'),
  letter: word,
})

test('words that are few edits apart are never passed over', () => {
  fc.assert(
    fc.property(word, fc.array(edit, { maxLength: 3 }), (first, edits) => {
      const second = edits.reduce(edited, first)
      assert.ok(mayBeNear(letterMask(first), letterMask(second), edits.length))
    }),
  )
})

test('words that share few letters are passed over', () => {
  assert.equal(mayBeNear(letterMask('kubernetes'), letterMask('balancing'), 2), false)
  assert.equal(mayBeNear(letterMask('abc'), letterMask('abd'), 0), false)
  assert.equal(mayBeNear(letterMask('abc'), letterMask('cab'), 0), true)
})

test('a word is passed over by its bytes as by its letters; one that is not of ASCII never is', () => {
  fc.assert(
    fc.property(word, word, fc.nat(3), (first, second, edits) => {
      const bytes = Buffer.from(`${second} and what was there before`)
      const isNear = nearBytes(letterMask(first), edits)(bytes, Buffer.byteLength(second))
      assert.equal(isNear, second.includes('é') || mayBeNear(letterMask(first), letterMask(second), edits))
    }),
  )
})

interface Edit {
  readonly at: number
  readonly kind: string
  readonly letter: string
}

function edited(text: string, { at, kind, letter }: Edit): string {
  const place = at % (text.length + 1)
  const [before, after] = [text.slice(0, place), text.slice(place)]
  const [one = ''] = letter
  if (kind === 'insert') return before + one + after
  if (kind === 'remove') return before + after.slice(1)
  if (kind === 'replace') return after === '' ? text : before + one + after.slice(1)
  return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)
}
