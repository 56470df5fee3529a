import assert from 'node:assert/strict'
import { truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { realClock } from '../engine/clock.ts'
import type { RoomSeams } from '../engine/open-room.ts'
import { openTestRoom, type TestRoom } from '../testing/test-room.ts'
import { history, proposalsPage } from './views.ts'

const TEXT = '# A\na\n\n# B\nb\n'
const REWRITTEN = '# A\na\n\n# B\nbb\n'

/** Time that passes, and a program that goes on, while the room waits. */
function waiting() {
  let passedMs = 0
  const beganMs = Date.now()
  const world = { beganMs, passedMs: () => passedMs, meanwhile: (): void => {} }
  const seams: RoomSeams = {
    clock: {
      ...realClock,
      nowMs: () => beganMs + passedMs,
      after: () => () => {},
      async pause(ms) {
        passedMs += ms
        world.meanwhile()
      },
    },
  }
  return { world, seams }
}

async function versionsOf(room: TestRoom, who: Awaited<ReturnType<TestRoom['join']>>) {
  const { versions } = await room.look(who, (view) => history(view, {}))
  return versions.map(({ version, bytes, source }) => `${version} ${source} ${bytes}`).reverse()
}

test('a rewrite in progress supersedes no proposal for a section that it does not change', async (t) => {
  const { world, seams } = waiting()
  const room = await openTestRoom(t, { text: TEXT, staleness: 'section', seams })
  const ada = await room.join('ada')
  const change = { base_version: 1, target: 'section:A', summary: 's', content: '# A\nnew\n' }
  await room.do(ada, 'propose', change)

  truncateSync(room.file, 0)
  world.meanwhile = () => {
    if (world.passedMs() >= 300) writeFileSync(room.file, REWRITTEN)
  }
  await room.room.look()

  assert.deepEqual(await versionsOf(room, ada), ['1 bootstrap 13', '2 external 14'])
  const { proposals } = await room.look(ada, (view) => proposalsPage(view, {}))
  assert.deepEqual(
    proposals.map(({ status }) => status),
    ['pending'],
  )
})

test('a mutation during a rewrite is decided by the text that comes', async (t) => {
  const { world, seams } = waiting()
  const room = await openTestRoom(t, { text: TEXT, staleness: 'section', seams })
  const ada = await room.join('ada')

  truncateSync(room.file, 0)
  world.meanwhile = () => writeFileSync(room.file, REWRITTEN)
  const commit = room.do(ada, 'commit', { base_version: 1, summary: 's', content: 'mine' })
  await assert.rejects(commit, { reason: 'stale_version' })

  assert.equal(await room.text(), REWRITTEN)
  assert.deepEqual(await versionsOf(room, ada), ['1 bootstrap 13', '2 external 14'])
})

test('a rewrite that begins during a commit is a version of its own, whole', async (t) => {
  const { world, seams } = waiting()
  let truncates = false
  const truncateOnce = (): void => {
    if (truncates) truncateSync(room.file, 0)
    truncates = false
  }
  const disk: typeof realDisk = {
    ...realDisk,
    async create(path, content, mode) {
      await realDisk.create(path, content, mode)
      truncateOnce()
    },
    createSync(path, content, mode) {
      realDisk.createSync(path, content, mode)
      truncateOnce()
    },
  }
  const room: TestRoom = await openTestRoom(t, { text: TEXT, seams: { ...seams, disk } })
  const ada = await room.join('ada')

  truncates = true
  world.meanwhile = () => writeFileSync(room.file, REWRITTEN)
  await room.do(ada, 'commit', { base_version: 1, summary: 's', content: 'mine' })

  assert.equal(await room.text(), REWRITTEN)
  assert.deepEqual(await versionsOf(room, ada), ['1 bootstrap 13', '2 commit 4', '3 external 14'])
})

test('a file that stays empty is an empty version', async (t) => {
  const { world, seams } = waiting()
  const room = await openTestRoom(t, { text: TEXT, seams })
  const ada = await room.join('ada')

  truncateSync(room.file, 0)
  utimesSync(room.file, world.beganMs / 1000, world.beganMs / 1000)
  await room.room.look()

  assert.deepEqual(await versionsOf(room, ada), ['1 bootstrap 13', '2 external 0'])
  assert.equal(world.passedMs(), 2_000)
})
