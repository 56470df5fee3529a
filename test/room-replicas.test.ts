import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPass } from '../plugins/workspace/connection/replica-pass.ts'
import { post } from '../server/mcp/testing/http-client.ts'
import { legacy } from '../server/mcp/testing/messages.ts'
import { openSession, resultOf } from '../server/mcp/testing/sessions.ts'
import { startPostgres } from './postgres-server.ts'
import { type Replica, TOKEN } from './replicas.ts'
import {
  callRoom,
  hold,
  inviteAt,
  joinAt,
  openHostileOwner,
  openRoomTeam,
  ownerOf,
  passKeyOf,
  readEvents,
} from './room-replicas.ts'

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Adds a line to the document: one committed change. */
async function commit({ address }: Replica, token: string, base_version: number, line: string) {
  const content = `# Plan\n\n${line}\n`
  const body = { base_version, content, summary: line }
  return callRoom(address, 'POST', '/workspace/commit', { token, body })
}

test('every server of the database serves a room that one of them has, over REST, MCP and streams', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const machines = await openRoomTeam(t, server, [{}, {}, {}])
  const [one, two, three] = machines as [Replica, Replica, Replica]
  const invite = await inviteAt(one, server, '*')
  const token = await joinAt(two, invite, 'ada')
  const reader = await joinAt(three, await inviteAt(one, server, 'read'), 'bob')

  const stream = await readEvents(t, three, token, 0)
  const committed = await commit(two, token, 1, 'from two')
  const read = await callRoom(three.address, 'GET', '/workspace/read', { token })
  const whole = await callRoom(three.address, 'GET', '/workspace/room', { token })
  const markup = await callRoom(two.address, 'GET', '/workspace/markup', { token })
  const own = await openSession(`${three.address}/mcp`, bearer(token))
  const called = await post(
    `${three.address}/mcp`,
    legacy(7, 'tools/call', { name: 'workspace_status', arguments: {} }),
    own,
  )
  const resource = await post(
    `${two.address}/mcp`,
    legacy(8, 'resources/read', { uri: 'satchel://workspace/document' }),
    await openSession(`${two.address}/mcp`, bearer(token)),
  )
  const denied = await commit(two, reader, 2, 'not allowed')
  const unseen = await readEvents(t, two, reader, 0)
  const unknown = await callRoom(two.address, 'GET', '/workspace/status', { token: 'ses_unknown' })
  const again = await callRoom(two.address, 'POST', '/session/join', { body: { invite, name: 'eve' } })
  assert.equal(committed.status, 200, JSON.stringify(committed.json))
  await stream.commits(1)
  const here = await callRoom(one.address, 'GET', '/workspace/events?since_event_id=0', { token })

  assert.equal(ownerOf(server, machines), one)
  assert.deepEqual([read.json.version, read.json.content], [2, '# Plan\n\nfrom two\n'])
  assert.equal(whole.status, 200)
  assert.equal(markup.json.version, 2)
  assert.equal((resultOf(called)['structuredContent'] as { version: number }).version, 2)
  assert.match(JSON.stringify(resultOf(resource)), /from two/)
  assert.deepEqual([denied.status, denied.json.reason], [403, 'permission_denied'])
  assert.equal(unseen.status, 403)
  assert.equal(unknown.status, 401)
  assert.equal(again.json.reason, 'invitation_redeemed')
  const ids = stream.events.map(({ event_id }) => event_id)
  assert.deepEqual(
    ids,
    here.json.events.map(({ event_id }: { event_id: number }) => event_id).slice(0, ids.length),
  )
})

test('a room goes on at another server when its owner is killed, for writers and readers that were elsewhere', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const machines = await openRoomTeam(t, server, [{}, {}, {}])
  const [one, two, three] = machines as [Replica, Replica, Replica]
  const token = await joinAt(two, await inviteAt(one, server, '*'), 'ada')
  const first = await readEvents(t, three, token, 0)
  assert.equal((await commit(two, token, 1, 'before')).status, 200)
  await first.commits(1)

  await one.kill()
  const during = await commit(two, token, 2, 'while it is taken over')
  await first.ended
  const second = await readEvents(t, three, token, first.events.at(-1)?.event_id ?? 0)
  const after = await commit(three, token, 3, 'after')
  assert.deepEqual([during.status, after.status], [200, 200], JSON.stringify([during.json, after.json]))
  await second.commits(2)
  await one.start()
  const back = await callRoom(one.address, 'GET', '/workspace/events?since_event_id=0', { token })
  const text = await callRoom(one.address, 'GET', '/workspace/read', { token })

  assert.notEqual(ownerOf(server, machines), one)
  assert.deepEqual([text.json.version, text.json.content], [4, '# Plan\n\nafter\n'])
  assert.deepEqual([...first.told, ...second.told], [])
  const seen = [...first.events, ...second.events].map(({ event_id }) => event_id)
  const kept = back.json.events.map(({ event_id }: { event_id: number }) => event_id)
  assert.deepEqual(seen, kept.slice(0, seen.length))
})

