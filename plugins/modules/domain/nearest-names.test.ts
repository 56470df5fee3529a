import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestRefs, spellingsOf } from './nearest-names.ts'

test('the nearest of a version share its first numbers, the newest first; of a name they are spelt alike', () => {
  const refs = ['main', 'v1.6.0', 'v2.6.0', 'v5.0.0', 'v6.0.0', 'v6.6.0', 'v6.6.1', 'v6.10.0']

  assert.deepEqual(nearestRefs('v6.6.6', refs), ['v6.6.1', 'v6.6.0', 'v6.10.0'])
  assert.deepEqual(nearestRefs('6.6.6', refs), ['v6.6.1', 'v6.6.0', 'v6.10.0'])
  assert.deepEqual(nearestRefs('v3.6.0', refs).slice(0, 2), ['v1.6.0', 'v2.6.0'])
  assert.deepEqual(nearestRefs('mian', refs), ['main'])
})

test('a version may be written with and without its "v"; a name has one spelling', () => {
  assert.deepEqual(spellingsOf('1.2.0'), ['1.2.0', 'v1.2.0'])
  assert.deepEqual(spellingsOf('v1.2.0'), ['v1.2.0', '1.2.0'])
  assert.deepEqual(spellingsOf('main'), ['main'])
  assert.deepEqual(spellingsOf('refs/tags/v1.2.0'), ['refs/tags/v1.2.0'])
})
