import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../domain/limits.ts'
import { openTestRoom, redeemed } from '../testing/test-room.ts'
import { liveActor } from './change.ts'
import { roomView, status } from './views.ts'

test('joining, leaving and ending tell exactly what happened, and a repeat tells nothing', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  const joined = await room.emitted(() => room.join('bob', ['read', 'checkout']))
  const bob = await room.join('bob2', ['read', 'checkout'])
  await room.do(bob, 'checkout', { target: 'workspace' })
  const left = await room.emitted(() => room.do(ada, 'leave', { participant_id: bob.participant_id }))
  const again = await room.emitted(() => room.do(ada, 'leave', { participant_id: bob.participant_id }))
  const cleo = await room.join('cleo', ['read'])
  const ended = await room.emitted(() => room.do(ada, 'session_end', { session_id: cleo.session_id }))
  const endedAgain = await room.emitted(() => room.do(ada, 'session_end', { session_id: cleo.session_id }))

  assert.deepEqual(joined, ['participant.joined', 'session.created'])
  assert.deepEqual(left, ['lease.released', 'participant.left'])
  assert.deepEqual([again, endedAgain], [[], []])
  assert.deepEqual(ended, ['session.expired'])
  assert.equal((await room.events()).at(-1)?.payload['status'], 'revoked')
  await assert.rejects(room.look(bob, status), { code: 'unauthorized', reason: 'session_expired' })
  await assert.rejects(room.look(cleo, status), { code: 'unauthorized', reason: 'session_expired' })
})

test('a session ends on its own after 8 hours, once, without a request arriving', async (t) => {
  const room = await openTestRoom(t)
  await room.join('ada')

  room.pass(LIMITS.sessionMinutes)
  const first = await room.emitted(() => room.room.expire())
  const second = await room.emitted(() => room.room.expire())

  assert.deepEqual(first, ['session.expired'])
  assert.deepEqual(second, [])
})

test('when a participant was last seen is kept with a change of theirs, at most once a minute', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const seen = async () => {
    const { participants } = await room.look(ada, roomView)
    return participants.find(({ name }) => name === 'ada')?.last_seen
  }
  const change = () => room.do(ada, 'invite', {})
  const joined = await seen()

  room.pass(0.99)
  await change()
  const soon = await seen()
  room.pass(0.01)
  await room.look(ada, status)
  const looked = await seen()
  await change()
  const late = await seen()

  assert.deepEqual([soon, looked], [joined, joined])
  assert.ok(joined !== undefined && late !== undefined && late > joined)
})

test('a participant who left is not a member; an idle one stays a member', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  await room.join('idle')
  const members = async (who: typeof ada) =>
    (await room.look(who, roomView)).participants.map(({ name }) => name)

  room.pass(7 * 60)
  await room.room.expire()
  await room.do(bob, 'leave', {})
  const while8Hours = await members(ada)
  room.pass(2 * 60)
  await room.room.expire()
  const cem = await room.join('cem')

  assert.deepEqual(while8Hours, ['ada', 'idle'])
  // A session that ran out ends no membership.
  assert.deepEqual(await members(cem), ['ada', 'idle', 'cem'])
})

test('a name that is taken gets a number, and a participant without a session is taken up again', async (t) => {
  const room = await openTestRoom(t)
  const first = await room.join('agent')
  const second = await room.join('agent')
  await room.do(first, 'session_end', { session_id: first.session_id })
  const third = await room.join('agent')

  const names = await room.look(third, ({ rows, now }) =>
    [second, third].map((who) => liveActor(rows, who.session_id, now).participant.name),
  )

  assert.deepEqual(names, ['agent-2', 'agent'])
  assert.equal(third.participant_id, first.participant_id)
})

test('a local participant never takes over a guest of the same name', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const guest = await redeemed(room, (await room.do(ada, 'invite', {})).uri, 'agent')
  await room.do(guest, 'session_end', { session_id: guest.session_id })

  const local = await room.join('agent')

  assert.notEqual(local.participant_id, guest.participant_id)
  const name = await room.look(local, ({ actor }) => actor.participant.name)
  assert.equal(name, 'agent-2')
})

test('a session past its end is reported as expired even if a revoke or leave precedes the timer', async (t) => {
  const room = await openTestRoom(t)
  const bob = await room.join('bob')
  const cem = await room.join('cem')
  room.pass(LIMITS.sessionMinutes)
  const ada = await room.join('ada')

  const ended = await room.do(ada, 'session_end', { session_id: bob.session_id })
  const left = await room.emitted(() => room.do(ada, 'leave', { participant_id: cem.participant_id }))
  const swept = await room.emitted(() => room.room.expire())

  assert.equal(ended.end_reason, 'expired')
  assert.deepEqual(left, ['session.expired', 'participant.left'])
  assert.deepEqual(swept, [])
  const expired = (await room.events()).filter(({ event_type }) => event_type === 'session.expired')
  assert.deepEqual(
    expired.map(({ payload, actor_id }) => [payload['participant_id'], payload['status'], actor_id]),
    [
      [bob.participant_id, 'expired', undefined],
      [cem.participant_id, 'expired', undefined],
    ],
  )
})
