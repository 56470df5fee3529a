import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Capability } from '../../../server/plugin.ts'
import { filesBelow } from '../../../test/harness/files-below.ts'
import { parseJoinUri } from '../domain/invitation.ts'
import { LIMITS } from '../domain/limits.ts'
import { approved, OPERATIONS, type Operation, openTestRoom, redeemed } from '../testing/test-room.ts'
import { eventsAfter, roomView, sessionsPage } from './views.ts'

test('the first start creates the room once; every start and clean stop is told', async (t) => {
  const room = await openTestRoom(t)
  const second = await room.reopen('clean')
  const third = await second.reopen('killed')

  const events = await third.events()

  assert.deepEqual(
    events.map(({ event_id, event_type, version, payload }) => [
      event_id,
      event_type,
      version,
      payload['status'],
    ]),
    [
      [1, 'workspace.created', 1, undefined],
      [2, 'workspace.started', 1, undefined],
      [3, 'workspace.stopped', undefined, undefined],
      [4, 'workspace.started', 1, undefined],
      [5, 'workspace.started', 1, 'recovered'],
    ],
  )
})

const NEEDS: Readonly<Record<Operation, Capability | 'admin'>> = {
  checkout: 'checkout',
  renew: 'checkout',
  release: 'checkout',
  propose: 'propose',
  review: 'approve',
  withdraw: 'propose',
  rebase: 'propose',
  commit: 'commit',
  invite: 'invite',
  invite_revoke: 'invite',
  leave: 'admin',
  session_end: 'admin',
  handoff_create: 'propose',
  handoff_accept: 'propose',
  handoff_result: 'propose',
  handoff_review: 'approve',
  handoff_cancel: 'admin',
}

test('a call without its capability is denied and leaves no event, for every operation and capability', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const proposal = await approved(room, ada)
  const lease = await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
  const invitation = await room.do(ada, 'invite', {})
  const handoff = await room.do(ada, 'handoff_create', { title: 'T', objective: 'O' })
  const inputs: Record<Operation, object> = {
    checkout: { target: 'section:Plan/Steps' },
    renew: { lease_id: lease.lease_id },
    release: { lease_id: lease.lease_id },
    propose: { base_version: 1, summary: 's', content: 'c' },
    review: { proposal_id: proposal.proposal_id, approve: false },
    withdraw: { proposal_id: proposal.proposal_id },
    rebase: { proposal_id: proposal.proposal_id },
    commit: { proposal_id: proposal.proposal_id },
    invite: {},
    invite_revoke: { invite_id: invitation.invite_id },
    leave: { participant_id: ada.participant_id },
    session_end: { session_id: ada.session_id },
    handoff_create: { title: 'T', objective: 'O' },
    handoff_accept: { handoff_id: handoff.handoff_id },
    handoff_result: { handoff_id: handoff.handoff_id, summary: 's' },
    handoff_review: { handoff_id: handoff.handoff_id, approve: true },
    handoff_cancel: { handoff_id: handoff.handoff_id },
  }
  const others: Capability[] = ['read', 'observe', 'propose', 'checkout', 'commit', 'approve', 'invite']
  const sessions = await Promise.all(
    others.map(async (capability) => ({ capability, who: await room.join(capability, [capability]) })),
  )
  const latest = await room.latest()

  for (const operation of Object.keys(OPERATIONS) as Operation[]) {
    for (const { capability, who } of sessions) {
      if (NEEDS[operation] === capability) continue
      await assert.rejects(
        room.do(who, operation, inputs[operation] as never),
        { code: 'forbidden', reason: 'permission_denied' },
        `${operation} with ${capability}`,
      )
    }
  }
  assert.equal(await room.latest(), latest)
})

test('an unknown id of any kind is not found', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const cases: [Operation, object, string][] = [
    ['renew', { lease_id: 'lease_0000000000000000' }, 'lease_not_found'],
    ['release', { lease_id: 'x' }, 'lease_not_found'],
    ['review', { proposal_id: 'prop_0', approve: true }, 'proposal_not_found'],
    ['commit', { proposal_id: 'prop_0' }, 'proposal_not_found'],
    ['leave', { participant_id: 'par_0' }, 'participant_not_found'],
    ['session_end', { session_id: 'ssn_0' }, 'session_not_found'],
    ['invite_revoke', { invite_id: 'inv_0' }, 'invite_not_found'],
    ['handoff_accept', { handoff_id: 'ho_0' }, 'handoff_not_found'],
    ['handoff_create', { title: 'T', objective: 'O', to: 'par_0' }, 'participant_not_found'],
  ]
  for (const [operation, input, reason] of cases) {
    await assert.rejects(room.do(ada, operation, input as never), { code: 'not_found', reason }, operation)
  }
})

