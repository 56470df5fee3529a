import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileOfReference, pathsOfReference } from './file-reference.ts'
import type { FileFact } from './world-facts.ts'

const FILE: FileFact = { kind: 'file', sha256: 'sha256:00' }
const MISSING: FileFact = { kind: 'missing' }

test('lines at the end of a reference are not part of its path', () => {
  for (const lines of [':2', ':2-5', ':2:7', ':2:7-3:1', '#L2', '#L2-L5', '#L2-5', '#L2C1-L5C9'])
    assert.deepEqual(pathsOfReference(`src/x.ts${lines}`), [`src/x.ts${lines}`, 'src/x.ts'])
  for (const plain of ['src/x.ts', 'a:b', 'x.md#Lines', 'x.ts:2a', 'x.ts:', 'x-2'])
    assert.deepEqual(pathsOfReference(plain), [plain])
  assert.deepEqual(pathsOfReference(''), [])
  assert.deepEqual(pathsOfReference(':2'), [':2'])
})

test('a file of the literal name comes first', () => {
  const both = new Map<string, FileFact>([
    ['a:2', FILE],
    ['a', FILE],
  ])
  assert.equal(fileOfReference('a:2', both)?.path, 'a:2')
  assert.deepEqual(fileOfReference('a:2', new Map([...both, ['a:2', MISSING]])), { path: 'a', fact: FILE })
  assert.equal(fileOfReference('a:2', new Map())?.path, undefined)
})

test('a reference of which no file is there is missing', () => {
  const neither = new Map<string, FileFact>([
    ['a:2', MISSING],
    ['a', MISSING],
  ])
  assert.equal(fileOfReference('a:2', neither)?.fact.kind, 'missing')
})

test('a long reference is read in little time', () => {
  const long = ':1'.repeat(50_000)
  assert.equal(pathsOfReference(`${long}x`).length, 1)
})
