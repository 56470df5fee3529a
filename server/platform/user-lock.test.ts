import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { systemProcesses } from './process-liveness.ts'
import { takeLock } from './process-lock.ts'
import { testLockConformance } from './testing/lock-conformance.ts'
import { type Exclusive, userLock, withUserLock } from './user-lock.ts'

// The lock of the tokens, of a setup and of a restore.
testLockConformance({
  name: 'the lock of a user',
  path: '/state/tokens.lock.1',
  take: (setting) => takeLock({ ...userLock('/state/tokens.lock'), ...setting }),
})

async function exclusiveIn(t: TestContext, below: string): Promise<Exclusive> {
  const folder = await temporaryFolder(t)
  writeFileSync(join(folder, 'file'), '')
  return {
    path: join(folder, below, 'x.lock'),
    waitMs: 0,
    held: (pid) => new Error(`held by ${pid}`),
    failed: (error) => new Error(`failed: ${error}`),
  }
}

test('work of a user is done alone, also after work that failed', async (t) => {
  const exclusive = await exclusiveIn(t, 'made/for/it')

  const outcome = await withUserLock(exclusive, async () => {
    await assert.rejects(
      withUserLock(exclusive, async () => 'second'),
      { message: `held by ${systemProcesses.self.pid}` },
    )
    return 'first'
  })
  const failure = new Error('the work failed')
  await assert.rejects(
    withUserLock(exclusive, () => Promise.reject(failure)),
    failure,
  )

  assert.equal(outcome, 'first')
  assert.equal(await withUserLock(exclusive, async () => 'third'), 'third')
})

test('a folder that cannot be made is the error of the lock, and the work is not begun', async (t) => {
  const exclusive = await exclusiveIn(t, 'file/in-a-file')

  await assert.rejects(
    withUserLock(exclusive, () => assert.fail('begun')),
    { message: /^failed: E(NOTDIR|EXIST)$/ },
  )

  assert.deepEqual(readdirSync(join(exclusive.path, '../../..')), ['file'])
})
