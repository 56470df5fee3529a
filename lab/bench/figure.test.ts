import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figureOf, keeps } from './figure.ts'

test('a figure is judged by its goal and, half as strictly, by its gate', () => {
  const figure = (ours: number, sense: 'at_most' | 'at_least') =>
    figureOf({ name: 'a', what: 'a', unit: 'ms', ours, against: 10, against_what: 'b', goal: 2, sense })

  assert.deepEqual(
    [20, 21, 40, 41].map((ours) => [
      keeps(figure(ours, 'at_most'), 'goal'),
      keeps(figure(ours, 'at_most'), 'gate'),
    ]),
    [
      [true, true],
      [false, true],
      [false, true],
      [false, false],
    ],
  )
  assert.deepEqual(
    [20, 19, 10, 9].map((ours) => [
      keeps(figure(ours, 'at_least'), 'goal'),
      keeps(figure(ours, 'at_least'), 'gate'),
    ]),
    [
      [true, true],
      [false, true],
      [false, true],
      [false, false],
    ],
  )
})
