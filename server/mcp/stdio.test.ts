import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHost } from '../../test/harness/open-host.ts'
import type { RunningHost } from '../host.ts'
import { refusals } from '../refusals.ts'
import { CONGESTED_BYTES } from './outlet.ts'
import { initialize, legacy, modern } from './testing/messages.ts'
import { samplePlugin } from './testing/sample-plugin.ts'
import { errorOf, resultOf, serve } from './testing/served-stdio.ts'
import { openStdio } from './testing/stdio-client.ts'

/** What calls in flight have after stdin ended. A server that ends well before it did not wait. `satchel bench start` times it. */
const GRACE_AFTER_EOF_MS = 5_000

test('discover and initialize are answered before the boot is done, other requests wait for it', async (t) => {
  const { plugin } = samplePlugin()
  const { host } = await openHost(t, { plugins: [plugin] })
  let boot: (host: RunningHost) => void = () => undefined
  const client = openStdio(t, new Promise<RunningHost>((resolve) => (boot = resolve)))

  client.send(modern(1, 'server/discover'), modern(2, 'tools/list'))
  const discover = resultOf(await client.answer(1))
  assert.equal(client.received.length, 1)
  boot(host)

  assert.ok(resultOf(await client.answer(2)).tools)
  const { instructions, _meta, ...rest } = discover
  assert.deepEqual(rest, {
    supportedVersions: ['2026-07-28'],
    capabilities: {
      tools: {},
      prompts: {},
      resources: { subscribe: true },
      completions: {},
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    },
    resultType: 'complete',
    ttlMs: 3_600_000,
    cacheScope: 'public',
  })
  assert.deepEqual(_meta, {
    'io.modelcontextprotocol/serverInfo': { name: 'satchel', title: 'Satchel', version: '1.0.0' },
  })
  assert.equal(instructions, 'Sample instructions.')
})

test('an older client is offered no extension', async (t) => {
  const { client } = await serve(t)

  client.send(initialize('2025-06-18'))

  const { capabilities, protocolVersion, serverInfo } = resultOf(await client.answer(0))
  assert.equal(protocolVersion, '2025-06-18')
  assert.deepEqual(capabilities, {
    tools: {},
    prompts: {},
    resources: { subscribe: true },
    completions: {},
  })
  assert.deepEqual(serverInfo, { name: 'satchel', title: 'Satchel', version: '1.0.0' })
})

test('an unknown version gets 2025-11-25', async (t) => {
  const { client } = await serve(t)

  client.send(initialize('1999-01-01'))

  assert.equal(resultOf(await client.answer(0)).protocolVersion, '2025-11-25')
})

test('progress is sent if requested, increases, and the result follows the last report after 25 ms', async (t) => {
  const { client } = await serve(t)
  const call = (id: number, token?: string) =>
    modern(id, 'tools/call', {
      name: 'sample_wait',
      arguments: { steps: 3, step_ms: 0 },
      ...(token && { _meta: { progressToken: token } }),
    })

  // However slowly the machine runs the steps, they are reported at one moment.
  const now = performance.now.bind(performance)
  const startedAt = now()
  t.mock.method(performance, 'now', () => startedAt)
  client.send(call(1, 'tok'), call(2))
  await client.answer(1)
  const took = now() - startedAt
  await client.answer(2)

  const frames = client.received.filter((message) => message['method'] === 'notifications/progress')
  assert.deepEqual(
    frames.map((frame) => frame['params']),
    [{ progressToken: 'tok', progress: 1, total: 3, message: 'step 1' }],
  )
  assert.ok(took >= 24, `${took} ms`)
})

test('a cancelled call aborts and is not answered', async (t) => {
  const { client, world } = await serve(t)
  client.send(modern(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } }))
  while (world.calls.length === 0) await sleep(1)

  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  client.send(modern(2, 'tools/list'))
  await client.answer(2)

  assert.equal(world.aborted, 1)
  assert.ok(!client.received.some(({ id }) => id === 1))
  assert.equal(await client.end(), 0)
})

test('64 calls run concurrently, the next waits, and a cancellation overtakes it', async (t) => {
  const { client, world } = await serve(t)
  for (let id = 1; id <= 65; id++) {
    client.send(modern(id, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } }))
  }
  while (world.calls.length < 64) await sleep(1)
  await sleep(10)
  assert.equal(world.calls.length, 64)

  client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })

  while (world.calls.length < 65) await sleep(1)
  assert.equal(world.aborted, 1)
  client.signals.emit('SIGINT')
  assert.equal(await client.exit, 130)
})

