import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWallClock } from './clock.ts'

test('a machine that slept, or whose clock was set forward, is believed; one set back is not', () => {
  let wall = 1_000_000
  let elapsed = 0
  const now = createWallClock(
    () => wall,
    () => elapsed,
    1_000_000,
  )
  const pass = (wallMs: number, elapsedMs: number): number => {
    wall += wallMs
    elapsed += elapsedMs
    return now()
  }

  const times = [now(), pass(0, 0.25), pass(8 * 3_600_000, 1), pass(-3_600_000, 0.5), pass(0, 2)]

  assert.deepEqual(
    times,
    [0, 0.25, 8 * 3_600_000, 8 * 3_600_000 + 0.5, 8 * 3_600_000 + 2.5].map((ms) => (1_000_000 + ms) * 1000),
  )
})
