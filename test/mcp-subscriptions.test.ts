import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost } from './harness/open-host.ts'
import { type Answer, modernHeaders, openStream, postModern } from './mcp/http-client.ts'
import { samplePlugin } from './mcp/sample-plugin.ts'
import { bearer, serveHttp } from './mcp/serve-http.ts'
import { type Message, modern, openStdio } from './mcp/stdio-client.ts'

const GET = { 'mcp-protocol-version': '2026-07-28' }
const ID = 'io.modelcontextprotocol/subscriptionId'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

const subscribe = (uri: string, id: string | number = 1) => modern(id, 'resources/subscribe', { uri })
const unsubscribe = (uri: string) => modern(2, 'resources/unsubscribe', { uri })
const listen = (id: string | number, notifications: unknown, capabilities: object = {}) =>
  modern(id, 'subscriptions/listen', { notifications, _meta: { [CAPABILITIES]: capabilities } })
const openListen = (url: string, message: Message, headers: Record<string, string> = {}) =>
  openStream(url, { ...modernHeaders(message), ...headers }, message)

const errorOf = ({ body }: Answer) => body?.['error'] as { code: number; data?: unknown }
const resultOf = (message: Message | undefined) => message?.['result'] as Record<string, unknown>
const paramsOf = (message: Message | undefined) => message?.['params'] as Record<string, unknown>
const updatedHint = (uri: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/resources/updated',
  params: { uri },
})

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

