import assert from 'node:assert/strict'
import { createHistogram } from 'node:perf_hooks'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchLoopDelay, worstShare } from './loop-delay.ts'

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

it('takes no single delay of a new window for the 99th percentile', () => {
  const windowOf = (samples: readonly number[]) => {
    const histogram = createHistogram()
    for (const ms of samples) histogram.record((ms + 10) * 1e6)
    return histogram
  }
  const whole = windowOf([...Array.from({ length: 2990 }, () => 1), ...Array.from({ length: 10 }, () => 300)])
  const single = windowOf([800])

  assert.ok(worstShare([single, whole], 99) < 5)
  assert.ok(worstShare([single], 99) >= 799, 'the only window there is counts')
  assert.ok(worstShare([windowOf(Array.from({ length: 1000 }, () => 40)), whole], 99) >= 39)
})
