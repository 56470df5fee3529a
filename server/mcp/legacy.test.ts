import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStream, post, postModern } from './testing/http-client.ts'
import { initialize, legacy, modern } from './testing/messages.ts'
import { bearer, serveHttp } from './testing/serve-http.ts'
import { errorOf, openSession, resultOf } from './testing/sessions.ts'

const JSON_TYPES = { accept: 'application/json, text/event-stream' }

test('a legacy session: initialize, call, batch, DELETE, and then it is unknown', async (t) => {
  const { url } = await serveHttp(t)
  const own = await openSession(url)
  const batch = (size: number) =>
    Array.from({ length: size }, (_, id) =>
      legacy(id, 'tools/call', { name: 'sample_echo', arguments: { text: 'b' } }),
    )

  const call = await post(
    url,
    legacy(1, 'tools/call', { name: 'sample_echo', arguments: { text: 'hi' } }),
    own,
  )
  const hundred = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...own },
    body: JSON.stringify(batch(100)),
  })
  const answers = (await hundred.text()).split('\n\n').filter((event) => event.includes('"result"'))
  const tooMany = await post(url, batch(101), own)
  const unknown = await post(url, legacy(2, 'resources/read', { uri: 'x://y' }), own)
  const ended = await fetch(url, { method: 'DELETE', headers: own })
  const after = await post(url, legacy(3, 'tools/list'), own)

  assert.deepEqual(resultOf(call)['structuredContent'], { text: 'hi', chars: 2 })
  assert.equal(answers.length, 100)
  assert.equal(tooMany.status, 400)
  assert.equal(errorOf(tooMany).code, -32600)
  assert.equal(errorOf(unknown).code, -32002)
  assert.equal(ended.status, 200)
  assert.equal(after.status, 404)
  assert.equal(errorOf(after).code, -32001)
})

test('the answer of a cancelled call ends without one, and that of a batch has those of the other calls', async (t) => {
  const { url, world } = await serveHttp(t)
  const own = await openSession(url)
  const wait = (id: number) =>
    legacy(id, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } })
  const cancel = (requestId: number) =>
    post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, own)

  const alone = await openStream(url, { ...JSON_TYPES, ...own }, wait(1))
  const batch = await openStream(url, { ...JSON_TYPES, ...own }, [wait(2), legacy(3, 'ping'), wait(4)])
  await batch.arrived(1)
  while (world.calls.length < 3) await sleep(1)
  const statuses = [await cancel(1), await cancel(1), await cancel(9), await cancel(2)].map(
    ({ status }) => status,
  )
  await alone.ended
  const later = await post(url, legacy(5, 'ping'), own)
  await cancel(4)
  await batch.ended

  assert.deepEqual(statuses, [202, 202, 202, 202])
  assert.deepEqual(alone.messages(), [])
  assert.deepEqual(
    batch.messages().map(({ id }) => id),
    [3],
  )
  assert.equal(world.aborted, 3)
  assert.deepEqual(resultOf(later), {})
})

test('the id of a request in flight is refused for another, which then has its answer, and free after it', async (t) => {
  const { url, world } = await serveHttp(t)
  const own = await openSession(url)
  const echo = (text: string) => legacy(1, 'tools/call', { name: 'sample_echo', arguments: { text } })
  const wait = legacy(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } })

  const first = await openStream(url, { ...JSON_TYPES, ...own }, wait)
  while (world.calls.length === 0) await sleep(1)
  const second = await post(url, echo('second'), own)
  const inBatch = await post(url, [legacy(2, 'ping'), echo('second')], own)
  const twice = await post(url, [legacy(3, 'ping'), legacy(3, 'ping')], own)
  await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, own)
  await first.ended
  const third = await post(url, echo('third'), own)

  assert.deepEqual(
    [second, inBatch, twice].map((refused) => [refused.status, refused.body?.id, errorOf(refused).code]),
    [
      [400, 1, -32600],
      [400, null, -32600],
      [400, null, -32600],
    ],
  )
  assert.deepEqual(resultOf(third)['structuredContent'], { text: 'third', chars: 5 })
})

test('what the transport refuses of a request has the id of the request', async (t) => {
  const { url } = await serveHttp(t)
  const own = await openSession(url)

  const refused = [
    await post(url, legacy(5, 'ping'), { ...own, accept: 'application/json' }),
    await post(url, legacy('v', 'ping'), { ...own, 'mcp-protocol-version': '1999-01-01' }),
    await post(url, initialize('2025-11-25', 7), own),
    await post(url, initialize('2025-11-25', 8), { accept: 'application/json' }),
    await post(url, [legacy(9, 'ping')], { ...own, accept: 'application/json' }),
  ]

  assert.deepEqual(
    refused.map((answer) => [answer.status, answer.body?.id, errorOf(answer).code]),
    [
      [406, 5, -32000],
      [400, 'v', -32000],
      [400, 7, -32600],
      [406, 8, -32000],
      [406, null, -32000],
    ],
  )
})

test('an initialize that is not valid is told from a missing one', async (t) => {
  const { url } = await serveHttp(t)
  const capabilities = {}
  const clientInfo = { name: 'x', version: '1' }

  for (const params of [
    { capabilities, clientInfo },
    { protocolVersion: 5, capabilities, clientInfo },
    { protocolVersion: '2025-06-18', capabilities },
  ]) {
    const answer = await post(url, legacy(1, 'initialize', params))

    assert.equal(answer.status, 400)
    const { code, message } = errorOf(answer)
    assert.equal(code, -32602)
    assert.match(message, /protocolVersion, capabilities and clientInfo/)
  }
})

