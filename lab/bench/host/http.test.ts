import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureStalledReaders, measureSubscriberBytes } from './http.ts'

/** What does not depend on how busy the machine is; ratios of time are held by `satchel bench --gate`. */
describe('figures of the HTTP door', () => {
  it('a subscriber costs at most 25 KB', async () => {
    const bytes = await measureSubscriberBytes()

    assert.ok(bytes <= 25 * 1024, `${bytes} bytes`)
  })

  it('readers that never read fall behind alone: all others get every event', async () => {
    const { whole, lagged } = await measureStalledReaders({ subscribers: 20, stalled: 3, events: 4000 })

    assert.deepEqual([whole, lagged], [17, 3])
  })
})
