import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeBeforeLf, soleLineEnd, withLineEndsLike, withLineEndsOf } from './line-ends.ts'

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

test('a text that replaces one with both kinds changes no line end but those of lines that are new', () => {
  const cases: readonly (readonly [replaced: string, given: string, got: string])[] = [
    ['a\r\nb\nc\r\n', 'a\nx\nb\nc\n', 'a\r\nx\r\nb\nc\r\n'],
    ['a\r\nb\nc\r\n', 'a\nb\nc\n', 'a\r\nb\nc\r\n'],
    ['a\r\nb\nc', 'b\nc', 'b\nc'],
    ['a\r\nb\nc\r\nd', 'c\nb\na\nd', 'c\r\nb\na\r\nd'],
    ['a\r\na\nb\n', 'x\na\nb\n', 'x\r\na\nb\n'],
    ['a\r\nb\n', 'a\nb\r\n', 'a\nb\r\n'],
    ['a\r\nb\r\n', 'x\ny', 'x\r\ny'],
    ['a\r\nb\n', '', ''],
  ]
  for (const [replaced, given, got] of cases) assert.equal(withLineEndsLike(replaced, given), got)
})

test('a text of any line ends that comes back with LF is the same text', () => {
  const mixed = fc.array(fc.constantFrom('a', 'b', '', '\n', '\r\n')).map((parts) => parts.join(''))
  fc.assert(
    fc.property(mixed, (text) => {
      fc.pre(text.includes('\n'))
      assert.equal(withLineEndsLike(text, text.replaceAll('\r\n', '\n')), text)
    }),
  )
})
