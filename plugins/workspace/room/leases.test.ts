import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../domain/limits.ts'
import { approved, GOALS, openTestRoom } from '../testing/test-room.ts'

test('a lease is taken, renewed, released once and ends on its own once, also across a restart', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  const taken = await room.emitted(() => room.do(ada, 'checkout', { target: '*' }))
  const lease = await room.do(ada, 'checkout', { target: 'workspace', minutes: 20 })
  const renewal = await room.emitted(() => room.do(ada, 'renew', { lease_id: lease.lease_id }))
  const both = await room.emitted(() =>
    Promise.all([
      room.do(ada, 'release', { lease_id: lease.lease_id }),
      room.do(ada, 'release', { lease_id: lease.lease_id }),
    ]),
  )
  const next = await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
  const again = await room.reopen('killed')
  again.pass(LIMITS.leaseMinutes)
  const expired = await again.emitted(() => again.room.expire())
  const twice = await again.emitted(() => again.room.expire())

  assert.deepEqual(taken, ['lease.acquired'])
  assert.deepEqual(renewal, ['lease.acquired'])
  assert.deepEqual(both, ['lease.released'])
  assert.equal(lease.fence, 1)
  assert.equal(next.fence, 2)
  assert.deepEqual([expired, twice], [['lease.expired'], []])
  await assert.rejects(again.do(ada, 'renew', { lease_id: next.lease_id }), { reason: 'lease_not_active' })
})

test('a lease never runs past 120 minutes, and its limits are refused one above', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const lease = await room.do(ada, 'checkout', { target: 'workspace', minutes: 120 })

  await assert.rejects(room.do(ada, 'renew', { lease_id: lease.lease_id, minutes: 1 }), {
    code: 'rate_limited',
    reason: 'limit_exceeded',
    details: { limit: 120, expires_at: lease.expires_at }, // waiting does not help
  })
  await assert.rejects(room.do(ada, 'checkout', { target: 'workspace', minutes: 121 }), { code: 'invalid' })
  await assert.rejects(room.do(ada, 'checkout', { target: 'workspace', minutes: 0 }), {
    code: 'invalid',
    details: { limit: 120, least: 1 },
  })
})

test('renewing a lease never ends it sooner', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const lease = await room.do(ada, 'checkout', { target: 'workspace', minutes: 100 })

  const again = await room.do(ada, 'checkout', { target: 'workspace' })
  const renewal = await room.do(ada, 'renew', { lease_id: lease.lease_id, minutes: 1 })

  assert.deepEqual([again.expires_at, renewal.expires_at], [lease.expires_at, lease.expires_at])
})

test('a lease keeps others from leasing and committing what it overlaps, unless an admin forces it', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob', ['read', 'propose', 'checkout', 'commit', 'approve'])
  await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
  const { proposal_id } = await approved(room, bob, { target: 'section:Plan/Goals', content: GOALS })
  const conflict = { code: 'conflict', reason: 'lease_conflict' }

  await assert.rejects(room.do(bob, 'checkout', { target: 'workspace' }), conflict)
  await assert.rejects(room.do(bob, 'checkout', { target: 'section:Plan' }), conflict)
  await room.do(bob, 'checkout', { target: 'section:Plan/Steps' })
  await assert.rejects(room.do(bob, 'commit', { proposal_id }), conflict)
  await assert.rejects(room.do(bob, 'commit', { proposal_id, force: true }), conflict)
  await assert.rejects(room.do(ada, 'commit', { proposal_id, fence: 99 }), { reason: 'stale_fence' })
  await room.do(ada, 'commit', { proposal_id, fence: 1 })
})

test('a target can be called with as an event gave it, also where its heading is an emoji of several', async (t) => {
  const room = await openTestRoom(t, { text: '# Plan\n\n## 👩‍💻 Dev\none\n' })
  const ada = await room.join('ada')
  const lease = await room.do(ada, 'checkout', { target: 'section:Plan/👩‍💻 Dev' })

  const told = (await room.events()).find(({ event_type }) => event_type === 'lease.acquired')

  assert.equal(told?.payload['target'], lease.target)
  await room.do(ada, 'checkout', { target: String(told?.payload['target']) })
})

test('leaving releases the leases that are active, and one that has ended expires', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await room.do(ada, 'checkout', { target: 'section:Plan/Goals', minutes: 1 })
  await room.do(ada, 'checkout', { target: 'section:Plan/Steps', minutes: 5 })
  room.pass(1) // past the end of the first, before any timer

  const emitted = await room.emitted(() => room.do(ada, 'leave', {}))

  assert.deepEqual(emitted, ['lease.expired', 'lease.released', 'participant.left'])
})
