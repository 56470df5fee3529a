import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { EVENT_TYPES, PAYLOAD_KEYS } from '../domain/event.ts'
import { LIMITS } from '../domain/limits.ts'
import { approved, openTestRoom } from '../testing/test-room.ts'

test('the newest 2000 events are kept, and ids go on after a restart', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  while ((await room.latest()) < 2500) {
    await Promise.all(
      Array.from({ length: Math.min(100, 2500 - (await room.latest())) }, () => room.do(ada, 'invite', {})),
    )
  }

  const ids = (await room.events()).map(({ event_id }) => event_id)
  const again = await room.reopen('clean')
  const after = (await again.events()).map(({ event_id }) => event_id)

  assert.deepEqual([ids[0], ids.at(-1), ids.length], [501, 2500, 2000])
  assert.deepEqual([after[0], after.at(-1)], [503, 2502])
})

test('an envelope has the keys of the specification in their order, and a payload only those of its event', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada\u202e\u{e0041}')
  await room.do(ada, 'propose', { base_version: 1, summary: '\u{1f600}'.repeat(241), content: 'x' })
  const keys = [
    'event_id',
    'event_type',
    'schema_version',
    'workspace_id',
    'created_at',
    'version',
    'actor_id',
    'payload',
  ]

  const events = await room.events()

  for (const event of events) {
    const present = Object.keys(event)
    assert.deepEqual(
      present,
      keys.filter((key) => present.includes(key)),
    )
    assert.equal(event.schema_version, 1)
    assert.match(event.created_at, /\.\d{6}\+00:00$/)
    const allowed = [...PAYLOAD_KEYS[event.event_type], 'status', 'summary']
    assert.deepEqual(
      Object.keys(event.payload).filter((key) => !allowed.includes(key)),
      [],
    )
  }
  assert.equal(events.at(-1)?.payload['summary'], '\u{1f600}'.repeat(240))
  assert.equal(events.find(({ event_type }) => event_type === 'participant.joined')?.payload['name'], 'ada')
  assert.ok(!EVENT_TYPES.some((type) => String(type) === 'workspace.updated'))
})

test('time never goes back, also when the clock does', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  room.setBack(600)
  await room.do(ada, 'invite', {})
  const again = await room.reopen('killed')

  const times = (await again.events()).map(({ created_at }) => created_at)

  assert.deepEqual(times, [...times].sort())
})

test('after a clock was set back between two starts, leases and sessions still end when their time is over', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  await room.do(ada, 'checkout', { target: '*' })
  room.setBack(365 * 24 * 60)
  const again = await room.reopen('killed')

  const next = await again.room.expire()
  again.pass(LIMITS.leaseMinutes)
  const after = await again.emitted(() => again.room.expire())
  again.pass(LIMITS.sessionMinutes)
  const later = await again.emitted(() => again.room.expire())
  const times = (await again.events()).map(({ created_at }) => created_at)

  const start = Date.UTC(2025, 10, 20, 13) * 1000
  assert.equal(next, start + LIMITS.leaseMinutes * 60_000_000)
  assert.deepEqual([after, later], [['lease.expired'], ['session.expired']])
  assert.deepEqual(times, [...times].sort())
})

test('the same key does a request once, and is refused for another request', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const input = { base_version: 1, summary: 's', content: 'c', idempotency_key: 'k1' }

  const first = await room.do(ada, 'propose', input)
  const again = await room.emitted(() => room.do(ada, 'propose', input))
  const repeat = await room.do(ada, 'propose', input)
  const others = await room.emitted(() => room.do(bob, 'propose', input))
  const invited = await room.do(ada, 'invite', { idempotency_key: 'k2' })
  const replayed = await room.do(ada, 'invite', { idempotency_key: 'k2' })
  const restarted = await room.reopen('killed')
  const afterRestart = await restarted.do(ada, 'propose', input)

  assert.deepEqual(again, [])
  assert.equal(repeat.proposal_id, first.proposal_id)
  assert.equal(afterRestart.proposal_id, first.proposal_id)
  assert.deepEqual(others, ['proposal.created'])
  await assert.rejects(restarted.do(ada, 'propose', { ...input, content: 'other' }), {
    code: 'conflict',
    reason: 'idempotency_mismatch',
  })
  assert.ok(invited.uri.startsWith('satchel://join/'))
  assert.ok(!('uri' in replayed))
  assert.equal((replayed as { replayed?: boolean }).replayed, true)
})

test('the newest 1000 keys of a participant are kept, independent of others', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const bob = await room.join('bob')
  const keyed = (who: typeof ada, key: string) => () =>
    room.do(who, 'checkout', { target: 'section:Plan/Goals', idempotency_key: key })
  await keyed(ada, 'k0')()
  await room.do(bob, 'checkout', { target: 'section:Plan/Steps', idempotency_key: 'other' })
  for (let n = 1; n <= 1000; n += 1) await keyed(ada, `k${n}`)()

  const second = await room.emitted(keyed(ada, 'k1'))
  const oldest = await room.emitted(keyed(ada, 'k0'))
  const others = await room.emitted(() =>
    room.do(bob, 'checkout', { target: 'section:Plan/Steps', idempotency_key: 'other' }),
  )

  assert.deepEqual([second, oldest, others], [[], ['lease.acquired'], []])
})

test('a stored refusal is answered again for the same key, without a second event', async (t) => {
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  await room.write('moved\n')
  const commit = () => room.do(ada, 'commit', { proposal_id, idempotency_key: 'c1' })

  await assert.rejects(commit(), { reason: 'stale_version' })
  const again = await room.emitted(commit)

  assert.deepEqual(again, [])
  await assert.rejects(commit(), { reason: 'stale_version' })
})

test('a key is kept for 24 hours and is free again after them', async (t) => {
  const room = await openTestRoom(t)
  const input = { target: 'workspace', minutes: 1, idempotency_key: 'k' }
  const again = async () => {
    const ada = await room.join('ada')
    return room.emitted(() => room.do(ada, 'checkout', input))
  }
  await again()

  room.pass(24 * 60)
  await room.room.expire()
  const within = await again()
  room.pass(8 * 60 + 1)
  await room.room.expire()
  const after = await again()

  assert.deepEqual([within, after], [[], ['lease.acquired']])
})

test('every event of a whole story passes the published schema', async (t) => {
  const schema = JSON.parse(readFileSync(join(import.meta.dirname, '../../../schemas/event.v1.json'), 'utf8'))
  const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema)
  assert.deepEqual(schema.properties.event_type.enum, EVENT_TYPES)
  const room = await openTestRoom(t)
  const ada = await room.join('ada')
  const { proposal_id } = await approved(room, ada)
  await room.do(ada, 'commit', { proposal_id })
  await room.do(ada, 'checkout', { target: 'workspace' })
  await room.do(ada, 'invite', {})
  await room.do(ada, 'handoff_create', { title: 'T', objective: 'O', target: 'section:Plan' })
  await room.write('by hand\n')
  await room.do(ada, 'leave', {})
  const again = await room.reopen('clean')

  for (const event of await again.events()) {
    assert.ok(validate(event), JSON.stringify([event, validate.errors]))
  }
  assert.ok(!validate({ ...(await again.events())[0], extra: 1 }))
})
