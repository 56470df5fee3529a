import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import type { RoomEvent } from '../plugins/workspace/domain/event.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import type { After } from '../server/fanout/after.ts'
import { HEARTBEAT_MS } from '../server/fanout/event-stream.ts'
import { type OpenStream, openRoomServer, openStream, type RoomServer } from './workspace-server-fixture.ts'

const OBSERVE = '/workspace/observe'
/** What `GET /mcp` asks for. */
const HINTS = { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' }

/** Timers that run by themselves, except the heartbeat: it is put into `beats`, for the test to let it beat. */
function holding(beats: (() => void)[]): After {
  return (ms, work) => {
    if (ms === HEARTBEAT_MS) beats.push(work)
    const timer = ms === HEARTBEAT_MS ? undefined : setTimeout(work, ms)
    return () => clearTimeout(timer)
  }
}

function eventsOf(blocks: readonly string[]): RoomEvent[] {
  return blocks.flatMap((block) => {
    const match = /^id: (\d+)\ndata: (.*)$/.exec(block)
    return match?.[2] ? [JSON.parse(match[2]) as RoomEvent] : []
  })
}

const RESYNC = /^event: resync\ndata: \{"reason":"(gap|lagged)"\}$/
const resyncsIn = (blocks: readonly string[]): number => blocks.filter((block) => RESYNC.test(block)).length

function propose(server: RoomServer, token: string, summary: string) {
  return server.ask(server.ingress, 'POST', '/workspace/propose', {
    token,
    body: { base_version: 1, summary, content: 'c' },
  })
}

const seen = (summary: string) => (blocks: readonly string[]) =>
  eventsOf(blocks).some(({ payload }) => payload['summary'] === summary)

test('the stream replays what is kept after the cursor, then goes live, in the exact frame format', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  await propose(server, token, 'before')

  const stream = await openStream(server.ingress, OBSERVE, { token })
  await stream.until(seen('before'))
  await propose(server, token, 'after')
  const blocks = await stream.until(seen('after'))

  assert.equal(stream.headers['content-type'], 'text/event-stream')
  assert.equal(blocks[0], 'retry: 5000')
  const ids = eventsOf(blocks).map(({ event_id }) => event_id)
  assert.deepEqual(
    ids,
    ids.map((_, index) => index + 1),
  )
  for (const block of blocks.slice(1))
    assert.match(block, /^id: \d+\ndata: \{"event_id":\d+,"event_type":"[a-z.]+_?[a-z]*",/)
  stream.close()
})

test('the header is the cursor, and the query only where there is no header', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  const first = async (path: string, headers: Record<string, string> = {}) => {
    const stream = await openStream(server.ingress, path, { token, headers })
    await propose(server, token, path + JSON.stringify(headers))
    const blocks = await stream.until((all) => eventsOf(all).length > 0)
    stream.close()
    return eventsOf(blocks)[0]?.event_id
  }

  assert.equal(await first(`${OBSERVE}?since_event_id=3`), 4)
  assert.equal(await first(`${OBSERVE}?since_event_id=3`, { 'last-event-id': '2' }), 3)
  assert.equal(await first(OBSERVE), 1)
})

test('a cursor that is not an event id is refused before the first byte', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')

  for (const cursor of ['abc', '-1', '1'.repeat(17), '1.5', '%20']) {
    const { status, json, headers } = await server.ask(
      server.ingress,
      'GET',
      `${OBSERVE}?since_event_id=${cursor}`,
      { token },
    )
    assert.deepEqual([status, json['code']], [400, 'invalid'], cursor)
    assert.equal(headers['content-type'], 'application/problem+json')
  }
})

test('without a session 401, without observe 403, both before the stream', async (t) => {
  const server = await openRoomServer(t)
  const reader = await server.join('reader', ['read'])

  const none = await server.ask(server.ingress, 'GET', OBSERVE)
  const wrong = await server.ask(server.ingress, 'GET', OBSERVE, { token: 'ses_wrong' })
  const blind = await server.ask(server.ingress, 'GET', OBSERVE, { token: reader.token })

  assert.deepEqual([none.status, wrong.status, blind.status], [401, 401, 403])
  assert.equal(blind.json['reason'], 'permission_denied')
})

