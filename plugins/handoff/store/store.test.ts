import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isZombie } from '../../../server/platform/process-liveness.ts'
import { pauseMs } from '../../../server/platform/process-lock.ts'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { startZombie } from '../../../test/harness/zombie.ts'
import { ordinaryUserOf } from '../../../test/ordinary-user.ts'
import { openTestProject, SMALL } from '../testing/fixture.ts'
import { VALID } from '../testing/handoff-cases.ts'
import { replaceCacheFile } from './ensure-folder.ts'
import { layoutOf } from './layout.ts'
import { openStore, type Store } from './store.ts'

function storeOn(t: TestContext, disk: Disk): { store: Store; root: string } {
  const root = temporaryFolderSync(t)
  return storeAt(root, disk)
}

function storeAt(root: string, disk: Disk = realDisk): { store: Store; root: string } {
  const layout = layoutOf(root, join(root, '.handoffs'))
  return { root, store: openStore({ disk, layout, now: () => Date.now() }) }
}

const locksIn = (root: string) =>
  readdirSync(join(root, '.handoffs/.locks')).filter((name) => name !== '.gitignore')

const ID = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f'
const OLD = `${JSON.stringify(VALID, null, 2)}\n`
const NEW = OLD.replace('One fixture remains.', 'None remains.')

test('a file system without hard links is named as such', async (t) => {
  const { store } = storeOn(t, {
    ...realDisk,
    link: () => Promise.reject(Object.assign(new Error(), { code: 'EPERM', syscall: 'link' })),
  })

  await assert.rejects(store.create(ID, OLD), { code: 'unavailable', reason: 'no_hard_links' })
})

test('a store path that is a file is unavailable', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  writeFileSync(join(root, '.handoffs'), 'a file')

  await assert.rejects(store.create(ID, OLD), { code: 'unavailable', reason: 'store_unwritable' })
  assert.equal(readFileSync(join(root, '.handoffs'), 'utf8'), 'a file')
})

test('a holder that lost its lock aborts before the rename', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const locks = join(root, '.handoffs/.locks')

  const slow = store.update(ID, undefined, async () => {
    // As after a minute of SIGSTOP: the lock file is old, and another writer takes the next generation.
    const [mine = ''] = locksIn(root)
    const old = new Date(Date.now() - 61_000)
    utimesSync(join(locks, mine), old, old)
    await openStore({ disk: realDisk, layout: store.layout, now: () => Date.now() }).update(
      ID,
      undefined,
      () => NEW,
    )
    return OLD.replace('One fixture', 'Ten fixtures')
  })

  await assert.rejects(slow, { code: 'conflict', reason: 'locked' })
  assert.equal(readFileSync(join(root, '.handoffs/records', `${ID}.json`), 'utf8'), NEW)
})

test('a lock left by a dead process is taken over without waiting', async (t) => {
  let looks = 0
  let looksAtHolder = 0
  const { store, root } = storeOn(t, {
    ...realDisk,
    list: (path) => {
      if (path.endsWith('.locks')) looks++
      return realDisk.list(path)
    },
    readFileSync: (path) => {
      if (path.endsWith(`.locks/${ID}.2`)) looksAtHolder++
      return realDisk.readFileSync(path)
    },
  })
  await store.create(ID, OLD)
  await store.update(ID, undefined, () => OLD)
  const looksAtFreeLock = looks
  const child = spawn(process.execPath, ['-e', '0'])
  await once(child, 'close')
  writeFileSync(
    join(root, '.handoffs/.locks', `${ID}.2`),
    JSON.stringify({ pid: child.pid, host: hostname(), start: '1' }),
  )

  await store.update(ID, undefined, () => NEW)

  assert.equal(looksAtHolder, 1) // who waits looks again
  assert.equal(looks, 2 * looksAtFreeLock)
  assert.deepEqual(locksIn(root), [`${ID}.3`])
})

test('a lock left by a process whose parent has not noticed its end is taken over, too', async (t) => {
  if (!existsSync('/proc/self/stat')) return t.skip('NO /proc: ended processes cannot be told apart here')
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const pid = await startZombie(t)
  while (!isZombie(pid)) await wait(5)
  writeFileSync(join(root, '.handoffs/.locks', `${ID}.7`), JSON.stringify({ pid, host: hostname() }))

  await store.update(ID, undefined, () => NEW)

  assert.equal(readFileSync(join(root, '.handoffs/records', `${ID}.json`), 'utf8'), NEW)
  assert.deepEqual(locksIn(root), [`${ID}.8`])
})

