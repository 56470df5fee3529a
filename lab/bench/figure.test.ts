import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figureOf, gatedOn, keeps, limitFigure } from './figure.ts'
import { REFERENCE_BARE_MS, slownessOf } from './machine.ts'

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

test('on a slow machine the gate of a limit in milliseconds is wider, and nothing else', () => {
  const time = limitFigure({ name: 'a', what: 'a', unit: 'ms', ours: 1, limit: 10 })
  const memory = limitFigure({ name: 'a', what: 'a', unit: 'MiB', ours: 1, limit: 10 })
  const ratio = figureOf({
    name: 'a',
    what: 'a',
    unit: 'ms',
    ours: 1,
    against: 10,
    against_what: 'b',
    goal: 1,
  })

  const on = (slowness: number) =>
    [time, memory, ratio].map((figure) => {
      const { goal, gate } = gatedOn(figure, slowness)
      return [goal, gate]
    })

  assert.deepEqual(on(1), [
    [1, 2],
    [1, 2],
    [1, 2],
  ])
  assert.deepEqual(on(1.5), [
    [1, 3],
    [1, 2],
    [1, 2],
  ])
})

test('a machine is at least as slow as the reference, at most three times, by the median', () => {
  const times = (...of: number[]) => of.map((one) => one * REFERENCE_BARE_MS)

  assert.equal(slownessOf(times(0.5, 0.6, 0.7)), 1)
  assert.equal(slownessOf(times(1.2, 9, 1.5)), 1.5)
  assert.equal(slownessOf(times(8, 9, 10)), 3)
})
