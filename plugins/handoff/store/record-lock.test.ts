import { testLockConformance } from '../../../server/platform/testing/lock-conformance.ts'
import { takeLock } from '../../../server/plugin.ts'
import { layoutOf } from './layout.ts'
import { recordLock } from './record-lock.ts'

const layout = layoutOf('/project', '/store')

testLockConformance({
  name: 'the lock of a record',
  path: '/store/.locks/record.1',
  folders: [layout.temps],
  take: ({ disk, processes, now }) => takeLock({ ...recordLock({ disk, layout, now }, 'record'), processes }),
})
