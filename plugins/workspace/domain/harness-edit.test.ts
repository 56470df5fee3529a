import assert from 'node:assert/strict'
import { test } from 'node:test'
import { harnessEdits } from './harness-edit.ts'

const edited = (tool_input: object, text = 'one two two') =>
  harnessEdits({
    cwd: '/x',
    tool_name: 'Edit',
    tool_input: { file_path: 'plan.md', ...tool_input },
  })[0]?.apply(text)

test('an edit, several edits, a replacement of all and a whole text are what the harness would write', () => {
  assert.equal(edited({ old_string: 'one', new_string: '1' }), '1 two two')
  assert.equal(edited({ old_string: 'two', new_string: '2', replace_all: true }), 'one 2 2')
  assert.equal(edited({ old_string: 'two', new_string: '2', allow_multiple: true }), 'one 2 2')
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
    assert.deepEqual(harnessEdits(input), [])
  }
})

test('a patch of Codex is an edit of each file that it names', () => {
  const command =
    '*** Begin Patch\n*** Update File: plan.md\n@@\n-one\n+1\n*** Add File: b.md\n+b\n*** End Patch'
  const found = harnessEdits({ cwd: '/x', tool_name: 'apply_patch', tool_input: { command } })
  assert.deepEqual(
    found.map(({ path, cwd, apply }) => [path, cwd, apply('one\ntwo\n')]),
    [
      ['plan.md', '/x', '1\ntwo\n'],
      ['b.md', '/x', 'b\n'],
    ],
  )
})

test('an edit of Cursor is read before and after it, in the folder of the project', () => {
  const roots = { cwd: '', workspace_roots: ['/project', '/other'] }
  const call = { path: 'plan.md', contents: 'new' }
  const before = harnessEdits({
    ...roots,
    hook_event_name: 'preToolUse',
    tool_name: 'Write',
    tool_input: call,
  })
  const after = harnessEdits({ ...roots, file_path: '/project/plan.md', edits: [] })

  assert.deepEqual(
    [...before, ...after].map(({ path, cwd }) => [path, cwd]),
    [
      ['plan.md', '/project'],
      ['/project/plan.md', '/project'],
    ],
  )
  assert.equal(before[0]?.apply('old'), 'new')
})
