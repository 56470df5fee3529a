import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestRoom, redeemed } from '../testing/test-room.ts'
import { status } from './views.ts'

test('an invitation is redeemed as often as it says; unknown, expired, revoked and used secrets do nothing', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const created = await room.emitted(() => room.do(ada, 'invite', {}))
  const { uri } = await room.do(ada, 'invite', { capabilities: ['read'], max_uses: 1 })

  const joined = await room.emitted(() => redeemed(room, uri))
  const used = await room.emitted(() => redeemed(room, uri))
  const late = await room.do(ada, 'invite', { minutes: 1 })
  const revoked = await room.do(ada, 'invite', {})
  const revoke = () => room.do(ada, 'invite_revoke', { invite_id: revoked.invite_id })
  const both = await room.emitted(() => Promise.all([revoke(), revoke()]))
  room.pass(1)

  assert.deepEqual(created, ['invite.created'])
  assert.deepEqual(joined, ['participant.joined', 'session.created'])
  assert.deepEqual(used, [])
  assert.deepEqual(both, ['invite.revoked'])
  const latest = await room.latest()
  await assert.rejects(redeemed(room, uri), { code: 'conflict', reason: 'invitation_redeemed' })
  await assert.rejects(redeemed(room, late.uri), { code: 'forbidden', reason: 'invitation_expired' })
  await assert.rejects(redeemed(room, revoked.uri), { code: 'forbidden', reason: 'invitation_revoked' })
  await assert.rejects(redeemed(room, 'nonsense'), { code: 'unauthorized', reason: 'invitation_unknown' })
  assert.equal(await room.latest(), latest)
})

test('a participant invites to at most its own capabilities', async (t) => {
  const room = await openTestRoom(t)
  const bob = await room.join('bob', ['read', 'invite'])

  const { capabilities } = await room.do(bob, 'invite', {})

  assert.deepEqual(capabilities, ['read'])
  for (const asked of [['admin'], ['*'], ['read', 'approve']]) {
    await assert.rejects(room.do(bob, 'invite', { capabilities: asked }), { code: 'forbidden' })
  }
})

test('revoking an invitation leaves its sessions alone unless asked to end them', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { uri, invite_id } = await room.do(ada, 'invite', { max_uses: 2 })
  const guest = await redeemed(room, uri)

  await room.do(ada, 'invite_revoke', { invite_id })
  const alive = await room.look(guest, status)
  const ended = await room.emitted(() => room.do(ada, 'invite_revoke', { invite_id, end_sessions: true }))

  assert.equal(alive.you.name, 'guest')
  assert.deepEqual(ended, ['session.expired'])
  await assert.rejects(room.look(guest, status), { reason: 'session_expired' })
})

test('end_sessions is for the creator of the invitation and admins; invite alone revokes any invitation', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'invite'])
  const { uri, invite_id } = await room.do(ada, 'invite', { capabilities: ['*'] })
  const guest = await redeemed(room, uri)
  const own = await room.do(bob, 'invite', { max_uses: null })
  const guestOfBob = await redeemed(room, own.uri, 'other')

  const denied = await room.emitted(() =>
    assert.rejects(room.do(bob, 'invite_revoke', { invite_id, end_sessions: true }), {
      code: 'forbidden',
      reason: 'permission_denied',
    }),
  )
  const revoked = await room.emitted(() => room.do(bob, 'invite_revoke', { invite_id }))
  const ended = await room.emitted(() =>
    room.do(bob, 'invite_revoke', { invite_id: own.invite_id, end_sessions: true }),
  )

  assert.deepEqual(denied, [])
  assert.deepEqual(revoked, ['invite.revoked'])
  assert.equal((await room.look(guest, status)).you.name, 'guest')
  assert.deepEqual(ended, ['invite.revoked', 'session.expired'])
  await assert.rejects(room.look(guestOfBob, status), { reason: 'session_expired' })
})
