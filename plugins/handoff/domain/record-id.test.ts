import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idIn, nearIds } from './record-id.ts'

const A = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f'
const B = '0198c0de-7a3b-7c12-8a2e-5b6f0c1d9e3f'
const FAR = '0298aaaa-1111-7222-8333-444455556666'

test('ids near a mistyped one are those with most of its digits, the nearest first', () => {
  const cases: readonly [string, readonly string[]][] = [
    [A.replace('2e3f', '2e30'), [A, B]],
    [A.slice(-8).replace('0c', '0d'), [A, B]],
    ['0298C0DF', [A, B]],
    ['0c1d2e4f', [A, B]],
    ['0000', []],
    ['latest', []],
    ['', []],
    [`${A}${A}`, []],
  ]

  for (const [given, near] of cases)
    assert.deepEqual(nearIds(given, [FAR, B, A]).toSorted(), near.toSorted(), given)
  assert.deepEqual(nearIds(A.replace('2e3f', '2e30'), [FAR, B, A]), [A, B])
})

test('at most five near ids are named', () => {
  const ids = Array.from({ length: 9 }, (_, n) => `${A.slice(0, -1)}${n}`)

  assert.equal(nearIds(A, ids).length, 5)
})

test('an id is taken as a list, a link or a file shows it', () => {
  const shown = [
    A,
    ` ${A}\n`,
    `handoff://${A}`,
    `handoff://${A}/brief`,
    `${A}.json`,
    `.handoffs/records/${A}.json`,
  ]
  for (const given of shown) assert.equal(idIn(given), A, given)
  for (const given of ['…0c1d2e3f', '...0c1d2e3f', '0c1d2e3f…', '0c1d2e3f'])
    assert.equal(idIn(given), '0c1d2e3f', given)
  assert.equal(idIn('handoff://'), 'handoff://')
})
