import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { testLockConformance } from '../../../server/platform/testing/lock-conformance.ts'
import { realDisk, takeLock } from '../../../server/plugin.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { ingestLock, takeFreeIngestLock, takeIngestLock } from './ingest-lock.ts'

// The lock of an output folder and of the store of clones.
testLockConformance({
  name: 'the lock of an ingest',
  path: '/out/.locks/ingest.lock.1',
  take: (setting) => takeLock({ ...ingestLock('/out/ingest.lock'), ...setting }),
})

test('an ingest waits for a search that keeps its index; a search does not wait', async (t) => {
  const path = join(await temporaryFolder(t), 'ingest.lock')
  const brief = await takeFreeIngestLock(path, realDisk)
  const waiting = takeIngestLock(path)

  assert.equal(await takeFreeIngestLock(path, realDisk), undefined)
  await wait(20)
  await brief?.release()

  const lock = await waiting
  assert.equal(await takeFreeIngestLock(path, realDisk), undefined)
  await assert.rejects(takeIngestLock(path), { reason: 'ingest_running' })
  await lock.release()
})
