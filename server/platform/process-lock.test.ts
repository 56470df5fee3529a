import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../test/harness/temporary-folder.ts'
import { realDisk } from './disk.ts'
import { systemProcesses } from './process-liveness.ts'
import { type LockAttempt, type LockOptions, takeLock } from './process-lock.ts'
import { createSimulatedDisk } from './testing/simulated-disk.ts'

const released = 'marker'

async function folderOf(t: TestContext): Promise<LockOptions> {
  const folder = await temporaryFolder(t)
  return { path: join(folder, 'lock-'), released }
}

const { self } = systemProcesses
const HOLDERS: readonly (readonly [what: string, content: string, kind: LockAttempt['kind']])[] = [
  ['that is empty', '', 'owner'],
  ['of garbage', '\0\xff', 'owner'],
  ['of another JSON', '[1]', 'owner'],
  ['without a process', '{"pid":0,"host":"x"}', 'owner'],
  ['of a reused process id', JSON.stringify({ ...self, pid: process.ppid, start: '1' }), 'owner'],
  ['of the same machine before a reboot', JSON.stringify({ ...self, boot_id: 'other' }), 'owner'],
  [
    'of a living process',
    JSON.stringify({ ...self, pid: process.ppid, start: systemProcesses.start(process.ppid) }),
    'held',
  ],
  ['of another host', JSON.stringify({ ...self, host: 'other', boot_id: 'other' }), 'held'],
  ['of another pid namespace', JSON.stringify({ ...self, pidns: 'other' }), 'held'],
]

for (const [what, content, kind] of HOLDERS) {
  test(`a lock file ${what} is ${kind === 'owner' ? 'taken over' : 'respected'}`, async (t) => {
    const options = await folderOf(t)
    await writeFile(`${options.path}1`, content)

    const attempt = await takeLock(options)

    assert.equal(attempt.kind, kind)
    if (attempt.kind === 'owner') await attempt.lock.release()
  })
}

test('a lock on a read-only disk is refused with the error of the disk and leaves no file', async (t) => {
  const appendSync = (): never => {
    throw Object.assign(new Error('read-only'), { code: 'EROFS', syscall: 'open' })
  }
  const options = await folderOf(t)

  await assert.rejects(takeLock({ ...options, released: 'emptied', disk: { ...realDisk, appendSync } }), {
    code: 'EROFS',
  })

  assert.deepEqual(await readdir(join(options.path, '..')), [])
})

test('a lock is released once, then taken with the next number', async (t) => {
  const options = await folderOf(t)
  const first = await takeLock(options)
  assert.equal(first.kind, 'owner')
  if (first.kind !== 'owner') return
  const meanwhile = await takeLock(options)

  await first.lock.release()
  await first.lock.release()
  const second = await takeLock(options)

  assert.deepEqual([meanwhile.kind, second.kind], ['held', 'owner'])
  assert.equal(second.kind === 'owner' && second.lock.record.n, 2)
  assert.equal(first.lock.holds(), false)
})

test('a marker whose lock a power cut took makes no two holders', async () => {
  const start = new Map<string, Buffer | 'directory'>([
    ['/', 'directory'],
    ['/lock.2.released', Buffer.alloc(0)],
  ])
  const { disk } = createSimulatedDisk(start, { below: () => 0 })
  const take = () => takeLock({ disk, path: '/lock.', released: 'marker' })

  const first = await take()
  const second = await take()

  assert.deepEqual([first.kind, second.kind], ['owner', 'held'])
})

test('a lock that this process released is taken again without a look at its folder, unless another process had it', async (t) => {
  const { path } = await folderOf(t)
  let looks = 0
  const list: typeof realDisk.list = (directory) => {
    looks += 1
    return realDisk.list(directory)
  }
  const [own, other] = [
    { ...realDisk, list },
    { ...realDisk, list },
  ]
  const taken: (readonly [n: number, looks: number])[] = []
  for (const disk of [own, own, own, other, own, own]) {
    looks = 0
    const attempt = await takeLock({ path, disk, released: 'emptied' })
    if (attempt.kind !== 'owner') continue
    taken.push([attempt.lock.record.n, looks])
    await attempt.lock.release()
  }

  assert.deepEqual(taken, [
    [1, 2],
    [2, 0],
    [3, 0],
    [4, 2],
    [5, 2],
    [6, 0],
  ])
  assert.deepEqual(await readdir(join(path, '..')), ['lock-6'])
})

test('a number that cannot be removed keeps the higher ones', async (t) => {
  const { path } = await folderOf(t)
  for (const n of [1, 2, 3]) await writeFile(`${path}${n}`, '')
  const unlink = async (file: string): Promise<void> => {
    if (file.endsWith('lock-2')) throw Object.assign(new Error('busy'), { code: 'EBUSY' })
    await realDisk.unlink(file)
  }

  const attempt = await takeLock({ path, disk: { ...realDisk, unlink }, released: 'emptied' })

  assert.equal(attempt.kind, 'owner')
  assert.deepEqual(await readdir(join(path, '..')), ['lock-2', 'lock-3', 'lock-4'])
})
