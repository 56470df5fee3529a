import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withPatch } from './edit.ts'

test('a patch whose stated line is wrong is applied where its lines occur', () => {
  const text = 'a\nb\nc\n'
  const patch = (start: string) => `@@ -${start},2 +1,2 @@\n a\n-b\n+x\n`

  for (const start of ['1', '3', '0', '999', '11111111111111111111']) {
    assert.deepEqual(withPatch(text, patch(start)), { kind: 'edited', text: 'a\nx\nc\n' }, start)
  }
})

test('a patch whose lines are nowhere is refused, also behind a line that no document has', () => {
  for (const start of ['1', '11111111111111111111']) {
    assert.deepEqual(withPatch('other\n', `@@ -${start},2 +1,2 @@\n a\n-b\n+c\n`), { kind: 'unfit' }, start)
  }
})

test('a patch whose hunks state wrong numbers of lines is applied by the lines that it has', () => {
  const text = 'a\nb\nc\nd\ne\n'
  const patch = (first: string, second: string) =>
    `@@ ${first} @@\n a\n-b\n+x\n+y\n@@ ${second} @@\n d\n-e\n+z\n`

  for (const [first, second] of [
    ['-1,2 +1,3', '-4,2 +5,2'],
    ['-1,3 +1,3', '-4,2 +5,2'],
    ['-1 +1', '-4,9 +5,1'],
    ['-1,7 +1,9', '-4 +5'],
  ] as const) {
    const patched = withPatch(text, patch(first, second))
    assert.deepEqual(patched, { kind: 'edited', text: 'a\nx\ny\nc\nd\nz\n' }, `${first}; ${second}`)
  }
})

test('a patch with wrong numbers keeps the blanks and the line ends that it has', () => {
  const patch = '@@ -1,5 +1,5 @@\n a\n-b\n+x  \n\n'
  const crlf = (text: string): string => text.replaceAll('\n', '\r\n')

  assert.deepEqual(withPatch('a\nb\n', patch), { kind: 'edited', text: 'a\nx  \n' })
  for (const sent of [patch, crlf(patch)])
    assert.deepEqual(withPatch(crlf('a\nb\n'), sent), { kind: 'edited', text: crlf('a\nx  \n') })
})

test('a patch of two files is refused, also with wrong numbers', () => {
  const two = '--- a\n+++ a\n@@ -1,9 +1,9 @@\n-a\n+b\n--- c\n+++ c\n@@ -1 +1 @@\n-c\n+d\n'

  assert.deepEqual(withPatch('a\nc\n', two), { kind: 'unfit' })
})

test('a hunk without a line of the text is placed only where its header agrees', () => {
  const [text, added] = ['a\nb\nc\n', '\n+new\n']

  // Whether the stated line is the one before or the one behind is not known.
  for (const numbers of ['-2 +2,2', '-2,4 +2,5'])
    assert.deepEqual(withPatch(text, `@@ ${numbers} @@${added}`), { kind: 'unfit' }, numbers)
  for (const numbers of ['-2,0 +3', '-2,0 +3,9'])
    assert.deepEqual(withPatch(text, `@@ ${numbers} @@${added}`), { kind: 'edited', text: 'a\nb\nnew\nc\n' })
})
