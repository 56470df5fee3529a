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

test('values of many sizes make room until the rest fits; one that does not fit is kept until the next one', () => {
  const made: number[] = []
  const recent = keepRecent<number, number>(10, (size) => size)
  const get = (size: number): number =>
    recent.get(size, () => {
      made.push(size)
      return size
    })

  for (const size of [4, 5, 4, 3, 4, 5, 20, 20, 4]) get(size)

  assert.deepEqual(made, [4, 5, 3, 5, 20, 4])
})
