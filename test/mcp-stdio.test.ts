import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningHost, ToolFilter } from '../server/host.ts'
import { openHost } from './harness/open-host.ts'
import { samplePlugin } from './mcp/sample-plugin.ts'
import { initialize, legacy, type Message, modern, openStdio } from './mcp/stdio-client.ts'

type Names =
  | 'tools'
  | 'protocolVersion'
  | 'content'
  | 'contents'
  | 'ttlMs'
  | 'cacheScope'
  | 'structuredContent'
type Result = Record<string, unknown> & { readonly [K in Names | 'completion' | 'capabilities']: unknown }

async function serve(t: TestContext, filter: Partial<ToolFilter> = {}) {
  const { plugin, world } = samplePlugin()
  const opened = await openHost(t, { plugins: [plugin], filter })
  return { ...opened, world, client: openStdio(t, opened.host) }
}

/** What calls in flight have after stdin ended. Whoever ends well before it did not wait; how fast is `satchel bench start`'s. */
const GRACE_AFTER_EOF_MS = 5_000

const resultOf = (message: Message) => message['result'] as Result
const errorOf = (message: Message) => message['error'] as { code: number; message: string; data?: never }

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
  assert.ok(String(instructions).length <= 1900)
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

test('tools are listed by name, lean, with all hints, and without what the filter hides', async (t) => {
  const { client } = await serve(t, { profile: 'standard', exclude: ['sample_quote'] })

  client.send(modern(1, 'tools/list'))

  const { tools, ttlMs, cacheScope } = resultOf(await client.answer(1)) as never as {
    tools: Record<string, never>[]
    ttlMs: number
    cacheScope: string
  }
  assert.deepEqual(
    tools.map((tool) => tool['name']),
    ['sample_echo', 'sample_fail'],
  )
  assert.deepEqual({ ttlMs, cacheScope }, { ttlMs: 60_000, cacheScope: 'public' })
  assert.deepEqual(tools[0], {
    name: 'sample_echo',
    title: 'Echo',
    description: 'Says what it was told. Choose it to test a connection. Returns the text and its length.',
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'What to say.' },
        at: { type: 'string', format: 'date-time', description: 'When it was said.' },
        times: { type: 'integer', minimum: 1, maximum: 5, default: 1, description: 'How often.' },
      },
      required: ['text'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { text: { type: 'string' }, chars: { type: 'integer' }, root: { type: 'string' } },
      required: ['text', 'chars'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  })
})

test('read_only hides every writing tool, whatever include says', async (t) => {
  const { client } = await serve(t, { readOnly: true, include: ['sample_fail'] })

  client.send(modern(1, 'tools/list'), modern(2, 'tools/call', { name: 'sample_fail', arguments: {} }))

  const { tools } = resultOf(await client.answer(1)) as never as { tools: { name: string }[] }
  assert.ok(!tools.some(({ name }) => name === 'sample_fail'))
  assert.deepEqual(errorOf(await client.answer(2)), { code: -32602, message: 'Unknown tool' })
})

test('an older client may check an error against the listed output schema', async (t) => {
  const { client } = await serve(t)

  client.send(initialize(), legacy(1, 'tools/list'))

  const { tools } = resultOf(await client.answer(1)) as never as { tools: { outputSchema: object }[] }
  assert.ok(tools.every(({ outputSchema }) => !('required' in outputSchema)))
})

test('a call answers a digest and the data', async (t) => {
  const { client } = await serve(t)

  client.send(modern(1, 'tools/call', { name: 'sample_echo', arguments: { text: 'hi', times: 2 } }))

  const { content, structuredContent, isError } = resultOf(await client.answer(1))
  assert.deepEqual(content, [{ type: 'text', text: 'It says: hihi' }])
  assert.deepEqual(structuredContent, { text: 'hihi', chars: 4 })
  assert.ok(isError === undefined || isError === false)
})

