import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestRoom } from '../testing/test-room.ts'
import { changesSince } from './catch-up.ts'
import { participantsPage, roomView } from './views.ts'

/** 16 letters as variation selectors, which no program draws. */
const HIDDEN_LETTERS = Array.from('attack at dawn!!', (char) =>
  String.fromCodePoint(0xe0100 + char.charCodeAt(0)),
).join('')

test('a name or summary without a visible character is refused, and a hidden message is not kept', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const change = { base_version: 1, content: 'x' }

  for (const name of ['\u3164', '\uffa0\u115f', '\u2800', '\u0301', HIDDEN_LETTERS])
    await assert.rejects(room.join(name), { code: 'invalid', reason: 'invalid_request' })
  await assert.rejects(room.do(ada, 'propose', { ...change, summary: HIDDEN_LETTERS }), {
    reason: 'invalid_request',
  })
  await room.do(ada, 'propose', { ...change, summary: `all${HIDDEN_LETTERS} clear` })

  const summaries = (await room.events()).map(({ payload }) => payload['summary'])
  assert.equal(summaries.at(-1), 'all clear')
})

test('a name that mixes scripts is marked in every view, and no other name is', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  for (const name of ['\u043ewner', 'Анна', '山田 太郎 SQL']) await room.join(name)

  const views = await room.look(ada, (view) => [
    participantsPage(view, {}).participants,
    roomView(view).participants,
    changesSince(view, { since_event_id: 0 }).participants.joined,
  ])

  for (const rows of views)
    assert.deepEqual(
      rows.filter((row) => 'mixed_script' in row).map((row) => 'name' in row && row.name),
      ['\u043ewner'],
    )
})
