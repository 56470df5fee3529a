import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { test } from 'node:test'
import type { Disk } from '../disk.ts'
import type { Processes } from '../process-liveness.ts'
import type { LockAttempt } from '../process-lock.ts'
import { type Exploration, explore, type Steps, type World } from './interleavings.ts'
import { createSimulatedDisk } from './simulated-disk.ts'

/** What a lock is taken with. */
export interface LockSetting {
  readonly disk: Disk
  readonly processes: Processes
  readonly now: () => number
}

/** One user of the lock. */
export interface LockUser {
  readonly name: string
  /** The first lock file, in a directory that exists. */
  readonly path: string
  /** Further directories that exist. */
  readonly folders?: readonly string[]
  /** One attempt. */
  take(setting: LockSetting): Promise<LockAttempt>
}

const DEAD = 99
const TAKERS = [1, 2, 3]
const STALE = { pid: DEAD, start: 'x', host: 'here', n: 1, nonce: 'dead', socket: '/s', rank: 'stdio' }

/** How the takers of `exploreTakers` are set up. */
interface Takers {
  readonly takers?: readonly number[]
  readonly deaths?: number
  readonly hasLinks?: boolean
}

/** Lets three processes take a lock that a dead one left, in every order of their calls. */
export function exploreTakers(
  user: LockUser,
  { takers = TAKERS, deaths = 0, hasLinks = true }: Takers = {},
): Promise<Exploration> {
  const world: World = {
    names: { [user.path]: 'stale' },
    files: { stale: { content: JSON.stringify(STALE), writes: 0 } },
    directories: [dirname(user.path)],
    hasLinks,
    ended: [],
    inside: [],
    entered: 0,
  }
  return explore({ world, processes: takers, deaths, run: (pid, steps) => useOnce(user, pid, steps) })
}

async function useOnce(user: LockUser, pid: number, steps: Steps): Promise<void> {
  const { disk } = steps
  const isRunning = (found: number): boolean => found !== DEAD && steps.isRunning(found)
  const processes = { self: { pid, start: 'x', host: 'here' }, isRunning, start: () => 'x' }
  const attempt = await user.take({ disk, processes, now: () => 0 })
  if (attempt.kind !== 'owner') return
  await steps.enter()
  if (!attempt.lock.holds()) steps.fault(`${pid} lost the lock while it was alive`)
  await steps.leave()
  await attempt.lock.release()
  await attempt.lock.release() // promised to be idempotent
}

/** What every user of the lock must show. */
export function testLockConformance(user: LockUser): void {
  testRaces(user)
  for (const [what, content, mayTake] of foundFiles()) {
    const verdict = mayTake ? 'taken over' : 'respected'
    test(`${user.name}: a lock file ${what} is ${verdict}`, async () => {
      const { disk } = diskWith(user, content)

      const attempt = await user.take(settingOn(disk)).catch((thrown: unknown) => {
        assert.equal(mayTake, false, String(thrown))
      })

      assert.equal(attempt?.kind === 'owner', mayTake)
      if (attempt?.kind === 'owner') await attempt.lock.release()
    })
  }
  test(`${user.name}: a read-only disk gives its own error and keeps its files`, async () => {
    const { disk, image } = diskWith(user, JSON.stringify(STALE))
    const before = image()
    const appendSync = (): never => {
      throw Object.assign(new Error('read-only'), { code: 'EROFS', syscall: 'open' })
    }
    const refuse = async (): Promise<never> => appendSync()
    const readOnly = { ...disk, appendSync, create: refuse, link: refuse, unlink: refuse, rename: refuse }

    await assert.rejects(user.take(settingOn(readOnly)), { code: 'EROFS' })

    assert.deepEqual(image(), before)
  })
}

function testRaces(user: LockUser): void {
  const cases = [
    ['three takers of a stale lock are never two holders, in any order of their calls', {}],
    ['two takers, of which one may die at any call, are never two holders', { takers: [1, 2], deaths: 1 }],
  ] as const
  for (const [what, takers] of cases) {
    test(`${user.name}: ${what}`, async (t) => {
      const { states, failure } = await exploreTakers(user, takers)

      t.diagnostic(`${states} states`)
      assert.equal(failure, undefined, JSON.stringify(failure, null, 1))
      assert.ok(states > 100)
    })
  }
}

const self = { pid: 1, start: 'x', host: 'here', boot_id: 'now' }
const OTHER = 2 // alive

/** A lock file that a taker finds, and whether it may take the lock. */
function foundFiles(): readonly (readonly [what: string, content: string, mayTake: boolean])[] {
  const living = { ...STALE, pid: OTHER, boot_id: 'now' }
  return [
    ['that is empty', '', true],
    ['of garbage', '\0\xff', true],
    ['of another JSON', '[1]', true],
    ['without a process', '{"pid":0,"host":"here"}', true],
    ['of a reused process id', JSON.stringify({ ...living, start: 'earlier' }), true],
    ['of the same machine before a reboot', JSON.stringify({ ...living, boot_id: 'before' }), true],
    ['of a living process', JSON.stringify(living), false],
    ['of another host', JSON.stringify({ ...living, host: 'there', boot_id: 'other' }), false],
    ['of a living process and a newer version', JSON.stringify({ ...living, later: { a: 1 } }), false],
    ['of a dead process and a newer version', JSON.stringify({ ...STALE, later: { a: 1 } }), true],
    ['of a living process and an older version', olderRecord(living), false],
    ['of a dead process and an older version', olderRecord(STALE), true],
  ]
}

function olderRecord({ pid, start, host, socket }: typeof STALE): string {
  return JSON.stringify({ pid, start, host, socket })
}

const NOW_MS = 10_000 // a lock file is neither half written nor old

function settingOn(disk: Disk): LockSetting {
  const processes = { self, isRunning: (pid: number) => pid !== DEAD, start: () => 'x' }
  return { disk, processes, now: () => NOW_MS }
}

function diskWith(user: LockUser, content: string): ReturnType<typeof createSimulatedDisk> {
  const folders = [dirname(dirname(user.path)), dirname(user.path), ...(user.folders ?? [])]
  const image = new Map<string, Buffer | 'directory'>(folders.map((path) => [path, 'directory']))
  image.set(user.path, Buffer.from(content))
  return createSimulatedDisk(image, { below: () => 0 })
}
