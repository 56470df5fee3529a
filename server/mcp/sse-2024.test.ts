import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSseMount } from './sse-2024.ts'
import { type Answer, openStream, post } from './testing/http-client.ts'
import { initialize, legacy } from './testing/messages.ts'
import { bearer, serveHttp } from './testing/serve-http.ts'
import { errorOf } from './testing/sessions.ts'

test('HTTP+SSE: endpoint first, answers on the stream, foreign and unknown sessions 404', async (t) => {
  const { address, world } = await serveHttp(t, { mount: createSseMount })
  const stream = await openStream(`${address}/sse`, {})
  while (!stream.text().includes('\n\n')) await sleep(1)
  const [, path] =
    /^event: endpoint\ndata: (\/messages\?sessionId=[0-9a-f-]{36})\n\n/.exec(stream.text()) ?? []
  const url = `${address}${path}`

  assert.equal((await post(url, initialize('2024-11-05'))).status, 202)
  const [opened] = await stream.arrived(1)
  assert.equal((opened?.['result'] as Record<string, unknown> | undefined)?.['protocolVersion'], '2024-11-05')
  await post(url, legacy(1, 'resources/subscribe', { uri: 'sample://status' }))
  await stream.arrived(2)
  world.changed('sample://status')
  const messages = await stream.arrived(3)
  assert.equal(messages[2]?.['method'], 'notifications/resources/updated')

  assert.equal((await post(`${address}/messages/?sessionId=x`, legacy(1, 'ping'))).status, 404)
  assert.equal((await post(url, legacy(1, 'ping'), bearer('ses_ada'))).status, 404)
  assert.equal((await post(url, {})).status, 400)
  assert.deepEqual(
    refusedAs(await post(url, legacy(1, 'ping', { _meta: { progressToken: 1.5 } }))),
    [400, -32602],
  )
  assert.deepEqual(refusedAs(await post(`${url}&sessionId=x`, legacy(1, 'ping'))), [400, -32000])
  assert.equal((await fetch(`${address}/mcp`)).status, 404)
  assert.equal((await fetch(`${address}/messages`)).status, 405)
  stream.close()
  while ((await post(url, legacy(1, 'ping'))).status !== 404) await sleep(1)
})

function refusedAs(answer: Answer): readonly [number, number] {
  return [answer.status, errorOf(answer).code]
}

test('HTTP+SSE: the id of a request in flight is refused for another', async (t) => {
  const { address, world } = await serveHttp(t, { mount: createSseMount })
  const stream = await openStream(`${address}/sse`, {})
  t.after(() => stream.close())
  while (!stream.text().includes('\n\n')) await sleep(1)
  const url = `${address}${/data: (\S+)/.exec(stream.text())?.[1]}`
  await post(url, initialize('2024-11-05'))
  await post(url, legacy(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } }))
  while (world.calls.length === 0) await sleep(1)

  const second = await post(url, legacy(1, 'ping'))
  const third = await post(url, legacy('1', 'ping'))

  assert.deepEqual(refusedAs(second), [400, -32600])
  assert.equal(third.status, 202)
})

test('a stopping HTTP+SSE stream carries the answers of calls under way, then ends', async (t) => {
  const { address, world, close } = await serveHttp(t, { mount: createSseMount, limits: { graceMs: 5000 } })
  const stream = await openStream(`${address}/sse`, {})
  while (!stream.text().includes('\n\n')) await sleep(1)
  const url = `${address}${/data: (\S+)/.exec(stream.text())?.[1]}`
  await post(url, initialize('2024-11-05'))
  await post(url, legacy(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 40 } }))
  while (world.calls.length === 0) await sleep(1)

  await close()
  await stream.ended

  assert.deepEqual(
    stream.messages().map(({ id }) => id),
    [0, 1],
  )
})
