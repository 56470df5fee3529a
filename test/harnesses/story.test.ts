import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { recordedMeasurements } from './recorded.ts'
import { buildStory, untold } from './story.ts'
import { clientOfEachChannel, untoldTo } from './told-story.ts'

for (const client of clientOfEachChannel().slice(0, 1))
  test(`sessions of ${client.harness} upgrade a module in a room, and every claim that they inherit is checked again`, async (t) => {
    assert.deepEqual(await untoldTo(t, client), [])
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
  const [session] = await buildStory(await temporaryFolder(t))
  assert.ok(session)

  const lost = untold(session, ['1 module', undefined])

  assert.ok(lost.some((each) => each.startsWith('search_modules: ')))
  assert.ok(lost.some((each) => each.startsWith('module_diff: ')))
})