test('subscribing takes effect at once on open streams, without a hint; unsubscribing ends it', async (t) => {
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

test('another principal’s subscription is not heard of', async (t) => {
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

test('a stream that is never read is closed and holds nobody up', async (t) => {
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

test('a silent stream and a listen end at once when their caller’s rights are said to have ended', async (t) => {
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

test('nothing is kept for callers whose rights ended: not what they watched, and no listener', async (t) => {
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

test('what a caller watches stays when its rights were only looked at again', async (t) => {
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

test('a listen with nothing left stays open and says its last word when the server stops', async (t) => {
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
  const envelope = await postModern(url, noEnvelope)
  const capabilities = await postModern(
    url,
    modern(1, 'subscriptions/listen', { notifications: {}, _meta: { [CAPABILITIES]: 5 } }),
  )

  assert.deepEqual([header.status, errorOf(header).code], [400, -32020])
  assert.deepEqual([envelope.status, errorOf(envelope).code], [400, -32602])
  assert.deepEqual([capabilities.status, errorOf(capabilities).code], [400, -32602])
})

async function startTask(url: string, capabilities: object = TASKS, headers: Record<string, string> = {}) {
  const call = modern(1, 'tools/call', {
    name: 'sample_job',
    arguments: {},
    _meta: { [CAPABILITIES]: capabilities },
  })
  return resultOf((await postModern(url, call, headers)).body)
}

const taskCall = (method: string, taskId: string, more: object = {}, capabilities: object = TASKS) =>
  modern(4, `tasks/${method}`, { taskId, ...more, _meta: { [CAPABILITIES]: capabilities } })

test('a task is answered only to a request that declares the extension', async (t) => {
  const { url } = await serveHttp(t)

  const inline = await startTask(url, {})
  const task = await startTask(url)

  assert.equal(inline['resultType'], 'complete')
  assert.match(JSON.stringify(inline['structuredContent']), /inline/)
  const { taskId, content: _, _meta: __, ...rest } = task
  assert.match(String(taskId), /^task_[0-9a-f]{32}$/)
  assert.deepEqual(rest, {
    resultType: 'task',
    status: 'working',
    statusMessage: 'cloning 3 of 12',
    createdAt: '2026-01-01T00:00:00.000Z',
    lastUpdatedAt: '2026-01-01T00:00:00.000Z',
    ttlMs: 86_400_000,
    pollIntervalMs: 1000,
  })
})

test('tasks: get, update, cancel; undeclared, unknown and foreign', async (t) => {
  const { url, world } = await serveHttp(t)
  const id = String((await startTask(url))['taskId'])

  const undeclared = await postModern(url, taskCall('get', id, {}, {}))
  const unknown = await postModern(url, taskCall('get', 'task_nothing'))
  const foreign = await postModern(url, taskCall('get', id), bearer('ses_ada'))
  const working = await postModern(url, taskCall('get', id))
  world.taskChanged(id, {
    status: 'completed',
    outcome: { data: { note: 'written by others' }, text: 'done' },
  })
  const completed = await postModern(url, taskCall('get', id))
  const cancelled = await postModern(url, taskCall('cancel', id))

  assert.deepEqual([undeclared.status, errorOf(undeclared).code], [400, -32021])
  assert.deepEqual(
    [unknown.status, unknown.body],
    [200, { jsonrpc: '2.0', id: 4, error: { code: -32602, message: 'Unknown task' } }],
  )
  assert.deepEqual(foreign.body, unknown.body)
  assert.equal(resultOf(working.body)['status'], 'working')
  const { result, status, resultType } = resultOf(completed.body) as {
    result: { content: unknown; structuredContent: { note: string }; isError: boolean }
    status: string
    resultType: string
  }
  assert.deepEqual([status, resultType, result.isError], ['completed', 'complete', false])
  assert.deepEqual(result.content, [{ type: 'text', text: 'done' }])
  assert.match(result.structuredContent.note, /^<<<untrusted-/)
  assert.deepEqual([cancelled.status, resultOf(cancelled.body)['resultType']], [200, 'complete'])
})

test('a tool’s own error completes its task, a fault of the machinery fails it', async (t) => {
  const { url, world } = await serveHttp(t)
  const id = String((await startTask(url))['taskId'])

  world.taskChanged(id, {
    status: 'completed',
    outcome: { error: { code: 'unavailable', reason: 'clone_failed', message: 'No network.' } },
  })
  const own = resultOf((await postModern(url, taskCall('get', id))).body)
  world.taskChanged(id, { status: 'failed', failure: 'interrupted; call it again' })
  const failed = resultOf((await postModern(url, taskCall('get', id))).body)

  assert.equal(own['status'], 'completed')
  assert.deepEqual((own['result'] as { isError: boolean }).isError, true)
  assert.equal(failed['status'], 'failed')
  assert.deepEqual(failed['error'], { code: -32603, message: 'interrupted; call it again' })
  assert.ok(!('result' in failed))
})

test('what is asked of a person is shown only to who declares elicitation', async (t) => {
  const { url, world } = await serveHttp(t)
  const id = String((await startTask(url))['taskId'])
  const inputRequests = { review: { method: 'elicitation/create', params: { mode: 'form', message: 'ok?' } } }
  world.taskChanged(id, { status: 'input_required', inputRequests })

  const plain = resultOf((await postModern(url, taskCall('get', id))).body)
  const asking = resultOf(
    (await postModern(url, taskCall('get', id, {}, { ...TASKS, elicitation: {} }))).body,
  )
  const answered = await postModern(
    url,
    taskCall('update', id, { inputResponses: { review: { action: 'accept', content: { approve: true } } } }),
  )

  assert.deepEqual(
    [plain['status'], plain['statusMessage']],
    ['working', 'waiting for review: workspace_handoff_review'],
  )
  assert.ok(!('inputRequests' in plain))
  assert.deepEqual([asking['status'], asking['inputRequests']], ['input_required', inputRequests])
  assert.equal(resultOf(answered.body)['resultType'], 'complete')
  assert.equal(world.tasks.get(id)?.state.status, 'working')
})

test('notifications/tasks says what tasks/get answers, to the owner’s GET stream and to a listen that named it', async (t) => {
  const { url, world } = await serveHttp(t)
  const id = String((await startTask(url))['taskId'])
  const get = await openStream(url, GET)
  const foreign = await openStream(url, { ...GET, ...bearer('ses_ada') })
  const listening = await openListen(url, listen('T', { taskIds: [id, 'task_nothing'] }, TASKS))
  const [acknowledgement] = await listening.arrived(1)

  world.taskChanged(id, { status: 'working', statusMessage: 'cloning 4 of 12' })
  const [hint] = await get.arrived(1)
  const [, tagged] = await listening.arrived(2)
  const { resultType: _, _meta: __, ...now } = resultOf((await postModern(url, taskCall('get', id))).body)

  assert.deepEqual(paramsOf(acknowledgement)['notifications'], { taskIds: [id] })
  assert.equal(hint?.['method'], 'notifications/tasks')
  assert.deepEqual(paramsOf(hint), now)
  assert.deepEqual(paramsOf(tagged), { ...now, _meta: { [ID]: 'T' } })
  assert.equal(foreign.messages().length, 0)
  for (const stream of [get, foreign, listening]) stream.close()
})

async function serveStdioSample(t: TestContext) {
  const { plugin, world } = samplePlugin()
  const { host } = await openHost(t, { plugins: [plugin] })
  return { world, host, client: openStdio(t, host) }
}

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
