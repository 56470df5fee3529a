import { testLockConformance } from '../../../server/platform/testing/lock-conformance.ts'
import { takeLock } from '../../../server/plugin.ts'
import { ingestLock } from './ingest-lock.ts'

// The lock of an output folder and of the store of clones.
testLockConformance({
  name: 'the lock of an ingest',
  path: '/out/.locks/ingest.lock.1',
  take: (setting) => takeLock({ ...ingestLock('/out/ingest.lock'), ...setting }),
})