test('a process that waits for a lock looks at it less and less often, and never at the whole folder', async (t) => {
  const WAITERS = 10
  let lists = 0
  let looks = 0
  const counting: Disk = {
    ...realDisk,
    list: (path) => {
      if (path.endsWith('.locks')) lists++
      return realDisk.list(path)
    },
    readFileSync: (path) => {
      if (path.includes('.locks/') && !path.endsWith('.gitignore')) looks++
      return realDisk.readFileSync(path)
    },
  }
  const { store, root } = storeOn(t, realDisk)
  const waiters = await Promise.all(
    Array.from({ length: WAITERS }, async () => {
      const opened = storeAt(root, counting).store
      await opened.preparing(async () => {})
      return opened
    }),
  )

  let holding = 0
  let seen = { lists: 0, looks: 0 }
  const got: number[] = []
  let waiting: Promise<unknown> | undefined
  await store.locked('one', async () => {
    const started = performance.now()
    waiting = Promise.all(
      waiters.map((waiter, n) => waiter.locked('one', () => Promise.resolve(got.push(n)))),
    )
    while (lists < WAITERS) await wait(1) // all have begun to wait
    await wait(500) // what holds a lock takes its time
    holding = performance.now() - started
    seen = { lists, looks }
  })
  await waiting

  assert.deepEqual(got.toSorted(), Array.from({ length: WAITERS }, (_, n) => n).toSorted())
  assert.equal(seen.lists, WAITERS)
  // A pause is 16 ms in the middle once it has grown; at the first pauses a waiter would look 200 times in this time.
  const most = WAITERS * (6 + holding / 10)
  t.diagnostic(`${seen.looks} looks of ${WAITERS} in ${Math.round(holding)} ms, at most ${Math.round(most)}`)
  assert.ok(seen.looks <= most, `${seen.looks} looks, at most ${most}`)
})

test('a pause before a lock is short at first, grows to its bound and never passes it', () => {
  const chances = [0, 0.25, 0.5, 0.75, 0.999]
  const of = (pauses: number) => chances.map((chance) => pauseMs(pauses, chance))

  assert.deepEqual(of(0), [1, 2, 3, 4, 4])
  assert.deepEqual(of(1), [1, 3, 5, 7, 8])
  assert.deepEqual(of(3), [1, 8, 16, 24, 31])
  for (const pauses of [4, 31, 1000, 1e9]) assert.deepEqual(of(pauses), of(3))
})

test('a lock that is free costs the same steps each time, and its folder is listed the first time only', async (t) => {
  const steps: string[] = []
  const noted = ([name, call]: [string, (...given: never[]) => unknown]) => {
    const noting = (...given: never[]): unknown => {
      steps.push(name)
      return call(...given)
    }
    return [name, noting]
  }
  const { store } = storeOn(t, Object.fromEntries(Object.entries(realDisk).map(noted)) as unknown as Disk)
  await store.preparing(async () => {})
  const stepsOf = async () => {
    steps.length = 0
    await store.locked('one', async () => {})
    const looks = steps.findIndex((step) => step !== 'stat') // whether the store's folders are there
    return steps.slice(looks).join(' ')
  }

  assert.equal(
    await stepsOf(),
    'list appendSync link unlink statSync list statSync openSync truncateSync closeSync statSync',
  )
  for (let again = 0; again < 3; again++) {
    assert.equal(
      await stepsOf(),
      'statSync appendSync link unlink statSync statSync unlink statSync openSync truncateSync closeSync statSync',
    )
  }
})

test('a record that is a symbolic link is never followed', async (t) => {
  const { store, root } = storeOn(t, realDisk)
  await store.create(ID, OLD)
  const other = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e40'
  writeFileSync(join(root, 'outside.json'), OLD)
  symlinkSync(join(root, 'outside.json'), join(root, '.handoffs/records', `${other}.json`))

  const found = await store.read(other)

  assert.equal(found?.kind === 'broken' && found.problem.reason, 'not_a_file')
})

