import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance, nearest } from './nearest.ts'

test('the nearest name has the fewest wrong letters; two exchanged ones are one', () => {
  assert.equal(nearest('tpoics', ['topic', 'topics', 'tropics']), 'topics')
  assert.equal(nearest('lsit', ['lift', 'list', 'last']), 'list')
  assert.equal(nearest('ad', ['da']), 'da')
  assert.equal(nearest('Status', ['status']), 'status')
  assert.equal(nearest('abc', ['xyz']), undefined)
})

test('a distance counts until it is above the most that is asked for', () => {
  assert.deepEqual(
    [
      ['', ''],
      ['abc', ''],
      ['', 'abc'],
      ['abc', 'acb'],
      ['kitten', 'sitting'],
      ['ca', 'abc'],
    ].map(([a = '', b = '']) => editDistance(a, b)),
    [0, 3, 3, 1, 3, 3],
  )
  assert.equal(editDistance('kitten', 'sitting', 1), 2)
})
