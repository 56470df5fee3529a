import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../domain/limits.ts'
import { createRate } from './rate.ts'

test('600 calls a minute are taken from one session and the next is told when to come again', () => {
  let now = 0
  const rate = createRate(LIMITS.callsPerMinute, () => now)
  for (let call = 0; call < LIMITS.callsPerMinute; call += 1) rate.count('ssn_a')

  assert.throws(() => rate.count('ssn_a'), { code: 'rate_limited', reason: 'limit_exceeded' })
  rate.count('ssn_b')
  now = 60_000
  rate.count('ssn_a')
})
