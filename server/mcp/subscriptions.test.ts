import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStream, postModern } from './testing/http-client.ts'
import { modern } from './testing/messages.ts'
import { bearer, serveHttp } from './testing/serve-http.ts'
import {
  errorOf,
  GET,
  ID,
  listen,
  openListen,
  resultOf,
  subscribe,
  updatedHint,
} from './testing/subscriptions.ts'

const unsubscribe = (uri: string) => modern(2, 'resources/unsubscribe', { uri })

test('a subscription hints on every open GET stream of its principal, once at connect and then per change', async (t) => {
  const { url, world } = await serveHttp(t)
  const answer = await postModern(url, subscribe('sample://status'))
  const streams = await Promise.all([1, 2].map(() => openStream(url, GET)))
  await Promise.all(streams.map((stream) => stream.arrived(1)))

  world.changed('sample://status')
  const seen = await Promise.all(streams.map((stream) => stream.arrived(2)))

  assert.deepEqual(answer.body, {
    jsonrpc: '2.0',
    id: 1,
    result: {
      resultType: 'complete',
      _meta: {
        'io.modelcontextprotocol/serverInfo': { name: 'satchel', title: 'Satchel', version: '1.0.0' },
      },
    },
  })
  for (const messages of seen) {
    assert.deepEqual(messages, [updatedHint('sample://status'), updatedHint('sample://status')])
  }
  for (const stream of streams) {
    assert.ok(!/^id:/m.test(stream.text()))
    assert.match(stream.text(), /^event: message\ndata: \{/)
    assert.equal(stream.headers.get('x-accel-buffering'), 'no')
    assert.match(stream.headers.get('cache-control') ?? '', /no-cache, no-transform/)
    stream.close()
  }
})

test('subscribing takes effect immediately on open streams, without a hint; unsubscribing ends it', async (t) => {
  const { url, world } = await serveHttp(t)
  const stream = await openStream(url, GET)
  t.after(() => stream.close())
  await postModern(url, subscribe('sample://status'))
  await postModern(url, subscribe('sample://status'))
  await sleep(5)
  assert.equal(stream.messages().length, 0)

  world.changed('sample://status')
  await stream.arrived(1)
  const again = [
    await postModern(url, unsubscribe('sample://status')),
    await postModern(url, unsubscribe('x://y')),
  ]
  world.changed('sample://status')
  await sleep(10)

  assert.deepEqual(
    again.map(({ status, body }) => [status, resultOf(body)['resultType']]),
    [
      [200, 'complete'],
      [200, 'complete'],
    ],
  )
  assert.equal(stream.messages().length, 1)
})

test('another principal’s subscription sends no hint', async (t) => {
  const { url, world } = await serveHttp(t)
  await postModern(url, subscribe('sample://status'), bearer('ses_ada'))
  const mine = await openStream(url, { ...GET, ...bearer('ses_ada') })
  const other = await openStream(url, GET)
  await mine.arrived(1)

  world.changed('sample://status')
  await mine.arrived(2)

  assert.equal(other.messages().length, 0)
  mine.close()
  other.close()
})

test('every refused subscription is the same answer, byte for byte but for the id', async (t) => {
  const { url } = await serveHttp(t)
  const uris = [
    'sample://nothing',
    'sample://manual',
    'sample://room',
    `sample://${'x'.repeat(3000)}`,
    'sample://note/x/1',
  ]
  const refused = await Promise.all([
    ...uris.map((uri) => postModern(url, subscribe(uri))),
    postModern(url, modern(1, 'resources/subscribe')),
    postModern(url, modern(1, 'resources/subscribe', { uri: 5 })),
    postModern(url, subscribe('sample://room'), bearer('ses_ada')).then(async () =>
      postModern(url, subscribe('sample://nothing'), bearer('ses_ada')),
    ),
  ])

  for (const { status, body } of refused) {
    assert.equal(status, 200)
    assert.deepEqual(body, {
      jsonrpc: '2.0',
      error: { code: -32602, message: 'Unknown or unsubscribable resource' },
      id: 1,
    })
  }
})

test('a room session without read is refused with 403', async (t) => {
  const { url } = await serveHttp(t)

  const refused = await postModern(url, subscribe('sample://nothing', 's'), bearer('ses_bob'))
  const stream = await fetch(url, { headers: { ...GET, accept: 'text/event-stream', ...bearer('ses_bob') } })

  assert.equal(refused.status, 403)
  assert.equal(refused.body?.id, 's')
  assert.deepEqual(errorOf(refused).data, { code: 'forbidden', reason: 'permission_denied' })
  assert.equal(stream.status, 403)
})

test('the 257th URI is one too many, a new process has forgotten all', async (t) => {
  const first = await serveHttp(t)
  for (let part = 0; part < 256; part++) {
    const answer = await postModern(first.url, subscribe(`sample://note/a%20b/${part}`))
    assert.equal(answer.status, 200, `${part}`)
    assert.ok(resultOf(answer.body), `${part}`)
  }

  const tooMany = await postModern(first.url, subscribe('sample://status'))
  const again = await postModern(first.url, subscribe('sample://note/a%20b/7'))
  const restarted = await serveHttp(t)
  const stream = await openStream(restarted.url, GET)
  await sleep(5)

  assert.equal(tooMany.status, 429)
  assert.deepEqual(errorOf(tooMany).data, { code: 'rate_limited', reason: 'subscription_limit' })
  assert.equal(again.status, 200)
  assert.equal(stream.messages().length, 0)
  stream.close()
})

test('subscriptions outlive their streams for 30 minutes', async (t) => {
  const clock = { now: 0 }
  const { url, host } = await serveHttp(t, { clock })
  await postModern(url, subscribe('sample://status'))
  const withoutStream = host.hub.listenerCount
  clock.now += 29 * 60_000
  const stream = await openStream(url, GET)
  await stream.arrived(1)
  stream.close()
  while (host.hub.listenerCount > withoutStream) await sleep(1)

  clock.now += 31 * 60_000
  const late = await openStream(url, GET)
  await sleep(5)

  assert.equal(late.messages().length, 0)
  late.close()
  while (host.hub.listenerCount > 0) await sleep(1)
})

test('the fifth GET stream of a principal is refused', async (t) => {
  const { url } = await serveHttp(t)
  const streams = await Promise.all([1, 2, 3, 4].map(() => openStream(url, GET)))

  const fifth = await fetch(url, { headers: { ...GET, accept: 'text/event-stream' } })

  assert.equal(fifth.status, 429)
  for (const stream of streams) stream.close()
})

test('above the streams a process can hold the next one is refused with 503', async (t) => {
  const { url } = await serveHttp(t, { limits: { maxStreams: 1 } })
  const first = await openStream(url, GET)

  const second = await fetch(url, { headers: { ...GET, accept: 'text/event-stream' } })
  const listening = await postModern(url, listen(1, {}))

  assert.equal(second.status, 503)
  assert.ok(second.headers.get('retry-after'))
  assert.equal(listening.status, 503)
  first.close()
})

test('a stream that is never read is closed and delays no other', async (t) => {
  const { url, world } = await serveHttp(t)
  const uri = `sample://note/a%20b/${'x'.repeat(1900)}`
  await postModern(url, subscribe(uri))
  const reading = await openStream(url, GET)
  const { hostname, port } = new URL(url)
  const stalled = connect(Number(port), hostname)
  t.after(() => {
    stalled.destroy()
    reading.close()
  })
  stalled.on('error', () => undefined)
  const headers = 'Accept: text/event-stream\r\nMCP-Protocol-Version: 2026-07-28'
  stalled.write(`GET /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers}\r\n\r\n`)
  stalled.pause()
  await reading.arrived(1)
  const before = process.memoryUsage.rss()

  let changes = 0
  const others = Array.from({ length: 3 }, () => openStream(url, GET))
  // The fifth stream is refused while the stalled one lives, so its end shows here.
  let fifth = 429
  while (fifth === 429) {
    for (let turn = 0; turn < 200; turn++, changes++) {
      world.changed(uri)
      await new Promise(setImmediate)
    }
    await reading.arrived(changes)
    const probe = await fetch(url, { headers: { ...GET, accept: 'text/event-stream' } })
    fifth = probe.status
    await probe.body?.cancel()
    assert.ok(changes < 20_000, 'the stalled stream was never closed')
  }

  for (const other of await Promise.all(others)) other.close()
  t.diagnostic(
    `closed after ${changes} changes, ${Math.round((process.memoryUsage.rss() - before) / 2 ** 20)} MiB`,
  )
  world.changed(uri)
  await reading.arrived(changes)
})

test('a GET stream ends before its next notification when the session is revoked', async (t) => {
  const { url, world, sessions } = await serveHttp(t)
  await postModern(url, subscribe('sample://room'), bearer('ses_ada'))
  const stream = await openStream(url, { ...GET, ...bearer('ses_ada') })
  await stream.arrived(1)

  sessions.delete('ses_ada')
  world.changed('sample://room')
  await stream.ended

  assert.equal(stream.messages().length, 1)
})

test('a silent stream and a listen end immediately when their caller loses its rights', async (t) => {
  const { url, world, sessions } = await serveHttp(t)
  const get = await openStream(url, { ...GET, ...bearer('ses_ada') })
  const listening = await openListen(url, listen('L', {}), bearer('ses_ada'))
  await listening.arrived(1)

  world.callerEnded('session:bob')
  sessions.delete('ses_ada')
  world.callerEnded('session:ada')
  await Promise.all([get.ended, listening.ended])

  assert.equal(listening.messages()[1]?.['id'], 'L')
})

test('neither subscriptions nor listeners are kept for callers that lost their rights', async (t) => {
  const { url, world, sessions, host } = await serveHttp(t)
  const guest = (n: number) => `ses_guest${n}`
  for (let n = 0; n < 20; n += 1) {
    sessions.set(guest(n), {
      id: `session:guest${n}`,
      kind: 'session',
      plugin: 'sample',
      capabilities: ['read'],
    })
    await postModern(url, subscribe('sample://status'), bearer(guest(n)))
  }
  const streams = await Promise.all([0, 1, 2].map((n) => openStream(url, { ...GET, ...bearer(guest(n)) })))
  const listening = await openListen(url, listen('L', {}), bearer(guest(0)))

  for (let n = 0; n < 20; n += 1) {
    sessions.delete(guest(n))
    world.callerEnded(`session:guest${n}`)
  }
  await Promise.all([...streams, listening].map(({ ended }) => ended))
  await postModern(url, unsubscribe('sample://status'), bearer('ses_ada'))

  const mine = 1 // that ada’s own rights may end
  assert.equal(host.hub.listenerCount, mine)
})

test('subscriptions stay when the rights of a caller are only checked again', async (t) => {
  const { url, world } = await serveHttp(t)
  await postModern(url, subscribe('sample://status'), bearer('ses_ada'))
  const stream = await openStream(url, { ...GET, ...bearer('ses_ada') })
  await stream.arrived(1)

  world.callerEnded('session:ada')
  await sleep(20)
  world.changed('sample://status')
  await stream.arrived(2)

  assert.deepEqual(stream.messages(), [updatedHint('sample://status'), updatedHint('sample://status')])
})

test('a silent stream of a revoked session ends at the next heartbeat, a listen with its closing result', async (t) => {
  const beats: (() => void)[] = []
  const after = (ms: number, action: () => void) => {
    if (ms === 15_000) beats.push(action)
    return () => undefined
  }
  const { url, sessions } = await serveHttp(t, { after })
  const get = await openStream(url, { ...GET, ...bearer('ses_ada') })
  const listening = await openListen(url, listen('L', {}), bearer('ses_ada'))
  await listening.arrived(1)

  sessions.delete('ses_ada')
  for (const beat of beats) beat()
  await Promise.all([get.ended, listening.ended])

  assert.deepEqual(listening.messages()[1], {
    jsonrpc: '2.0',
    id: 'L',
    result: { resultType: 'complete', _meta: { [ID]: 'L' } },
  })
})
