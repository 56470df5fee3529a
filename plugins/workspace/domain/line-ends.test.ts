import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeBeforeLf, soleLineEnd, withLineEndsOf } from './line-ends.ts'

test('a text takes the line ends of a document that has one kind, and no others', () => {
  const cases: readonly (readonly [document: string, given: string, got: string])[] = [
    ['a\r\nb\r\n', 'x\ny\n', 'x\r\ny\r\n'],
    ['a\r\nb\r\n', 'x\ny\r\n', 'x\r\ny\r\n'],
    ['a\nb\n', 'x\r\ny', 'x\ny'],
    ['a\r\nb\n', 'x\ny\r\n', 'x\ny\r\n'],
    ['one line', 'x\r\ny', 'x\r\ny'],
    ['\nb\r\n', 'x\r\n', 'x\r\n'],
  ]
  for (const [document, given, got] of cases) assert.equal(withLineEndsOf(document, given), got)
  assert.equal(soleLineEnd('\r\n\r\n'), '\r\n')
})

test('a place in the text with LF is the place of the same character before', () => {
  const mixed = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(mixed, fc.nat(40), (text, wish) => {
      const lf = text.replaceAll('\r\n', '\n')
      const at = Math.min(wish, lf.length)

      assert.equal(text.slice(0, placeBeforeLf(text, at)).replaceAll('\r\n', '\n'), lf.slice(0, at))
    }),
  )
})
