import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { until } from '../../test/harness/until.ts'
import { startZombie } from '../../test/harness/zombie.ts'
import { isZombie, processStart } from './process-liveness.ts'

test('a process that ended is not alive, also while its parent has not reaped it', async (t) => {
  if (!existsSync('/proc/self/stat')) return t.skip('NO /proc: ended processes cannot be told apart here')
  const pid = await startZombie(t)
  await until(() => isZombie(pid))

  assert.ok(process.kill(pid, 0), 'a signal still finds it')
  assert.deepEqual([isZombie(pid), processStart(pid)], [true, undefined])
  assert.deepEqual([isZombie(process.pid), typeof processStart(process.pid)], [false, 'string'])
})
