import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createRateLimit } from './rate-limit.ts'

it('a caller gets its rate and a burst, others are not affected, and the wait that is named is enough', () => {
  let now = 0
  const rate = createRateLimit(5, () => now)
  const taken = (caller: string, count: number): number =>
    Array.from({ length: count }, () => rate.take(caller)).filter((wait) => wait === 0).length

  assert.equal(taken('a', 100), 10)
  assert.equal(taken('b', 3), 3)
  const wait = rate.take('a')
  now += wait * 1000 - 1
  assert.ok(rate.take('a') > 0)
  now += 2
  assert.equal(rate.take('a'), 0)
  now += 60_000
  assert.equal(taken('a', 100), 10)
})

it('a flood of callers is forgotten', () => {
  const rate = createRateLimit(1, () => 0)
  for (let index = 0; index < 30_000; index++) rate.take(`caller-${index}`)
  assert.equal(rate.take('caller-0'), 0)
})