test('a cursor before the ring or ahead of it is told as a gap, then what is kept, then live', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')

  const ahead = await openStream(server.ingress, `${OBSERVE}?since_event_id=99999`, { token })
  await propose(server, token, 'live')
  const blocks = await ahead.until(seen('live'))

  assert.equal(blocks[1], 'event: resync\ndata: {"reason":"gap"}')
  assert.equal(eventsOf(blocks).length, 1)
  ahead.close()
})

test('leaving, revoking and ending close the streams of events and of hints immediately', async (t) => {
  const server = await openRoomServer(t)
  const owner = await server.join('owner', ['*'])
  const ways: ((who: { session_id: string; participant_id: string; token: string }) => Promise<unknown>)[] = [
    ({ session_id }) =>
      server.ask(server.ingress, 'DELETE', `/workspace/sessions/${session_id}`, { token: owner.token }),
    ({ participant_id }) =>
      server.ask(server.ingress, 'POST', '/workspace/leave', {
        token: owner.token,
        body: { participant_id },
      }),
    ({ token }) => server.ask(server.ingress, 'POST', '/workspace/leave', { token, body: {} }),
  ]
  for (const end of ways) {
    const guest = await server.join('guest')
    const stream = await openStream(server.ingress, OBSERVE, { token: guest.token })
    const hints = await openStream(server.ingress, '/mcp', { token: guest.token, headers: HINTS })
    const other = await openStream(server.ingress, '/mcp', { token: owner.token, headers: HINTS })
    let otherEnded = false
    void other.ended.then(() => {
      otherEnded = true
    })
    await stream.until((blocks) => blocks.length > 1)
    await end(guest)
    await Promise.all([stream.ended, hints.ended])
    assert.equal(otherEnded, false)
    other.close()
    const after = await server.ask(server.ingress, 'GET', '/workspace/status', { token: guest.token })
    assert.deepEqual([after.status, after.json['reason']], [401, 'session_expired'])
  }
})

test('the heartbeat looks at the session again and ends the stream', async (t) => {
  const timers: (() => void)[] = []
  const server = await openRoomServer(t, {
    after: holding(timers),
  })
  const { token } = await server.join('ada')
  const stream = await openStream(server.ingress, OBSERVE, { token })
  await stream.until((blocks) => blocks.length > 1)

  timers.shift()?.()
  const blocks = await stream.until((all) => all.includes(': hb'))

  assert.ok(blocks.includes(': hb'))
  stream.close()
})

/** A clock that moves only when it is told to, however long calls take. */
function stillClock() {
  let micros = realWorld.nowMicros()
  return {
    nowMicros: () => micros,
    passMinute() {
      micros += 60_000_000
    },
  }
}

test('a look at the whole room is a call of its session like any other', async (t) => {
  const clock = stillClock()
  const server = await openRoomServer(t, clock)
  const { token } = await server.join('ada')
  const look = () => server.ask(server.ingress, 'GET', '/workspace/room', { token })
  let last = await look()
  for (let calls = 1; last.status === 200 && calls <= LIMITS.callsPerMinute; calls += 1) last = await look()

  const task = await server.ask(server.ingress, 'POST', `/workspace/tasks/task_${'0'.repeat(32)}`, {
    token,
    body: { kind: 'get' },
  })
  clock.passMinute()
  const later = await look()

  assert.deepEqual([last.status, last.json['reason']], [429, 'limit_exceeded'])
  assert.equal(task.status, 429)
  assert.equal(later.status, 200)
})

test('the heartbeat is not a call: a stream stays open when its session may make no more calls this minute', async (t) => {
  const beats: (() => void)[] = []
  const server = await openRoomServer(t, { ...stillClock(), after: holding(beats) })
  const { token } = await server.join('ada')
  const stream = await openStream(server.ingress, OBSERVE, { token })
  await stream.until((blocks) => blocks.length > 1)
  const call = () => server.ask(server.ingress, 'GET', '/workspace/leases', { token })
  let last = await call()
  for (let calls = 1; last.status === 200 && calls <= LIMITS.callsPerMinute; calls += 1) last = await call()

  beats.shift()?.()
  const beaten = await Promise.race([
    stream.until((all) => all.includes(': hb')).then(() => true),
    stream.ended.then(() => false),
  ])

  assert.deepEqual([last.status, beaten], [429, true])
  stream.close()
})

