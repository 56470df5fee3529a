import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openHost } from '../../test/harness/open-host.ts'
import { postModern } from './testing/http-client.ts'
import { type Message, modern } from './testing/messages.ts'
import { samplePlugin } from './testing/sample-plugin.ts'
import { serveHttp } from './testing/serve-http.ts'
import { openStdio } from './testing/stdio-client.ts'
import {
  CAPABILITIES,
  errorOf,
  ID,
  listen,
  openListen,
  paramsOf,
  resultOf,
  subscribe,
  TASKS,
  updatedHint,
} from './testing/subscriptions.ts'

async function serveStdioSample(t: TestContext) {
  const { plugin, world } = samplePlugin()
  const { host } = await openHost(t, { plugins: [plugin] })
  return { world, host, client: openStdio(t, host) }
}

test('a listen acknowledges first and honestly, then hints with its id as it was sent', async (t) => {
  const { url, world } = await serveHttp(t)
  const wanted = {
    resourceSubscriptions: ['sample://status', 'sample://nothing', 'sample://room', 'sample://manual'],
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  }
  for (const id of [7, 'L1']) {
    const stream = await openListen(url, listen(id, wanted))
    const [acknowledgement] = await stream.arrived(1)

    world.changed('sample://status')
    world.changed('sample://room')
    const messages = await stream.arrived(2)

    assert.deepEqual(acknowledgement, {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: ['sample://status'] }, _meta: { [ID]: id } },
    })
    assert.deepEqual(paramsOf(messages[1]), { uri: 'sample://status', _meta: { [ID]: id } })
    assert.equal(messages.length, 2)
    stream.close()
  }
})

test('a listen with an empty filter stays open and sends its final message when the server stops', async (t) => {
  const { url, close } = await serveHttp(t)
  const stream = await openListen(url, listen(3, { toolsListChanged: true }))
  const [acknowledgement] = await stream.arrived(1)

  await close()
  await stream.ended

  assert.deepEqual(paramsOf(acknowledgement)['notifications'], {})
  assert.deepEqual(resultOf(stream.messages()[1]), { resultType: 'complete', _meta: { [ID]: 3 } })
})

test('a wrong filter is 400 before the declaration, and the declaration before the cap', async (t) => {
  const { url } = await serveHttp(t)
  const open = await Promise.all(Array.from({ length: 8 }, (_, id) => openListen(url, listen(id, {}))))
  await Promise.all(open.map((stream) => stream.arrived(1)))
  const post = (notifications: unknown) => postModern(url, listen(9, notifications))

  const noFilter = await post(undefined)
  const wrongFilter = await post({ resourceSubscriptions: 'x', taskIds: ['y'] })
  const undeclared = await post({ taskIds: ['task_x'] })
  const ninth = await post({})

  assert.deepEqual([noFilter.status, errorOf(noFilter).code, noFilter.body?.id], [400, -32602, 9])
  assert.deepEqual([wrongFilter.status, errorOf(wrongFilter).code], [400, -32602])
  assert.deepEqual(
    [undeclared.status, errorOf(undeclared)],
    [
      400,
      {
        code: -32021,
        message: (errorOf(undeclared) as { message?: string }).message,
        data: { requiredCapabilities: TASKS },
      },
    ],
  )
  assert.deepEqual([ninth.status, errorOf(ninth).code], [429, -32000])
  for (const stream of open) stream.close()
})

test('requests of a wrong form go to the SDK and get its answers', async (t) => {
  const { url } = await serveHttp(t)
  const noEnvelope: Message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'resources/subscribe',
    params: { uri: 'sample://status' },
  }

  const header = await postModern(url, subscribe('sample://status'), { 'mcp-method': 'tools/list' })
  const name = await postModern(url, subscribe('sample://status'), { 'mcp-name': 'sample://other' })
  const undone = await postModern(url, modern(2, 'resources/unsubscribe', { uri: 'sample://status' }), {
    'mcp-name': `=?base64?${btoa('sample://other')}?=`,
  })
  const encoded = await postModern(url, subscribe('sample://status'), {
    'mcp-name': `=?base64?${btoa('sample://status')}?=`,
  })
  const envelope = await postModern(url, noEnvelope)
  const capabilities = await postModern(
    url,
    modern(1, 'subscriptions/listen', { notifications: {}, _meta: { [CAPABILITIES]: 5 } }),
  )

  assert.deepEqual([header.status, errorOf(header).code], [400, -32020])
  for (const each of [name, undone]) assert.deepEqual([each.status, errorOf(each).code], [400, -32020])
  assert.equal(encoded.status, 200)
  assert.deepEqual([envelope.status, errorOf(envelope).code], [400, -32602])
  assert.deepEqual([capabilities.status, errorOf(capabilities).code], [400, -32602])
})

