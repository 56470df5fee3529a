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