test('a session that runs out under an open stream ends it at the next heartbeat, and commits go on', async (t) => {
  const beats: (() => void)[] = []
  let passed = 0
  const server = await openRoomServer(t, {
    nowMicros: () => realWorld.nowMicros() + passed,
    after: holding(beats),
  })
  const { token } = await server.join('ada')
  const stream = await openStream(server.ingress, OBSERVE, { token })
  await stream.until((blocks) => blocks.length > 1)

  passed = LIMITS.sessionMinutes * 60_000_000
  for (const beat of beats) beat()
  await stream.ended

  const later = await server.join('bo')
  assert.equal((await propose(server, later.token, 'after')).status, 200)
  const refused = await server.ask(server.ingress, 'GET', OBSERVE, { token })
  assert.deepEqual([refused.status, refused.json['reason']], [401, 'session_expired'])
})

test('a stream beyond those of its session is refused with when to come again', async (t) => {
  const server = await openRoomServer(t, { maxStreams: 3 })
  const { token } = await server.join('ada')
  const open: OpenStream[] = []
  for (let count = 0; count < 3; count += 1) open.push(await openStream(server.ingress, OBSERVE, { token }))

  const refused = await server.ask(server.ingress, 'GET', OBSERVE, { token })

  assert.deepEqual([refused.status, refused.json['reason']], [429, 'limit_exceeded'])
  assert.equal(refused.headers['retry-after'], '5')
  for (const stream of open) stream.close()
})

test('an edit of the file by hand arrives as an event without any call', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  const stream = await openStream(server.ingress, OBSERVE, { token })

  await writeFile(server.file, '# Plan\nby hand\n')
  const blocks = await stream.until(seen('external edit'))

  assert.equal(eventsOf(blocks).at(-1)?.event_type, 'change.committed')
  stream.close()
})

test('every reader ends with the same events, for all that it missed and wherever it resumed', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  const got = new Map<number, RoomEvent>()
  let cursor = 0
  for (let round = 0; round < 6; round += 1) {
    const stream = await openStream(server.ingress, `${OBSERVE}?since_event_id=${cursor}`, { token })
    await Promise.all(Array.from({ length: 5 }, (_, index) => propose(server, token, `${round}/${index}`)))
    await stream.until((blocks) => eventsOf(blocks).length >= 1 + (round % 4))
    for (const event of eventsOf(stream.blocks)) {
      assert.ok(!got.has(event.event_id), 'an event came twice')
      got.set(event.event_id, event)
      cursor = event.event_id
    }
    stream.close()
  }
  const last = await openStream(server.ingress, `${OBSERVE}?since_event_id=${cursor}`, { token })
  await propose(server, token, 'the end')
  for (const event of eventsOf(await last.until(seen('the end')))) got.set(event.event_id, event)
  last.close()

  const stored = await server.ask(server.ingress, 'GET', '/workspace/events?since_event_id=0&limit=200', {
    token,
  })

  assert.deepEqual([...got.values()], stored.json['events'])
})

test('readers and the terminal show that the file is missing, invalid or readable again, without an event', async (t) => {
  const notes: string[] = []
  const server = await openRoomServer(t, { note: (line) => notes.push(line) })
  const { token } = await server.join('ada')
  const stream = await openStream(server.ingress, `${OBSERVE}?since_event_id=99999`, { token })
  const roomNow = async () => (await server.ask(server.ingress, 'GET', '/workspace/room', { token })).json
  const before = await roomNow()
  let told = 1
  await stream.until((blocks) => resyncsIn(blocks) === told) // the gap of its cursor
  const after = async (work: () => Promise<void>) => {
    await work()
    told += 1
    await stream.until((blocks) => resyncsIn(blocks) === told)
    return (await roomNow())['status']
  }

  const missing = await after(() => rm(server.file))
  const invalid = await after(() => writeFile(server.file, Buffer.from([0xff, 0xfe, 0xff])))
  const ok = await after(() => writeFile(server.file, '# Plan\n\n## Goals\none\n'))

  assert.deepEqual(
    [missing, invalid, ok].map((status) => (status as { substrate: string }).substrate),
    ['missing', 'invalid', 'ok'],
  )
  assert.equal((await roomNow())['latest_event_id'], before['latest_event_id'])
  assert.ok(stream.blocks.every((block) => !block.startsWith('event') || RESYNC.test(block)))
  assert.deepEqual(
    notes.map((line) => line.split('. ')[0]),
    ['plan.md is missing', 'plan.md is not UTF-8 text of at most 4 MiB', 'plan.md can be read again.'],
  )
})
