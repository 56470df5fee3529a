import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leftOf, timeFromNow } from './hook-limit.ts'

const LIMITS = { totalMs: 1800, wallMs: 8000 }

test('a hook that waits or computes has its own limit, and one that the machine does not run has that of the clock', () => {
  const cases = [
    ['nothing yet', { wallMs: 0, idleMs: 0, cpuMs: 0 }, 1800],
    ['a git that hangs', { wallMs: 1800, idleMs: 1500, cpuMs: 300 }, 0],
    ['a store too large', { wallMs: 1800, idleMs: 0, cpuMs: 1800 }, 0],
    ['a machine with a tenth to spare', { wallMs: 3000, idleMs: 100, cpuMs: 300 }, 1400],
    ['threads beside the main one', { wallMs: 900, idleMs: 100, cpuMs: 1700 }, 900],
    ['a machine without any', { wallMs: 7900, idleMs: 0, cpuMs: 100 }, 100],
    ['past the clock', { wallMs: 8100, idleMs: 0, cpuMs: 100 }, -100],
  ] as const

  for (const [name, spent, left] of cases) assert.equal(leftOf(spent, LIMITS), left, name)
})

test('only what is spent from a moment on counts', () => {
  let now = { wallMs: 100, idleMs: 50, cpuMs: 40 }
  const spent = timeFromNow(() => now)
  now = { wallMs: 400, idleMs: 60, cpuMs: 90 }

  assert.deepEqual(spent(), { wallMs: 300, idleMs: 10, cpuMs: 50 })
})
