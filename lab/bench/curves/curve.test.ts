import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { keeps } from '../figure.ts'
import { curveFigure, exponentOf } from './curve.ts'

const SIZES = [10, 100, 1000, 10_000]

function pointsOf(cost: (size: number) => number) {
  return SIZES.map((size) => ({ size, cost: cost(size) }))
}

test('the exponent of a power is the power for any factor', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -2, max: 3, noNaN: true }),
      fc.integer({ min: 1, max: 1000 }),
      (power, factor) => {
        const found = exponentOf(pointsOf((size) => factor * size ** power))
        assert.ok(Math.abs(found - power) < 1e-9, `${found} of ${power}`)
      },
    ),
  )
})

test('points without a cost are left out, and one size has no exponent', () => {
  assert.equal(exponentOf([...pointsOf((size) => size), { size: 5, cost: 0 }]).toFixed(6), '1.000000')
  assert.ok(Number.isNaN(exponentOf([{ size: 5, cost: 1 }])))
})

test('a curve is judged by its exponent, and one that cannot be measured keeps nothing', () => {
  const judged = (cost: (size: number) => number, goal: number) => {
    const figure = curveFigure({ name: 'a', what: 'a', unit: 'ms', points: pointsOf(cost), goal })
    return [keeps(figure, 'goal'), keeps(figure, 'gate')]
  }
  assert.deepEqual(
    judged(() => 7, 0.1),
    [true, true],
  )
  assert.deepEqual(
    judged((size) => 7 * size ** 0.2, 0.1),
    [false, true],
  )
  assert.deepEqual(
    judged((size) => size, 0.1),
    [false, false],
  )
  assert.deepEqual(
    judged((size) => size, 1),
    [true, true],
  )
  assert.deepEqual(
    judged((size) => size ** 2, 1),
    [false, false],
  )
  assert.deepEqual(
    judged(() => 0, 1),
    [false, false],
  )
})
