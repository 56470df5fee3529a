import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQueuePauses } from './queue-pauses.ts'

const NOTHING = { processed: 0, unchanged: 0, empty: 0, failed: 0 }

test('looks at a queue become rare while nothing is read there, and are frequent after a run that read', async () => {
  const waited: number[] = []
  const pauses = createQueuePauses(new AbortController().signal, async (ms) => waited.push(ms))

  for (let look = 0; look < 6; look++) await pauses.next()
  pauses.after({ refs: NOTHING })
  await pauses.next()
  pauses.after({ refs: { ...NOTHING, unchanged: 1 } })
  await pauses.next()

  assert.deepEqual(waited, [20, 40, 80, 160, 320, 320, 320, 20])
})

test('a look at a queue is not waited for by what is to stop', async () => {
  const stop = new AbortController()
  stop.abort()
  const pauses = createQueuePauses(stop.signal)

  for (let look = 0; look < 1_000; look++) await pauses.next()
})