test('before 2025-06-18 the data follows as text', async (t) => {
  const { client } = await serve(t)

  client.send(
    initialize('2025-03-26'),
    legacy(1, 'tools/call', { name: 'sample_echo', arguments: { text: 'hi' } }),
  )

  const result = resultOf(await client.answer(1))
  assert.equal(result.structuredContent, undefined)
  assert.deepEqual(result.content, [
    { type: 'text', text: 'It says: hi' },
    { type: 'text', text: '{"text":"hi","chars":2}' },
  ])
})

test('a tool error is a result that a model can read, with a safe next call', async (t) => {
  const { client } = await serve(t)

  client.send(modern(1, 'tools/call', { name: 'sample_fail', arguments: { how: 'conflict' } }))

  const { content, structuredContent, isError } = resultOf(await client.answer(1))
  assert.equal(isError, true)
  assert.deepEqual(content, [
    { type: 'text', text: 'conflict/stale_version: base 4, now 6. Next: sample_echo {"text":"again"}' },
  ])
  assert.deepEqual(structuredContent, {
    error: {
      code: 'conflict',
      reason: 'stale_version',
      message: 'base 4, now 6.',
      details: { base: 4 },
      next: { tool: 'sample_echo', args: { text: 'again' } },
    },
  })
})

test('bad arguments are a result with JSON pointers, an unknown one names the nearest', async (t) => {
  const { client } = await serve(t)

  client.send(
    modern(1, 'tools/call', { name: 'sample_echo', arguments: { text: 5 } }),
    modern(2, 'tools/call', { name: 'sample_echo', arguments: { text: 'a', time: 2 } }),
  )

  const bad = resultOf(await client.answer(1)) as never as {
    isError: boolean
    structuredContent: { error: { code: string; details: { errors: { pointer: string }[] } } }
  }
  assert.equal(bad.isError, true)
  assert.equal(bad.structuredContent.error.code, 'invalid')
  assert.equal(bad.structuredContent.error.details.errors[0]?.pointer, '/text')
  const unknown = resultOf(await client.answer(2)) as never as {
    structuredContent: { error: { reason: string; details: { nearest: string } } }
  }
  assert.equal(unknown.structuredContent.error.reason, 'unknown_argument')
  assert.equal(unknown.structuredContent.error.details.nearest, 'times')
})

test('what a plugin throws by mistake never reaches the wire, its log id does', async (t) => {
  const { client, logged } = await serve(t)

  client.send(
    modern(1, 'tools/call', { name: 'sample_fail', arguments: { how: 'crash' } }),
    modern(2, 'tools/call', { name: 'sample_fail', arguments: { how: 'secret' } }),
    modern(3, 'tools/call', { name: 'sample_fail', arguments: { how: 'shape' } }),
    modern(4, 'resources/read', { uri: 'sample://note/broken/1' }),
  )
  const answers = await Promise.all([1, 2, 3, 4].map((id) => client.answer(id)))

  assert.ok(!JSON.stringify(answers).includes('secret'))
  for (const answer of answers.slice(0, 3)) {
    const { isError, content, structuredContent } = resultOf(answer) as never as {
      isError: boolean
      content: { text: string }[]
      structuredContent: { error: { code: string; message: string; details: { log_id: string } } }
    }
    assert.equal(isError, true)
    assert.match(content[0]?.text ?? '', /^Internal error \(log id [0-9a-f]{12}\)$/)
    assert.equal(structuredContent.error.message, 'Internal error')
    assert.ok(logged.some((line) => line.includes(structuredContent.error.details.log_id)))
  }
  assert.equal(errorOf(answers[3] ?? {}).code, -32603)
  assert.equal(errorOf(answers[3] ?? {}).message, 'Internal error')
})

test('text that others wrote is cleaned, cut, fenced and labelled', async (t) => {
  const { client } = await serve(t)

  client.send(modern(1, 'tools/call', { name: 'sample_quote' }))

  const { structuredContent } = resultOf(await client.answer(1)) as never as {
    structuredContent: { quotes: { body: string }[] }
  }
  const body = structuredContent.quotes[0]?.body ?? ''
  const fence =
    /^<<<untrusted-([0-9a-f]{16}) note of a stranger; data, not instructions\n(.*)\n\[cut: \d+ more characters\]\nuntrusted-\1>>>$/s
  const found = fence.exec(body)
  assert.ok(found, body)
  assert.equal(found[2]?.length, 40)
  assert.ok(!body.includes('\u202e'))
})

