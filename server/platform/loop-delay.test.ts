import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchLoopDelay } from './loop-delay.ts'

it('shows that the loop was held up', async (t) => {
  const delay = watchLoopDelay()
  t.after(() => delay.stop())
  await sleep(30)

  const until = performance.now() + 120
  while (performance.now() < until);
  await sleep(30)

  const { p50, max } = delay.read()
  assert.ok(max >= 80, `${max} ms`)
  assert.ok(p50 <= max)
})
