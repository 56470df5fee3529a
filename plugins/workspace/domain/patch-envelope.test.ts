import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filePatches } from './patch-envelope.ts'

const patch = (...body: readonly string[]): string =>
  ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n')
const after = (text: string, ...body: readonly string[]) =>
  filePatches(patch('*** Update File: plan.md', ...body))[0]?.apply(text)

test('a patch changes the lines that occur once, with LF and CRLF', () => {
  assert.equal(after('a\nb\nc\n', '@@', ' a', '-b', '+B', ' c'), 'a\nB\nc\n')
  assert.equal(after('a\r\nb\r\n', '@@ a', '-b', '+B', '+C'), 'a\r\nB\r\nC\r\n')
  assert.equal(after('a\nb\nc\n', '@@', '-a', '@@', ' c', '+d', '*** End of File'), 'b\nc\nd\n')
})

test('a patch that does not fit, fits twice, removes or renames a file gives no text', () => {
  assert.equal(after('a\n', '@@', '-x', '+y'), undefined)
  assert.equal(after('a\na\n', '@@', '-a', '+y'), undefined)
  assert.equal(after('a\n', '*** Move to: other.md', '@@', '-a', '+y'), undefined)
  assert.equal(after('a\n', '@@', '+y'), undefined)
  assert.equal(filePatches(patch('*** Delete File: plan.md'))[0]?.apply('a\n'), undefined)
})

test('each file of a patch is named, a new one with its text; any other text is not a patch', () => {
  const found = filePatches(
    patch('*** Add File: new.md', '+one', '+two', '*** Update File: plan.md', '-a', '+b'),
  )
  assert.deepEqual(
    found.map(({ path }) => path),
    ['new.md', 'plan.md'],
  )
  assert.equal(found[0]?.apply(''), 'one\ntwo\n')
  for (const text of ['', 'rm -rf x', '*** Begin Patch', '*** End Patch\n*** Begin Patch'])
    assert.deepEqual(filePatches(text), [])
})