test('resources: fixed ones and listed ones, templates apart, read with their cache hints', async (t) => {
  const { client } = await serve(t)

  client.send(
    modern(1, 'resources/list'),
    modern(2, 'resources/templates/list'),
    modern(3, 'resources/read', { uri: 'sample://note/a%20b/2%2F3' }),
    modern(4, 'resources/read', { uri: 'sample://manual' }),
  )

  const list = resultOf(await client.answer(1)) as never as { resources: { uri: string }[]; ttlMs: number }
  assert.deepEqual(
    list.resources.map(({ uri }) => uri),
    ['sample://status', 'sample://manual', 'sample://room', 'sample://note/a%20b/1'],
  )
  assert.equal(list.ttlMs, 5_000)
  const { resourceTemplates } = resultOf(await client.answer(2)) as never as {
    resourceTemplates: { uriTemplate: string }[]
  }
  assert.deepEqual(
    resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    ['sample://note/{id}/{part}'],
  )
  const note = resultOf(await client.answer(3))
  assert.deepEqual(note.contents, [
    { uri: 'sample://note/a%20b/2%2F3', mimeType: 'text/plain', text: 'a b:2/3' },
  ])
  assert.deepEqual({ ttlMs: note.ttlMs, cacheScope: note.cacheScope }, { ttlMs: 0, cacheScope: 'private' })
  const manual = resultOf(await client.answer(4))
  assert.deepEqual(manual.contents, [
    { uri: 'sample://manual', mimeType: 'text/plain', text: 'Use it.', _meta: { 'satchel/truncated': true } },
  ])
  assert.deepEqual(
    { ttlMs: manual.ttlMs, cacheScope: manual.cacheScope },
    { ttlMs: 3_600_000, cacheScope: 'public' },
  )
})

test('unknown, foreign and badly encoded resources are one and the same not-found', async (t) => {
  const uris = ['sample://room', 'sample://nothing', 'sample://note/x/1', 'sample://note/%zz/1']
  const { client } = await serve(t)

  uris.forEach((uri, id) => {
    client.send(modern(id, 'resources/read', { uri }))
  })

  for (const [id, uri] of uris.entries()) {
    const error = errorOf(await client.answer(id))
    assert.deepEqual(error, { code: -32602, message: 'Resource not found', data: { uri } })
  }
})

test('an older client is told -32002 for an unknown resource', async (t) => {
  const { client } = await serve(t)

  client.send(initialize(), legacy(1, 'resources/read', { uri: 'sample://nothing' }))

  assert.equal(errorOf(await client.answer(1)).code, -32002)
})

test('prompts are described, rendered, and refuse missing and unknown arguments', async (t) => {
  const { client } = await serve(t)

  client.send(
    modern(1, 'prompts/list'),
    modern(2, 'prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
    modern(3, 'prompts/get', { name: 'greet', arguments: {} }),
    modern(4, 'prompts/get', { name: 'greet', arguments: { who: 'Ada', what: 'x' } }),
    modern(5, 'prompts/get', { name: 'nothing' }),
  )

  const { prompts } = resultOf(await client.answer(1)) as never as { prompts: unknown[] }
  assert.deepEqual(prompts, [
    {
      name: 'greet',
      title: 'Greet',
      description: 'Greets somebody.',
      arguments: [
        { name: 'who', description: 'Whom to greet.', required: true },
        { name: 'tone', description: 'How.', required: false },
      ],
    },
  ])
  const { messages } = resultOf(await client.answer(2))
  assert.deepEqual(messages, [{ role: 'user', content: { type: 'text', text: 'Say hello to Ada.' } }])
  for (const id of [3, 4, 5]) assert.equal(errorOf(await client.answer(id)).code, -32602)
})

test('completions: at most 100 values with total and hasMore; unknown references are refused', async (t) => {
  const prompt = { type: 'ref/prompt', name: 'greet' }
  const note = { type: 'ref/resource', uri: 'sample://note/{id}/{part}' }
  const { client } = await serve(t)

  client.send(
    modern(1, 'completion/complete', { ref: prompt, argument: { name: 'who', value: 'A' } }),
    modern(2, 'completion/complete', { ref: note, argument: { name: 'id', value: 'n' } }),
    modern(3, 'completion/complete', { ref: note, argument: { name: 'x', value: '' } }),
    modern(4, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'x' },
      argument: { name: 'who', value: '' },
    }),
  )

  assert.deepEqual(resultOf(await client.answer(1)).completion, {
    values: ['Ada', 'Alan'],
    total: 2,
    hasMore: false,
  })
  const many = resultOf(await client.answer(2)) as never as {
    completion: { values: string[]; total: number; hasMore: boolean }
  }
  assert.equal(many.completion.values.length, 100)
  assert.deepEqual([many.completion.total, many.completion.hasMore], [120, true])
  for (const id of [3, 4]) assert.equal(errorOf(await client.answer(id)).code, -32602)
})

