import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../domain/limits.ts'
import { openTestRoom, redeemed, type TestRoom } from '../testing/test-room.ts'
import type { Joined } from './members.ts'
import { renewSession } from './renewal.ts'
import { status } from './views.ts'

const ENDED = { code: 'unauthorized', reason: 'session_expired' }
const AN_HOUR_LATER = LIMITS.sessionMinutes + 60

const renewed = ({ room }: TestRoom, { token }: Pick<Joined, 'token'>): Promise<Joined> =>
  room.changeAsSystem((change) => renewSession(change, { token }))

async function openWithGuest(t: Parameters<typeof openTestRoom>[0]) {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { uri, invite_id } = await room.do(ada, 'invite', {})
  return { room, ada, invite_id, guest: await redeemed(room, uri) }
}

test('a guest whose session ran out goes on as the same participant, once for each session', async (t) => {
  const { room, guest } = await openWithGuest(t)
  room.pass(AN_HOUR_LATER)

  const events = await room.emitted(async () => {
    const next = await renewed(room, guest)
    const { you } = await room.look(next, status)
    assert.deepEqual([next.participant_id, you.name], [guest.participant_id, 'guest'])
    assert.deepEqual(next.capabilities, guest.capabilities)
    assert.notEqual(next.token, guest.token)
  })

  assert.deepEqual(
    events.filter((type) => type !== 'session.expired'),
    ['session.created'],
  )
  const latest = await room.latest()
  await assert.rejects(renewed(room, guest), ENDED)
  assert.equal(await room.latest(), latest)
})

test('nothing is renewed after a revocation, a departure or seven days, for an unknown token, or before the end', async (t) => {
  const { room, ada, guest, invite_id } = await openWithGuest(t)
  const { uri } = await room.do(ada, 'invite', { max_uses: 3 })
  const [revoked, left, late] = [
    await redeemed(room, uri),
    await redeemed(room, uri),
    await redeemed(room, uri),
  ]

  await assert.rejects(renewed(room, late), { code: 'invalid', reason: 'invalid_request' })
  await assert.rejects(renewed(room, { token: 'ses_unknown' }), {
    code: 'unauthorized',
    reason: 'unauthorized',
  })
  await room.do(ada, 'session_end', { session_id: revoked.session_id })
  await room.do(left, 'leave', {})
  await room.do(ada, 'invite_revoke', { invite_id })
  room.pass(AN_HOUR_LATER)
  for (const each of [revoked, left, guest]) await assert.rejects(renewed(room, each), ENDED)
  await room.room.expire()
  room.pass(LIMITS.renewalMinutes)
  await assert.rejects(renewed(room, late), ENDED)
  await assert.rejects(renewed(room, ada), ENDED, 'a session of this machine begins again by itself')
})