test('the owner believes only passes of its own database, for rooms only', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const [one] = (await openRoomTeam(t, server, [{}])) as [Replica]
  const body = { invite: await inviteAt(one, server, '*'), name: 'ada' }
  const { json: joined } = await callRoom(one.address, 'POST', '/session/join', { body })
  const { token, session_id: session } = joined
  const key = passKeyOf(server)
  const passes = {
    'of the owner': newPass(key, session),
    'of another key': newPass({ ...key, key: Buffer.alloc(32) }, session),
    'of the owner before': newPass({ ...key, fence: '00000000-0000-4000-8000-000000000000' }, session),
    'that is old': newPass({ ...key, nowMs: () => Date.now() - 60_000 }, session),
    'of no session': newPass(key, 'ssn_unknown'),
  }
  const ask = async (token: string, path = '/workspace/status', body?: object) =>
    (await callRoom(one.address, body ? 'POST' : 'GET', path, { token, ...(body && { body }) })).status
  const change = { base_version: 1, content: '# Other\n', summary: 'not by a server itself' }

  const seen: Record<string, number> = {}
  for (const [what, pass] of Object.entries(passes)) seen[what] = await ask(pass)
  const outside = [await ask(passes['of the owner'], '/handoffs'), await ask(newPass(key), '/handoffs')]
  const itself = await ask(newPass(key), '/workspace/commit', change)
  const replicas = [passes['of the owner'], token, TOKEN].map((bearer) => ask(bearer, '/replica/ping'))
  const old = await callRoom(one.address, 'GET', '/workspace/status', { token: passes['that is old'] })

  assert.deepEqual(seen, {
    'of the owner': 200,
    'of another key': 401,
    'of the owner before': 401,
    'that is old': 401,
    'of no session': 401,
  })
  assert.equal(old.json.reason, 'pass_refused')
  assert.deepEqual(outside, [403, 403])
  assert.ok([401, 403].includes(itself), `${itself}`)
  assert.deepEqual(await Promise.all(replicas), [401, 401, 401])
  assert.equal(await ask(newPass(key), '/replica/ping'), 200)
})

test('what a server sends on: no token, nothing that it refuses itself, to no other address, and not to itself', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const [two] = (await openRoomTeam(t, server, [{}])) as [Replica]
  await two.kill()
  const there = await openHostileOwner(t)
  hold(server, there.address)
  await two.start()
  const ask = (method: string, path: string, body?: object) =>
    callRoom(two.address, method, path, { token: 'ses_secret', ...(body && { body }) })

  const refused = await ask('POST', '/workspace/commit', {
    base_version: 1,
    content: '',
    summary: 'no right',
  })
  const malformed = await ask('GET', '/workspace/events?since_event_id=no')
  const before = there.asked.map(({ path }) => path)
  const led = await ask('GET', '/workspace/status')
  there.close()
  hold(server, two.address)
  const itself = await ask('GET', '/workspace/status')

  assert.deepEqual([refused.status, malformed.status], [403, 400])
  assert.deepEqual(
    new Set(before.filter((path) => !path.startsWith('/workspace/observe'))),
    new Set(['/replica/ping', '/replica/session']),
  )
  assert.deepEqual([led.status, led.json.reason], [503, 'protocol_mismatch'])
  assert.equal(there.ledAstray(), 0)
  for (const { headers, body } of there.asked) {
    assert.match(String(headers.authorization), /^Bearer rep_/)
    assert.ok(!`${JSON.stringify(headers)}${body}`.includes('ses_secret'))
  }
  assert.deepEqual(
    [itself.status, itself.json.reason],
    [503, 'replica_unreachable'],
    JSON.stringify(itself.json),
  )
})
