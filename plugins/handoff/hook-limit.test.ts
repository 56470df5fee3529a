import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Disk, realDisk } from '../../server/plugin.ts'
import { leftOf, timeFromNow } from './hook-limit.ts'
import { openTestProject, SMALL, type TestProject } from './testing/fixture.ts'
import { runHook as hook, PATIENT } from './testing/run-hook.ts'

const SPENT = PATIENT.totalMs - 1e-6
const LIMITS = { totalMs: 1800, wallMs: 8000 }

test('a hook that waits or computes has its own limit, and one that the machine does not run has that of the clock', () => {
  const cases = [
    ['nothing yet', { wallMs: 0, idleMs: 0, cpuMs: 0 }, 1800],
    ['a git that hangs', { wallMs: 1800, idleMs: 1500, cpuMs: 300 }, 0],
    ['a store too large', { wallMs: 1800, idleMs: 0, cpuMs: 1800 }, 0],
    ['a machine with a tenth to spare', { wallMs: 3000, idleMs: 100, cpuMs: 300 }, 1400],
    ['threads beside the main one', { wallMs: 900, idleMs: 100, cpuMs: 1700 }, 900],
    ['a machine without any', { wallMs: 7900, idleMs: 0, cpuMs: 100 }, 100],
    ['past the clock', { wallMs: 8100, idleMs: 0, cpuMs: 100 }, -100],
  ] as const

  for (const [name, spent, left] of cases) assert.equal(leftOf(spent, LIMITS), left, name)
})

test('only what is spent from a moment on counts', () => {
  let now = { wallMs: 100, idleMs: 50, cpuMs: 40 }
  const spent = timeFromNow(() => now)
  now = { wallMs: 400, idleMs: 60, cpuMs: 90 }

  assert.deepEqual(spent(), { wallMs: 300, idleMs: 10, cpuMs: 50 })
})

test('a hook whose time is over says nothing of a store without records, or where nothing is to be said', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  const empty = await openTestProject(t)
  empty.write('.handoffs/config.json', '{}')
  const limits = { ...PATIENT, totalMs: 300 }
  const disk: Disk = {
    ...realDisk,
    stat: (path) => (path.includes('.handoffs') ? new Promise(() => {}) : realDisk.stat(path)),
  }
  const start = (at: TestProject, source: string) =>
    hook(at, 'session-start', { session_id: 'one', cwd: at.root, source }, { disk, limits })

  assert.notEqual((await start(project, 'startup')).stdout, '')
  assert.equal((await start(project, 'clear')).stdout, '')
  assert.equal((await start(empty, 'compact')).stdout, '')
})

test('a write that is under way when the time of a hook is over is finished', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const { id } = (await project.call('handoff_list')).items[0]
  await project.call('handoff_transition', { id, to: 'archived' })
  let isWriting = false
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const disk: Disk = {
    ...realDisk,
    link: async (from, to) => {
      isWriting ||= to.includes('/records/')
      if (isWriting) await released
      return realDisk.link(from, to)
    },
  }
  // Time is over as soon as the record is being written, and the disk answers after that.
  const spent = () => {
    if (isWriting) setTimeout(release, 20)
    return { wallMs: isWriting ? 60_000 : 0, idleMs: isWriting ? 60_000 : 0, cpuMs: 0 }
  }
  const input = { session_id: 'two', cwd: project.root }

  const run = await hook(project, 'pre-compact', input, {
    disk,
    spent,
    limits: { ...PATIENT, totalMs: 2000 },
  })

  assert.deepEqual([run.code, run.notes.length], [0, 1])
  assert.equal(project.files().filter((path) => path.includes('/records/')).length, 2)
})

test('a start that had no time to read the records says so, also when it had some later', async (t) => {
  const project = await openTestProject(t)
  await project.call('handoff_create', SMALL)
  let isListed = false
  const disk: Disk = {
    ...realDisk,
    list: async (path) => {
      isListed = true
      await pause(5)
      return realDisk.list(path)
    },
  }
  // Less than a millisecond is left until the folder is listed.
  const spent = () => ({ wallMs: isListed ? 0 : SPENT, idleMs: isListed ? 0 : SPENT, cpuMs: 0 })

  const input = { session_id: 'one', cwd: project.root, source: 'compact' }
  const run = await hook(project, 'session-start', input, { disk, spent })

  assert.match(run.stdout, /There was no time to read them/)
  assert.match(run.notes.join(), /1 record was not read in time/)
})

test('a start whose brief is ready while it looks for the last time gives one answer', async (t) => {
  const opened = await openTestProject(t)
  const next = { priority: 'high', description: 'a', suggested_action: 'b', acceptance_check: 'c' }
  const { id } = await opened.call('handoff_create', { ...SMALL, open_items: [next] })
  await opened.call('handoff_transition', { id, to: 'ready', accept_warnings: 'a test' })
  const began = Date.now()
  let [isAsked, isRead, release] = [false, false, () => {}]
  const looked = new Promise<void>((resolve) => {
    release = resolve
  })
  // The last file that it reads answers when its time is over, and the folder of records is being opened.
  const disk: Disk = {
    ...realDisk,
    async readFile(path) {
      isRead ||= isAsked && path.includes('/claims/')
      if (isRead) await looked
      return realDisk.readFileSync(path)
    },
  }
  const config = {
    ...opened.config,
    get inject_on() {
      isAsked = true
      if (isRead) release()
      return opened.config.inject_on
    },
  }
  const ms = () => (isRead ? 60_000 : 0)
  const spent = () => ({ wallMs: ms(), idleMs: ms(), cpuMs: 0 })
  const input = { session_id: 'one', cwd: opened.root, source: 'startup' }

  const run = await hook({ ...opened, config }, 'session-start', input, {
    disk,
    clock: () => began,
    spent,
    limits: { ...PATIENT, totalMs: 20 },
    isHeard: new Promise(() => {}), // its output is still under way
  })

  assert.match(JSON.parse(run.stdout).hookSpecificOutput.additionalContext, /^1 handoff ready/)
})