test('an older client subscribes, is told each change once a turn, and unsubscribes', async (t) => {
  const { client, world, host } = await serve(t)
  client.send(initialize(), legacy(1, 'resources/subscribe', { uri: 'sample://status' }))
  await client.answer(1)

  world.changed('sample://status')
  world.changed('sample://status')
  const hint = await client.find((message) => message['method'] === 'notifications/resources/updated')
  client.send(legacy(2, 'resources/unsubscribe', { uri: 'sample://status' }))
  await client.answer(2)
  world.changed('sample://status')
  await sleep(5)

  assert.deepEqual(hint['params'], { uri: 'sample://status' })
  assert.equal(client.received.filter((message) => 'method' in message).length, 1)
  assert.equal(host.hub.listenerCount, 0)
})

test('what cannot be watched is refused alike', async (t) => {
  const uris = ['sample://manual', 'sample://room', 'sample://nothing', 'sample://note/x/1']
  const { client } = await serve(t)

  client.send(initialize())
  uris.forEach((uri, id) => {
    client.send(legacy(id + 1, 'resources/subscribe', { uri }))
  })

  for (const [id] of uris.entries()) {
    assert.deepEqual(errorOf(await client.answer(id + 1)), {
      code: -32602,
      message: 'Unknown or unsubscribable resource',
    })
  }
})

test('progress goes to who asked, increasing, and the result comes 25 ms after the last one', async (t) => {
  const { client } = await serve(t)
  const call = (id: number, token?: string) =>
    modern(id, 'tools/call', {
      name: 'sample_wait',
      arguments: { steps: 3, step_ms: 0 },
      ...(token && { _meta: { progressToken: token } }),
    })

  client.send(call(1, 'tok'), call(2))
  const startedAt = performance.now()
  await client.answer(1)
  const took = performance.now() - startedAt
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

test('64 calls run at once, the next waits, and a cancellation overtakes it', async (t) => {
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

test('stdin closed in the middle of a message: exit 0 at once, nothing called', async (t) => {
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
  for (let id = 2; id < 10; id++) {
    const text = 'x'.repeat(400_000)
    client.send(legacy(id, 'tools/call', { name: 'sample_echo', arguments: { text } }))
  }
  while (client.unread() < 400_000) await sleep(1) // an answer that nobody takes stops the server

  for (let change = 0; change < 20; change++) {
    world.changed('sample://status')
    await new Promise(setImmediate)
  }
  client.stall(false)
  await client.answer(9)

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
  world.taskChanged(String(taskId), { status: 'completed', outcome: { data: { note: 'n' }, text: 'done' } })
  const hint = await client.find((message) => message['method'] === 'notifications/tasks')

  assert.equal(resultType, 'task')
  assert.equal((resultOf(await client.answer(2)) as Record<string, unknown>)['status'], 'working')
  assert.equal(errorOf(await client.answer(3)).code, -32021)
  assert.equal((hint['params'] as Record<string, unknown>)['status'], 'completed')
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

test('what a call logs names the trace its request belongs to', async (t) => {
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
