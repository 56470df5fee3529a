import { testLockConformance } from '../../../server/platform/testing/lock-conformance.ts'
import { realClock, realRandom } from './clock.ts'
import { takeRoomLock } from './room-lock.ts'

testLockConformance({
  name: 'the lock of a room',
  path: '/room/lock-1',
  take: ({ disk, processes, now }) =>
    takeRoomLock({
      disk,
      clock: { ...realClock, nowMs: now },
      random: realRandom,
      sidecar: '/room',
      surroundings: { ...processes, accepts: async () => false },
      rank: 'stdio',
      socket: '/room/socket',
    }),
})
