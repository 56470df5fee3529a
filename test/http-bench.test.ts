import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  measureBodyLimit,
  measureFanOut,
  measurePublish,
  measureStalledReaders,
  measureSubscriberBytes,
} from '../server/bench/http.ts'

/** The best of three small runs: a neighbour on the machine may spoil one, not a design. */
async function best(measure: () => Promise<number>): Promise<number> {
  const seen: number[] = []
  for (let run = 0; run < 3; run++) seen.push(await measure())
  return Math.max(...seen)
}

describe('figures of the HTTP door', () => {
  it('the capped reader costs little beside no limit (the goal is measured by satchel bench)', async () => {
    const ratio = await best(async () => (await measureBodyLimit(4000)).ratio)

    assert.ok(ratio >= 0.4, `ratio ${ratio.toFixed(2)}`)
  })

  it('the pump makes a multiple of the deliveries of one write per event', async () => {
    const { ratio } = await measureFanOut(300, 320)

    assert.ok(ratio >= 2, `ratio ${ratio.toFixed(1)}`)
  })

  it('one event does not hold its publisher up, and a subscriber costs at most 25 KB', async () => {
    const { medianMs } = await measurePublish(1000, 20)
    const bytes = await measureSubscriberBytes(500)

    assert.ok(medianMs < 25, `${medianMs} ms`)
    assert.ok(bytes <= 25 * 1024, `${bytes} bytes`)
  })

  it('readers that never read fall behind alone: all others get every event', async () => {
    const { whole, lagged } = await measureStalledReaders(20, 3, 4000)

    assert.deepEqual([whole, lagged], [17, 3])
  })
})
