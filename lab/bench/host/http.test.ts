import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureStalledReaders, measureSubscriberBytes } from './http.ts'

const SUBSCRIBER_LIMIT_BYTES = 25 * 1024 // workspace-engine, "Done means"

/** What does not depend on how busy the machine is; ratios of time are held by `satchel bench --gate`. */
describe('figures of the HTTP door', () => {
  it('a subscriber costs at most 25 KB', async () => {
    const { held } = await measureSubscriberBytes()

    assert.ok(held <= SUBSCRIBER_LIMIT_BYTES, `${held} bytes`)
  })

  it('a subscriber that keeps more is found', async () => {
    const objects = await measureSubscriberBytes(500, () => new Array(SUBSCRIBER_LIMIT_BYTES / 8).fill(0.5))
    const buffers = await measureSubscriberBytes(500, () => Buffer.alloc(SUBSCRIBER_LIMIT_BYTES))

    for (const { held } of [objects, buffers]) assert.ok(held > SUBSCRIBER_LIMIT_BYTES, `${held} bytes`)
  })

  it('readers that never read fall behind alone: all others get every event', async () => {
    const { whole, lagged } = await measureStalledReaders({ subscribers: 20, stalled: 3, events: 4000 })

    assert.deepEqual([whole, lagged], [17, 3])
  })
})