test('hostile lines are answered and the next request is served', async (t) => {
  const { client } = await serve(t)
  const deep = `${'['.repeat(101)}${']'.repeat(101)}`

  client.write('\n\r\n   \n')
  client.write('{"jsonrpc":"2.0",\n')
  client.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]))
  client.write('{}\n[]\n"text"\n{"jsonrpc":"1.0","id":"x","method":"ping"}\n')
  client.write(`{"jsonrpc":"2.0","id":9,"method":"tools/list","params":{"a":${deep}}}\n`)
  client.write(`${JSON.stringify(modern(1, 'tools/list'))}\r\n`)
  await client.answer(1)

  const refused = client.received.filter((message) => 'error' in message)
  assert.deepEqual(
    refused.map((message) => [message.id, errorOf(message).code]),
    [
      [null, -32700],
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [null, -32600],
      ['x', -32600],
      [9, -32600],
    ],
  )
})

test('a line over 10 MiB is refused once and skipped', async (t) => {
  const { client } = await serve(t)

  const chunk = Buffer.alloc(1024 * 1024, 0x20)
  for (let i = 0; i < 11; i++) client.write(chunk)
  client.write('"end"\n')
  client.send(modern(1, 'tools/list'))
  await client.answer(1)

  const refused = client.received.filter((message) => 'error' in message)
  assert.deepEqual(
    refused.map((message) => [message.id, errorOf(message).code]),
    [[null, -32600]],
  )
})

test('a message split at every byte is read as one', async (t) => {
  const { client } = await serve(t)
  const bytes = Buffer.from(
    `${JSON.stringify(modern(1, 'tools/call', { name: 'sample_echo', arguments: { text: 'héllo €' } }))}\n`,
  )

  for (const byte of bytes) client.write(Buffer.from([byte]))

  assert.deepEqual(resultOf(await client.answer(1)).structuredContent, { text: 'héllo €', chars: 7 })
})

test('a thousand calls and the end of stdin: a thousand answers, exit 0', async (t) => {
  const { client } = await serve(t)
  for (let id = 0; id < 1000; id++) {
    client.send(modern(id, 'tools/call', { name: 'sample_echo', arguments: { text: String(id) } }))
  }

  const code = await client.end()

  assert.equal(code, 0)
  assert.equal(new Set(client.received.map(({ id }) => id)).size, 1000)
})

test('stdin closed in the middle of a message: exit 0 immediately, nothing called', async (t) => {
  const { client, world } = await serve(t)
  client.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sample_echo"')
  const startedAt = performance.now()

  const code = await client.end()

  assert.equal(code, 0)
  assert.ok(performance.now() - startedAt < GRACE_AFTER_EOF_MS / 2, 'the grace of a call was not waited for')
  assert.deepEqual(world.calls, [])
  assert.deepEqual(client.received, [])
})

test('a hung call has a second after SIGTERM, then it is aborted and the exit is 0', async (t) => {
  const { client, world } = await serve(t)
  client.send(modern(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } }))
  while (world.calls.length === 0) await sleep(1)
  const startedAt = performance.now()

  client.signals.emit('SIGTERM')
  const code = await client.exit

  assert.equal(code, 0)
  const took = performance.now() - startedAt
  assert.ok(took > 900 && took < GRACE_AFTER_EOF_MS * 0.9, `${took} ms`)
  assert.equal(world.aborted, 1)
})

test('a client that stops reading is sent each dirty URI once when it reads again', async (t) => {
  const { client, world } = await serve(t)
  client.send(initialize(), legacy(1, 'resources/subscribe', { uri: 'sample://status' }))
  await client.answer(1)
  client.stall(true)
  const last = 100
  for (let id = 2; id <= last; id++) {
    const text = 'x'.repeat(40_000)
    client.send(legacy(id, 'tools/call', { name: 'sample_echo', arguments: { text } }))
  }
  let unread = -1
  while (client.unread() <= CONGESTED_BYTES || client.unread() !== unread) {
    unread = client.unread()
    await sleep(20) // answers that are not read stop the server
  }

  for (let change = 0; change < 20; change++) {
    world.changed('sample://status')
    await new Promise(setImmediate)
  }
  client.stall(false)
  await client.answer(last)

  const hints = client.received.filter(({ method }) => method === 'notifications/resources/updated')
  assert.equal(hints.length, 1)
})

test('unknown methods and wrong versions are refused in the protocol’s own codes', async (t) => {
  const { client } = await serve(t)
  const wrongVersion = modern(1, 'tools/list')
  const params = wrongVersion['params'] as { _meta: Record<string, unknown> }
  params._meta['io.modelcontextprotocol/protocolVersion'] = '2099-01-01'

  client.send(wrongVersion, modern(2, 'nothing/here'), modern(3, 'initialize'), modern(4, 'ping'))

  const error = errorOf(await client.answer(1))
  assert.equal(error.code, -32022)
  assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2099-01-01' })
  for (const id of [2, 3, 4]) assert.equal(errorOf(await client.answer(id)).code, -32601)
})

