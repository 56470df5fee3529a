import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepRecent } from './recent.ts'

test('what was used last is kept, and what was not used for longest is made again', () => {
  const made: string[] = []
  const recent = keepRecent<string, string>(2)
  const get = (key: string): string =>
    recent.get(key, () => {
      made.push(key)
      return key.toUpperCase()
    })

  const values = ['a', 'b', 'a', 'c', 'a', 'b'].map(get)

  assert.deepEqual(values, ['A', 'B', 'A', 'C', 'A', 'B'])
  assert.deepEqual(made, ['a', 'b', 'c', 'b'])
})
