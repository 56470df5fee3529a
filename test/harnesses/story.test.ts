import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { undoAfter } from '../harness/undo.ts'
import { recordedMeasurements } from './recorded.ts'
import { replay } from './replay.ts'
import { buildStory, untold } from './story.ts'

async function newFolder(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'satchel-story-')))
  undoAfter(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** One client for each channel: the others are given the same. */
const CLIENTS = [...new Map(recordedMeasurements().map((client) => [client.channel, client])).values()]

for (const client of CLIENTS)
  test(`sessions of ${client.harness} upgrade a module in a room, and every claim that they inherit is checked again`, async (t) => {
    const folder = await newFolder(t)

    for (const session of await buildStory(folder)) {
      await session.before?.()
      const given = await replay(t, folder, client, session.calls, session.flags)

      assert.deepEqual(untold(session, given), [], session.name)
    }
  })

test('the story was told in whole to the model of every harness in which it was played', () => {
  const played = recordedMeasurements().filter(({ story }) => story !== undefined)

  assert.ok(played.length >= 1)
  for (const { harness, story = [] } of played) {
    assert.deepEqual(
      story.flatMap(({ untold: lost }) => lost),
      [],
      harness,
    )
    assert.equal(story.length, 7, harness)
  }
})

test('what a session does not tell is found', async (t) => {
  const [session] = await buildStory(await newFolder(t))
  assert.ok(session)

  const lost = untold(session, ['1 module', undefined])

  assert.ok(lost.some((each) => each.startsWith('search_modules: ')))
  assert.ok(lost.some((each) => each.startsWith('module_diff: ')))
})