test('another principal’s session is unknown', async (t) => {
  const { url } = await serveHttp(t)
  const own = await openSession(url, bearer('ses_ada'))

  const foreign = await post(url, legacy(1, 'tools/list'), { ...own, ...bearer('ses_bob') })
  const foreignEnd = await fetch(url, { method: 'DELETE', headers: { ...own, ...bearer('ses_bob') } })
  const mine = await post(url, legacy(1, 'tools/list'), own)

  assert.equal(foreign.status, 404)
  assert.equal(foreignEnd.status, 404)
  assert.equal(mine.status, 200)
})

test('a session reaches its own plugin only', async (t) => {
  const { url } = await serveHttp(t)

  const ada = await postModern(url, modern(1, 'resources/read', { uri: 'sample://room' }), bearer('ses_ada'))
  const bob = await postModern(url, modern(1, 'resources/read', { uri: 'sample://room' }), bearer('ses_bob'))
  const eve = await postModern(url, modern(1, 'resources/read', { uri: 'sample://room' }), bearer('ses_eve'))
  const evil = await postModern(
    url,
    modern(1, 'tools/call', { name: 'sample_echo', arguments: { text: 'x' } }),
    bearer('ses_eve'),
  )
  const prompt = await postModern(
    url,
    modern(1, 'prompts/get', { name: 'greet', arguments: { who: 'x' } }),
    bearer('ses_eve'),
  )

  assert.ok(resultOf(ada)['contents'])
  assert.deepEqual(errorOf(bob), {
    code: -32602,
    message: 'Resource not found',
    data: { uri: 'sample://room' },
  })
  assert.deepEqual(eve.body, bob.body)
  assert.equal((resultOf(evil) as { isError?: boolean }).isError, true)
  assert.equal(errorOf(prompt).message, 'Unknown prompt')
})

test('an idle session ends after 30 minutes, one with a stream does not', async (t) => {
  const clock = { now: 0 }
  const { url } = await serveHttp(t, { clock })
  const idle = await openSession(url)
  const busy = await openSession(url)
  const stream = await openStream(url, busy)
  t.after(() => stream.close())

  clock.now = 30 * 60_000 + 1

  assert.equal((await post(url, legacy(1, 'tools/list'), idle)).status, 404)
  assert.equal((await post(url, legacy(1, 'tools/list'), busy)).status, 200)
})

test('a principal’s 33rd session ends its idlest one', async (t) => {
  const clock = { now: 0 }
  const { url } = await serveHttp(t, { clock })
  const own: Record<string, string>[] = []
  for (let count = 0; count < 33; count++) {
    clock.now += 1
    own.push(await openSession(url))
  }

  assert.equal((await post(url, legacy(1, 'tools/list'), own[0])).status, 404)
  assert.equal((await post(url, legacy(1, 'tools/list'), own[1])).status, 200)
})

test('a legacy subscription hints on the newest GET stream only, and once per URI at connect', async (t) => {
  const { url, world } = await serveHttp(t)
  const own = await openSession(url)
  await post(url, legacy(1, 'resources/subscribe', { uri: 'sample://status' }), own)
  const first = await openStream(url, own)
  await first.arrived(1)
  const second = await openStream(url, own)
  await second.arrived(1)

  world.changed('sample://status')
  const messages = await second.arrived(2)

  assert.equal(first.messages().length, 1)
  assert.deepEqual(messages[1], {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'sample://status' },
  })
  assert.ok(!second.text().includes('id:'))
  assert.equal(second.headers.get('content-type'), 'text/event-stream')
  first.close()
  second.close()
})

test('the fifth stream of a session is refused', async (t) => {
  const { url } = await serveHttp(t)
  const own = await openSession(url)
  const streams = await Promise.all([1, 2, 3, 4].map(() => openStream(url, own)))
  t.after(() => {
    for (const stream of streams) stream.close()
  })

  const fifth = await fetch(url, { headers: { ...own, accept: 'text/event-stream' } })

  assert.equal(fifth.status, 429)
  const { error } = (await fifth.json()) as { error: { data: unknown } }
  assert.deepEqual(error.data, { code: 'rate_limited', reason: 'stream_limit' })
})

test('a legacy stream ends before its next notification when the credential is taken away', async (t) => {
  const { url, world, sessions } = await serveHttp(t)
  const own = await openSession(url, bearer('ses_ada'))
  await post(url, legacy(1, 'resources/subscribe', { uri: 'sample://room' }), own)
  const stream = await openStream(url, own)
  await stream.arrived(1)

  sessions.delete('ses_ada')
  world.changed('sample://room')
  await stream.ended

  assert.equal(stream.messages().length, 1)
})

test('lists do not change and no message is sent over 100 changes', async (t) => {
  const { url, world } = await serveHttp(t)
  const lists = async () => {
    const tools = await postModern(url, modern(1, 'tools/list'))
    const prompts = await postModern(url, modern(1, 'prompts/list'))
    return JSON.stringify([tools.body, prompts.body])
  }
  const before = await lists()

  for (let change = 0; change < 100; change++) world.changed('sample://status')

  assert.equal(await lists(), before)
})
