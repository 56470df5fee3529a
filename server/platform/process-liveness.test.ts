import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isZombie, processStart } from './process-liveness.ts'

test('a process that ended is not alive, also while its parent has not reaped it', async (t) => {
  if (!existsSync('/proc/self/stat')) return t.skip('NO /proc: ended processes cannot be told apart here')
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 30'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => parent.kill('SIGKILL'))
  const pid = Number((await createInterface({ input: parent.stdout })[Symbol.asyncIterator]().next()).value)
  for (const giveUp = performance.now() + 5000; !isZombie(pid) && performance.now() < giveUp; ) await pause(5)

  assert.ok(process.kill(pid, 0), 'a signal still finds it')
  assert.deepEqual([isZombie(pid), processStart(pid)], [true, undefined])
  assert.deepEqual([isZombie(process.pid), typeof processStart(process.pid)], [false, 'string'])
})
