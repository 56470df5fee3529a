import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type FileFacts, realDisk } from '../../../server/plugin.ts'
import { type Clock, realClock } from './clock.ts'
import { watchFile } from './watcher.ts'

const POLL_MS = 2_000
const LOOK_MS = 100

/** A watched file in no folder, so that only the poll notices a change, on a clock that the test moves. */
function watched(t: TestContext) {
  let file: FileFacts = { kind: 'file', size: 100, mode: 0o644, inode: '1', modifiedMs: 0 }
  let nowMs = 0
  let timers: { readonly atMs: number; readonly work: () => void }[] = []
  const told: number[] = []
  const clock: Clock = {
    ...realClock,
    after(ms, work) {
      const timer = { atMs: nowMs + ms, work }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
  let failures = 0
  const stop = watchFile({ ...realDisk, statSync: () => file }, clock, '/nowhere/plan.md', async () => {
    told.push(file.size)
    failures -= 1
    if (failures >= 0) throw new Error('no space left')
  })
  t.after(stop)
  return {
    /** The size at each call. */
    told,
    /** The next calls that reject. */
    fail(times: number) {
      failures = times
    },
    write(size: number, inode = '1') {
      file = { ...file, size, inode, modifiedMs: nowMs }
    },
    pass(ms: number) {
      const endMs = nowMs + ms
      for (;;) {
        const next = timers.sort((a, b) => a.atMs - b.atMs)[0]
        if (!next || next.atMs > endMs) break
        timers = timers.filter((other) => other !== next)
        nowMs = next.atMs
        next.work()
      }
      nowMs = endMs
    },
  }
}

test('a save in one step is told when it held for two looks', (t) => {
  const file = watched(t)

  file.write(120)
  file.pass(POLL_MS)
  assert.deepEqual(file.told, [])
  file.pass(LOOK_MS)

  assert.deepEqual(file.told, [120])
})

test('a truncated file is not told before it has its content', (t) => {
  const file = watched(t)

  file.write(0)
  file.pass(POLL_MS + 5 * LOOK_MS)
  assert.deepEqual(file.told, [])
  file.write(101)
  file.pass(2 * LOOK_MS)

  assert.deepEqual(file.told, [101])
})

test('a save in pieces up to a second apart is told once, whole', (t) => {
  const file = watched(t)

  for (const size of [40, 90, 130]) {
    file.write(size)
    file.pass(size === 40 ? POLL_MS + 10 * LOOK_MS : 10 * LOOK_MS)
    assert.deepEqual(file.told, [])
  }
  file.pass(10 * LOOK_MS)

  assert.deepEqual(file.told, [130])
})

test('a shorter file that replaced the former one is whole', (t) => {
  const file = watched(t)

  file.write(40, '2')
  file.pass(POLL_MS + LOOK_MS)

  assert.deepEqual(file.told, [40])
})

test('a file that stays empty, and one that never rests, are told in the end', (t) => {
  const empty = watched(t)
  empty.write(0)
  empty.pass(POLL_MS + 20 * LOOK_MS)
  assert.deepEqual(empty.told, [0])

  const growing = watched(t)
  for (let size = 101; growing.told.length === 0 && size < 400; size += 1) {
    growing.write(size)
    growing.pass(LOOK_MS)
  }
  assert.equal(growing.told.length, 1)
})

test('a change that could not be taken is told again at the next poll, until it was', async (t) => {
  const file = watched(t)
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  file.fail(2)

  file.write(120)
  for (let polls = 0; polls < 5; polls += 1) {
    file.pass(POLL_MS + LOOK_MS)
    await turn()
  }

  assert.deepEqual(file.told, [120, 120, 120])
})
