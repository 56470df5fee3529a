import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { type Disk, type FileFacts, removeQuietly } from './disk.ts'
import { judgeProcess, type ProcessIdentity } from './process-liveness.ts'
import { type LockAttempt, type LockOptions, takeLock } from './process-lock.ts'
import {
  exploreTakers,
  type LockSetting,
  type LockUser,
  testLockConformance,
} from './testing/lock-conformance.ts'

const PREFIX = '/locks/lock-'

function userOf(released: LockOptions['released'], worsen = (disk: Disk): Disk => disk): LockUser {
  return {
    name: `a lock with a release ${released === 'marker' ? 'by a marker' : 'by emptying'}`,
    path: `${PREFIX}1`,
    take: (setting) => takeLock({ ...setting, disk: worsen(setting.disk), path: PREFIX, released }),
  }
}

testLockConformance(userOf('marker'))
testLockConformance(userOf('emptied'))

test('without hard links, three takers of a stale lock are never two holders', async (t) => {
  const user = userOf('marker')
  const take = (setting: LockSetting) =>
    takeLock({ ...setting, path: PREFIX, released: 'marker', withoutLinks: true })

  const { states, failure } = await exploreTakers({ ...user, take }, { hasLinks: false })

  t.diagnostic(`${states} states`)
  assert.equal(failure, undefined, JSON.stringify(failure, null, 1))
})

const AGAIN = { path: PREFIX, released: 'emptied' } as const

/** Takes the lock, releases it, and takes it again. */
async function takeAgain(setting: LockSetting): Promise<LockAttempt> {
  const first = await takeLock({ ...setting, ...AGAIN })
  if (first.kind === 'owner') await first.lock.release()
  return takeLock({ ...setting, ...AGAIN })
}

test('two takers who had the lock before are never two holders', async (t) => {
  const { states, failure } = await exploreTakers(
    { ...userOf('emptied'), take: takeAgain },
    { takers: [1, 2] },
  )

  t.diagnostic(`${states} states`)
  assert.equal(failure, undefined, JSON.stringify(failure, null, 1))
})

test('two takers and a third one who had the lock before are never two holders', async (t) => {
  const take = (setting: LockSetting): Promise<LockAttempt> =>
    setting.processes.self.pid === 3 ? takeAgain(setting) : takeLock({ ...setting, ...AGAIN })

  const { states, failure } = await exploreTakers({ ...userOf('emptied'), take })

  t.diagnostic(`${states} states`)
  assert.equal(failure, undefined, JSON.stringify(failure, null, 1))
})

test('planted bug found: the file that was emptied is not looked at again after the claim', (t) =>
  findBug(t, {
    ...userOf('emptied'),
    take: (setting) => {
      const looked = new Map<string, FileFacts | undefined>()
      const statSync = (path: string): FileFacts | undefined => {
        const facts = setting.disk.statSync(path)
        if (facts?.size === 0 || !looked.has(path)) looked.set(path, facts)
        return looked.get(path)
      }
      return takeAgain({ ...setting, disk: { ...setting.disk, statSync } })
    },
  }))

/** Without the fence, so that only two concurrent holders are a fault. */
async function findBug(t: { diagnostic(text: string): void }, user: LockUser): Promise<void> {
  const take = async (setting: LockSetting): Promise<LockAttempt> => {
    const attempt = await user.take(setting)
    return attempt.kind === 'owner' ? { ...attempt, lock: { ...attempt.lock, holds: () => true } } : attempt
  }
  const { states, failure } = await exploreTakers({ ...user, take })
  t.diagnostic(`${states} states, ${failure?.calls.length} calls`)
  assert.match(failure?.fault ?? '', /hold the lock/)
}

test('planted bug found: the stale file is removed before the lock is taken', (t) =>
  findBug(
    t,
    userOf('marker', (disk) => ({
      ...disk,
      link: async (from, to) => {
        await removeQuietly(disk, `${PREFIX}${Number(to.slice(PREFIX.length)) - 1}`)
        await disk.link(from, to)
      },
    })),
  ))

test('planted bug found: no look for a higher generation after the claim', (t) =>
  findBug(
    t,
    userOf('marker', (disk) => {
      let own = Number.POSITIVE_INFINITY
      return {
        ...disk,
        link: async (from, to) => {
          await disk.link(from, to)
          own = Number(to.slice(PREFIX.length))
        },
        list: async (directory) =>
          (await disk.list(directory)).filter(
            (name) => Number.parseInt(name.slice('lock-'.length), 10) <= own,
          ),
      }
    }),
  ))

test('planted bug found: a release empties the newest lock, also that of another process', (t) => {
  const user = userOf('emptied')
  return findBug(t, {
    ...user,
    take: async (setting) => {
      const attempt = await user.take(setting)
      if (attempt.kind !== 'owner') return attempt
      return { kind: 'owner', lock: { ...attempt.lock, release: () => emptyNewest(setting.disk) } }
    },
  })
})

async function emptyNewest(disk: Disk): Promise<void> {
  const names = await disk.list(dirname(PREFIX))
  try {
    disk.truncateSync(disk.openSync(`/locks/${names.at(-1)}`), 0)
  } catch {
    // Another process removed it meanwhile.
  }
}

test('planted bug found: a stale lock is broken by renaming it, as modules did before', (t) =>
  findBug(t, { name: 'rename', path: '/locks/lock', take: takeByRename }))

/** The lock of the modules plugin in satchel 0.1.0: a stale file is moved away by its name. */
async function takeByRename({ disk, processes }: LockSetting): Promise<LockAttempt> {
  const path = '/locks/lock'
  const nonce = `old ${processes.self.pid}`
  const draft = `/locks/draft-${processes.self.pid}`
  const aside = `/locks/stale-${processes.self.pid}`
  const record = { ...processes.self, n: 1, nonce }
  const placed = (): Promise<boolean> => succeeds(disk.link(draft, path))
  await disk.create(draft, JSON.stringify(record))
  if (!(await placed())) {
    const seen = holderAt(disk, path)
    if (seen && judgeProcess(processes, seen) !== 'dead') return { kind: 'lost' }
    if (await succeeds(disk.rename(path, aside))) {
      const isTheDeadOne = holderAt(disk, aside)?.pid === seen?.pid
      if (!isTheDeadOne) await succeeds(disk.link(aside, path)) // gives the place back
      await removeQuietly(disk, aside)
      if (!isTheDeadOne) return { kind: 'lost' }
    }
    if (!(await placed())) return { kind: 'lost' }
  }
  const release = async (): Promise<void> => {
    if (holderAt(disk, path)?.pid === record.pid) await removeQuietly(disk, path)
  }
  return { kind: 'owner', lock: { record, holds: () => true, release } }
}

function holderAt(disk: Disk, path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(disk.readFileSync(path).toString())
  } catch {
    return undefined
  }
}

function succeeds(call: Promise<void>): Promise<boolean> {
  return call.then(
    () => true,
    () => false,
  )
}