test('over stdio a subscription may come first, and the connection is its stream', async (t) => {
  const { client, world } = await serveStdioSample(t)

  client.send(subscribe('sample://status'), subscribe('sample://nothing', 2), modern(3, 'tools/list'))
  const answer = await client.answer(1)
  const refused = await client.answer(2)
  await client.answer(3)
  assert.equal(client.received.filter((message) => 'method' in message).length, 0)
  world.changed('sample://status')
  const hint = await client.find((message) => 'method' in message)

  assert.equal(resultOf(answer)['resultType'], 'complete')
  assert.deepEqual(refused['error'], { code: -32602, message: 'Unknown or unsubscribable resource' })
  assert.deepEqual(hint, updatedHint('sample://status'))
})

test('over stdio a listen is tagged, ends by cancellation without a reply, and gets its closing result at the end', async (t) => {
  const { client, world } = await serveStdioSample(t)
  client.send(
    listen('a', { resourceSubscriptions: ['sample://status'] }),
    listen(1, { resourceSubscriptions: ['sample://status'], taskIds: [] }, TASKS),
  )
  await client.find((message) => paramsOf(message)?.['_meta'] !== undefined)
  await client.find((message) => (paramsOf(message)?.['_meta'] as Record<string, unknown>)?.[ID] === 1)

  client.send(
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } },
    modern(9, 'tools/list'),
  )
  await client.answer(9)
  world.changed('sample://status')
  const hint = await client.find((message) => message['method'] === 'notifications/resources/updated')
  const code = await client.end()

  assert.deepEqual(paramsOf(hint), { uri: 'sample://status', _meta: { [ID]: 1 } })
  assert.equal(code, 0)
  assert.ok(!client.received.some(({ id }) => id === 'a'))
  assert.deepEqual(client.received.at(-1), {
    jsonrpc: '2.0',
    id: 1,
    result: { resultType: 'complete', _meta: { [ID]: 1 } },
  })
})

test('over stdio a listen that is cancelled while it opens says nothing, also not at the end', async (t) => {
  const { client, world } = await serveStdioSample(t)
  const cancel = (requestId: string) => ({
    jsonrpc: '2.0' as const,
    method: 'notifications/cancelled',
    params: { requestId },
  })

  client.send(
    listen('early', { resourceSubscriptions: ['sample://status'] }),
    cancel('early'),
    listen('wrong', 'no filter'),
    cancel('wrong'),
    listen('kept', { resourceSubscriptions: ['sample://status'] }),
  )
  await client.find((message) => message['method'] === 'notifications/subscriptions/acknowledged')
  world.changed('sample://status')
  await client.find((message) => message['method'] === 'notifications/resources/updated')
  await client.end()

  const tag = { _meta: { [ID]: 'kept' } }
  assert.deepEqual(client.received, [
    {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { resourceSubscriptions: ['sample://status'] }, ...tag },
    },
    {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'sample://status', ...tag },
    },
    { jsonrpc: '2.0', id: 'kept', result: { resultType: 'complete', ...tag } },
  ])
})

test('over stdio the ninth listen is refused and a wrong envelope goes to the SDK', async (t) => {
  const { client } = await serveStdioSample(t)
  for (let id = 0; id < 9; id++) client.send(listen(id, {}))
  const wrong = listen('w', {})
  Object.assign(paramsOf(wrong)['_meta'] as object, { [CAPABILITIES]: 5 })

  client.send(wrong)
  const ninth = await client.answer(8)
  const sdk = await client.answer('w')

  assert.deepEqual((ninth['error'] as { data: unknown }).data, {
    code: 'rate_limited',
    reason: 'subscription_limit',
  })
  assert.equal((sdk['error'] as { code: number }).code, -32602)
})