test('a task started over stdio is polled over stdio, and a listen hears of it', async (t) => {
  const { client, world } = await serve(t)
  const declared = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  }
  client.send(modern(1, 'tools/call', { name: 'sample_job', arguments: {}, _meta: declared }))
  const { taskId, resultType } = resultOf(await client.answer(1)) as Record<string, unknown>

  client.send(
    modern('L', 'subscriptions/listen', { notifications: { taskIds: [taskId] }, _meta: declared }),
    modern(2, 'tasks/get', { taskId, _meta: declared }),
    modern(3, 'tasks/get', { taskId }),
  )
  await client.find((message) => message['method'] === 'notifications/subscriptions/acknowledged')
  world.taskChanged(String(taskId), { status: 'completed', outcome: { data: { note: 'n' } } })
  const hint = await client.find((message) => message['method'] === 'notifications/tasks')

  assert.equal(resultType, 'task')
  assert.equal((resultOf(await client.answer(2)) as Record<string, unknown>)['status'], 'working')
  assert.equal(errorOf(await client.answer(3)).code, -32021)
  assert.equal((hint['params'] as Record<string, unknown>)['status'], 'completed')
})

test('calls that wait for the start are answered, however long before it stdin ended', async (t) => {
  const { host } = await openHost(t, { plugins: [samplePlugin().plugin] })
  let boot: (host: RunningHost) => void = () => undefined
  const client = openStdio(t, new Promise<RunningHost>((resolve) => (boot = resolve)))
  client.send(modern(1, 'tools/call', { name: 'sample_echo', arguments: { text: 'hi' } }))

  const exit = client.end()
  await sleep(GRACE_AFTER_EOF_MS + 100)
  boot(host)

  assert.equal(await exit, 0)
  assert.deepEqual(resultOf(await client.answer(1)).structuredContent, { text: 'hi', chars: 2 })
})

test('a call that hangs has five seconds after the end of stdin, then it is aborted', async (t) => {
  const { client, world } = await serve(t)
  client.send(modern(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } }))
  while (world.calls.length === 0) await sleep(1)
  const startedAt = performance.now()

  const code = await client.end()

  t.diagnostic(`exit ${Math.round(performance.now() - startedAt)} ms after EOF`)
  assert.equal(code, 0)
  assert.equal(world.aborted, 1)
  assert.ok(performance.now() - startedAt > GRACE_AFTER_EOF_MS - 100)
})

test('log lines of a call name the trace of its request', async (t) => {
  const { client, logged } = await serve(t)
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

  client.send(
    modern(1, 'tools/call', { name: 'sample_fail', arguments: { how: 'crash' }, _meta: { traceparent } }),
    modern(2, 'tools/call', {
      name: 'sample_fail',
      arguments: { how: 'crash' },
      _meta: { traceparent: 'x' },
    }),
  )
  await Promise.all([client.answer(1), client.answer(2)])

  assert.equal(logged.filter((line) => line.includes(traceparent)).length, 1)
})

test("an initialize without params is the caller's fault and shows no validator", async (t) => {
  const { client } = await serve(t)

  client.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n')

  assert.deepEqual((await client.answer(1))['error'], { code: -32602, message: 'Invalid params' })
})

test('a _meta that no version takes is invalid params of its request', async (t) => {
  const { client } = await serve(t)

  client.send(
    initialize(),
    modern(1, 'tools/list', { _meta: { progressToken: 1.5 } }),
    legacy(2, 'ping', { _meta: 5 }),
  )

  const { code, message } = errorOf(await client.answer(1))
  assert.equal(code, -32602)
  assert.match(message, /^\/_meta\/progressToken: /)
  assert.equal(errorOf(await client.answer(2)).code, -32602)
})

test('after a failed start every request is answered with the failure until the input ends, then it is thrown', async (t) => {
  for (const [failure, code] of [
    [
      refusals.plugin_setup({ plugin: 'odd', source: 'odd.js' }, { cause: new Error('secret cause') }),
      -32603,
    ],
    [refusals.name_taken({ name: 'tool "x"', first: 'a', second: 'b' }), -32000],
  ] as const) {
    let fail: (failure: Error) => void = () => undefined
    const client = openStdio(t, new Promise<RunningHost>((_, reject) => (fail = reject)))
    client.send(initialize(), legacy(1, 'tools/list'))
    await client.answer(0)

    fail(failure)
    const waited = errorOf(await client.answer(1))
    client.send(legacy(2, 'tools/call', { name: 'x', arguments: {} }), legacy(3, 'prompts/list'))
    const later = [errorOf(await client.answer(2)), errorOf(await client.answer(3))]
    const ended = client.end()

    for (const error of [waited, ...later]) {
      assert.deepEqual([error.code, error.message], [code, failure.message])
      assert.equal((error.data as unknown as { reason: string } | undefined)?.reason, failure.reason)
    }
    await assert.rejects(ended, { code: failure.code, reason: failure.reason })
  }
})