test('a thousand concurrent mutations keep events, versions and fences in one order', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')

  await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      if (index % 2 === 0) return room.do(ada, 'handoff_create', { title: `${index}`, objective: 'O' })
      const { lease_id } = await room.do(ada, 'checkout', { target: 'section:Plan/Goals' })
      return room.do(ada, 'release', { lease_id })
    }),
  )

  const events = await room.events()
  const ids = events.map(({ event_id }) => event_id)
  assert.deepEqual(
    ids,
    ids.map((_, index) => (ids[0] ?? 0) + index),
  )
  const told = room.news.flatMap((news) => news.events.map(({ event_id }) => event_id))
  assert.deepEqual(
    told,
    [...told].sort((a, b) => a - b),
  )
  const fences = events.flatMap(({ event_type, payload }) =>
    event_type === 'lease.acquired' && payload['renewed'] === undefined ? [Number(payload['fence'])] : [],
  )
  assert.deepEqual(
    fences,
    [...fences].sort((a, b) => a - b),
  )
  for (let index = 1; index < events.length; index += 1) {
    assert.ok((events[index]?.created_at ?? '') >= (events[index - 1]?.created_at ?? ''))
  }
})

test('limits are met exactly: sessions, pending proposals, names', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('a'.repeat(LIMITS.nameChars))
  await assert.rejects(room.join('a'.repeat(LIMITS.nameChars + 1)), {
    code: 'invalid',
    reason: 'limit_exceeded',
  })
  for (let count = 1; count < LIMITS.liveSessions; count += 1) await room.join(`p${count}`)
  await assert.rejects(room.join('one too many'), { code: 'rate_limited', reason: 'limit_exceeded' })
  const propose = () => room.do(ada, 'propose', { base_version: 1, summary: 's', content: 'c' })

  await Promise.all(Array.from({ length: LIMITS.pendingProposalsPerParticipant }, propose))

  await assert.rejects(propose(), {
    code: 'rate_limited',
    reason: 'limit_exceeded',
    details: { limit: LIMITS.pendingProposalsPerParticipant }, // waiting does not help
  })
})

test('what is asked for is taken at its limit and refused one above', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const base = { base_version: 1, content: 'c' }
  const week = LIMITS.inviteMaxMinutes
  const padded = (bytes: number) => ({ pad: 'x'.repeat(bytes - '{"pad":""}'.length) })
  const handoff = (bytes: number) => ({ title: 'T', objective: 'O', record: padded(bytes) })

  await room.do(ada, 'invite', { minutes: week, max_uses: LIMITS.inviteMaxUses })
  await room.do(ada, 'propose', { ...base, summary: 's'.repeat(LIMITS.storedSummaryChars) })
  await room.do(ada, 'checkout', { target: 'workspace', minutes: LIMITS.leaseMaxMinutes })
  const fits = room.do(ada, 'handoff_create', handoff(LIMITS.handoffRecordBytes))
  await assert.rejects(fits, { reason: 'handoff_record_invalid' }) // it is looked into

  const refused = [
    room.do(ada, 'invite', { minutes: week + 1 }),
    room.do(ada, 'invite', { max_uses: LIMITS.inviteMaxUses + 1 }),
    room.do(ada, 'propose', { ...base, summary: 's'.repeat(LIMITS.storedSummaryChars + 1) }),
    room.do(ada, 'checkout', { target: 'workspace', minutes: LIMITS.leaseMaxMinutes + 1 }),
    room.do(ada, 'handoff_create', handoff(LIMITS.handoffRecordBytes + 1)),
  ]
  for (const call of refused) await assert.rejects(call, { reason: 'limit_exceeded' })
})

test('no file, event or answer contains a secret', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { uri } = await room.do(ada, 'invite', { max_uses: 3, idempotency_key: 'inv' })
  const secret = parseJoinUri(uri)?.secret ?? ''
  const guest = await redeemed(room, uri)
  const content = 'a body that belongs into no event 4711'
  await room.do(ada, 'propose', { base_version: 1, summary: 's', content })
  const answers = JSON.stringify([
    await room.look(ada, roomView),
    await room.look(ada, (view) => sessionsPage(view, {})),
    await room.look(ada, (view) => eventsAfter(view, { since_event_id: 0, limit: 200 })),
    room.news,
  ])
  const closed = await room.reopen('clean')

  const sidecar = join(room.file, '..', '.plan.md.satchel')
  for (const [name, bytes] of filesBelow(sidecar))
    for (const hidden of [secret, ada.token, guest.token]) assert.ok(!bytes.includes(hidden), name)
  for (const hidden of [secret, ada.token, guest.token]) assert.ok(!answers.includes(hidden))
  const events = JSON.stringify(await closed.events())
  for (const hidden of [secret, ada.token, content, '127.0.0.1']) assert.ok(!events.includes(hidden))
  assert.ok(!events.includes(ada.session_id))
})
