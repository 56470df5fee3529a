import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withPatch } from '../../domain/edit.ts'
import { patchBetween } from './text-patch.ts'

test('the patch of any change makes the one text of the other, with its line ends and its missing last one', () => {
  const lines = fc.array(
    fc.constantFrom('- [ ] one', '- [x] one', 'a', '', '\\ No newline', '--- a', '+b', '@@'),
    {
      maxLength: 12,
    },
  )
  const text = fc.tuple(lines, fc.constantFrom('\n', '\r\n')).map(([parts, end]) => parts.join(end))

  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after)
      assert.deepEqual(withPatch(before, patchBetween(before, after) ?? ''), { kind: 'edited', text: after })
    }),
  )
})

test('a changed line among thousands that read alike is changed in its place, and little is sent', () => {
  const line = '- [ ] the same\n'
  const before = line.repeat(9000)
  const at = line.length * 7000
  const after = `${before.slice(0, at)}- [x] the same\n${before.slice(at + line.length)}`

  const patch = patchBetween(before, after) ?? ''

  assert.deepEqual(withPatch(before, patch), { kind: 'edited', text: after })
  assert.ok(patch.length < 500, `${patch.length}`)
})

test('where too much changed there is no patch', () => {
  const text = (word: string) => Array.from({ length: 2000 }, (_, at) => `${word} ${at}`).join('\n')

  assert.equal(patchBetween(text('a'), text('b')), undefined)
})
