import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harnessEdit } from './harness-edit.ts'

const edited = (tool_input: object, text = 'one two two') =>
  harnessEdit({ cwd: '/x', tool_name: 'Edit', tool_input: { file_path: 'plan.md', ...tool_input } })?.apply(
    text,
  )

test('an edit, several edits, a replacement of all and a whole text are what the harness would write', () => {
  assert.equal(edited({ old_string: 'one', new_string: '1' }), '1 two two')
  assert.equal(edited({ old_string: 'two', new_string: '2', replace_all: true }), 'one 2 2')
  assert.equal(edited({ content: 'new' }), 'new')
  assert.equal(
    edited({
      edits: [
        { old_string: 'one', new_string: 'two two' },
        { old_string: 'two two two two', new_string: '$&' },
      ],
    }),
    '$&',
  )
})

test('an edit that the harness itself refuses is none', () => {
  assert.equal(edited({ old_string: 'two', new_string: '2' }), undefined)
  assert.equal(edited({ old_string: 'three', new_string: '3' }), undefined)
  assert.equal(edited({ old_string: '', new_string: '3' }), undefined)
  for (const input of [undefined, 'x', {}, { tool_input: {} }, { tool_input: { file_path: 3 } }]) {
    assert.equal(harnessEdit(input), undefined)
  }
})
