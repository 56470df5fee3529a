import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindOf } from './directories.ts'

test('directories of examples and tests are examples, also with an underscore before', () => {
  const entry = { path: '.' }
  const kinds = ['.', 'modules/net', 'examples/net', '_examples/net', 'modules/net/_tests', 'example_net']
  assert.deepEqual(
    kinds.map((path) => kindOf(path, entry)),
    ['root', 'submodule', 'example', 'example', 'example', 'submodule'],
  )
})