test('no folder of the store is written through where it is a link out of the project, also when it became one later', async (t) => {
  for (const name of ['.handoffs', '.handoffs/records', '.handoffs/.locks', '.handoffs/.tmp']) {
    const outside = storeOn(t, realDisk).root
    const { store, root } = storeOn(t, realDisk)
    await store.create(ID, OLD)
    const before = await store.read(ID)
    rmSync(join(root, name), { recursive: true })
    symlinkSync(outside, join(root, name))

    const other = '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e40'
    await assert.rejects(store.create(other, OLD), { code: 'unavailable', reason: 'store_unwritable' })

    assert.equal(before?.kind, 'record')
    assert.deepEqual(readdirSync(outside), [], name)
  }
})

test('an index is not written through a folder that is a link, and lists are answered anyway', async (t) => {
  const outside = storeOn(t, realDisk).root
  const project = await openTestProject(t)
  const { id } = await project.call('handoff_create', SMALL)
  rmSync(join(project.root, '.handoffs/.cache'), { recursive: true, force: true })
  symlinkSync(outside, join(project.root, '.handoffs/.cache'))

  const fresh = await openTestProject(t, { root: project.root })
  const { items } = await fresh.call('handoff_list')

  assert.deepEqual(
    items.map((item: { id: string }) => item.id),
    [id],
  )
  assert.deepEqual(readdirSync(outside), [])
})

test('a store that is taken away under a running server is made again by the next write', async (t) => {
  const project = await openTestProject(t)
  for (const name of ['.handoffs', '.handoffs/records', '.handoffs/.locks', '.handoffs/.tmp']) {
    await project.call('handoff_create', { ...SMALL, parent: 'none' })
    rmSync(join(project.root, name), { recursive: true })

    const { id } = await project.call('handoff_create', { ...SMALL, parent: 'none' })
    await project.call('handoff_update', {
      id,
      if_match: (await project.call('handoff_get', { id })).etag,
      append: { completed: ['one'] },
    })

    const { record } = await project.call('handoff_get', { id })
    assert.deepEqual(record.summary.completed, ['one'], name)
  }
})

test('a read-only store is unavailable and keeps its bytes', async (t) => {
  const project = await openTestProject(t)
  const { id, path } = await project.call('handoff_create', SMALL)
  const before = project.read(path)
  const { program, options, env } = await ordinaryUserOf(t, project.root)
  const [node, satchel] = program
  const folders = ['.handoffs', '.handoffs/records', '.handoffs/.tmp'].map((name) => join(project.root, name))
  const writes = [
    ['create', '--title', 'a', '--objective', 'b', '--current-state', 'c'],
    ['redact', '--id', id, '--fields', '/summary/current_state', '--apply'],
  ].map((words) => [satchel, 'handoff', ...words, '--json'])

  for (const folder of folders) chmodSync(folder, 0o500)
  const ran = writes.map((words) =>
    spawnSync(node, words, {
      ...options,
      cwd: project.root,
      env: { ...process.env, ...env },
      encoding: 'utf8',
    }),
  )
  const examined = spawnSync(node, [satchel, 'doctor', '--json'], {
    ...options,
    cwd: project.root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  })
  for (const folder of folders) chmodSync(folder, 0o700)

  const { findings } = JSON.parse(examined.stdout)
  const told = findings.find(({ subject }: { subject: string }) => subject.startsWith('handoff store'))
  assert.deepEqual([told.level, told.subject], ['problem', 'handoff store: .handoffs'])
  assert.match(told.detail, /^cannot be written \(EACCES\)/)
  for (const { stdout, stderr } of ran) {
    const { code, reason, message } = JSON.parse(stdout || stderr).error
    assert.deepEqual([code, reason], ['unavailable', 'store_unwritable'])
    assert.match(message, /The folder \.handoffs\/\.tmp of the handoff store cannot be used \(EACCES\)/)
  }
  assert.equal(project.read(path), before)
  assert.equal(readdirSync(join(project.root, '.handoffs/records')).length, 1)
})

test('a cache file that cannot be replaced leaves no temporary file', async (t) => {
  const { root } = storeOn(t, realDisk)
  const disk: Disk = { ...realDisk, rename: () => Promise.reject(new Error('no rename')) }
  const cache = join(root, '.cache')

  await assert.rejects(replaceCacheFile(disk, cache, 'sessions', '[]'), /no rename/)

  assert.deepEqual(readdirSync(cache), [])
})
