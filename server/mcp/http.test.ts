import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, openStream, post, postModern } from './testing/http-client.ts'
import { legacy, modern, modernHeaders } from './testing/messages.ts'
import { bearer, serveHttp } from './testing/serve-http.ts'
import { errorOf, openSession, resultOf } from './testing/sessions.ts'

const META = 'io.modelcontextprotocol/'

function postWithout(url: string, message: ReturnType<typeof modern>, header: string): Promise<Answer> {
  const { [header]: _, ...headers } = modernHeaders(message)
  return post(url, message, headers)
}

async function raw(url: string, body: Buffer, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: new Uint8Array(body),
  })
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

test('a modern client discovers, lists, calls and reads over one POST each', async (t) => {
  const { url } = await serveHttp(t)

  const discover = await postModern(url, modern('d', 'server/discover'))
  const call = await postModern(
    url,
    modern(2, 'tools/call', { name: 'sample_echo', arguments: { text: 'hi' } }),
  )
  const read = await postModern(url, modern(3, 'resources/read', { uri: 'sample://status' }))

  assert.deepEqual(resultOf(discover)['supportedVersions'], ['2026-07-28'])
  assert.equal(discover.body?.id, 'd')
  assert.deepEqual(resultOf(call)['structuredContent'], { text: 'hi', chars: 2 })
  assert.match(call.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(resultOf(read)['cacheScope'], 'private')
  assert.equal(call.headers.get('access-control-allow-origin'), null)
})

test('every refusal of the transport has its code, status and id', async (t) => {
  const { url } = await serveHttp(t)
  const list = modern(7, 'tools/list')
  const version = (value: string) => ({
    ...modern(7, 'tools/list', { _meta: { [`${META}protocolVersion`]: value } }),
  })
  const rows: [string, Promise<Answer>, number, number, unknown][] = [
    ['not JSON', post(url, '{"jsonrpc":'), 400, -32700, null],
    ['empty', post(url, ''), 400, -32700, null],
    ['no JSON-RPC message', post(url, {}), 400, -32600, null],
    ['an empty batch', post(url, []), 400, -32600, null],
    ['version header missing', postWithout(url, list, 'mcp-protocol-version'), 400, -32020, 7],
    ['method header missing', postWithout(url, list, 'mcp-method'), 400, -32020, 7],
    ['method header disagrees', postModern(url, list, { 'mcp-method': 'prompts/list' }), 400, -32020, 7],
    [
      'name header disagrees',
      postModern(url, modern(7, 'tools/call', { name: 'sample_echo' }), { 'mcp-name': 'sample_fail' }),
      400,
      -32020,
      7,
    ],
    [
      'unsupported version',
      postModern(url, version('2099-01-01'), { 'mcp-protocol-version': '2099-01-01' }),
      400,
      -32022,
      7,
    ],
    ['no _meta', postModern(url, legacy(7, 'tools/list')), 400, -32602, 7],
    [
      'a malformed _meta key',
      postModern(url, modern(7, 'tools/list', { _meta: { [`${META}clientCapabilities`]: 5 } })),
      400,
      -32602,
      7,
    ],
    [
      'a progress token that is none',
      postModern(url, modern(7, 'tools/list', { _meta: { progressToken: 1.5 } })),
      400,
      -32602,
      7,
    ],
    [
      'a _meta that is none, of an older client',
      post(url, legacy(7, 'tools/list', { _meta: 5 }), await openSession(url)),
      400,
      -32602,
      7,
    ],
    ['unknown method', postModern(url, modern(7, 'nothing/here')), 404, -32601, 7],
    ['removed: ping', postModern(url, modern(7, 'ping')), 404, -32601, 7],
    [
      'removed: logging/setLevel',
      postModern(url, modern(7, 'logging/setLevel', { level: 'info' })),
      404,
      -32601,
      7,
    ],
    ['removed: tasks/result', postModern(url, modern(7, 'tasks/result', { taskId: 'x' })), 404, -32601, 7],
    ['removed: tasks/list', postModern(url, modern(7, 'tasks/list')), 404, -32601, 7],
    ['unknown tool', postModern(url, modern(7, 'tools/call', { name: 'nothing' })), 200, -32602, 7],
    ['unknown prompt', postModern(url, modern(7, 'prompts/get', { name: 'nothing' })), 200, -32602, 7],
    ['unknown resource', postModern(url, modern(7, 'resources/read', { uri: 'x://y' })), 200, -32602, 7],
    ['bad credential', postModern(url, list, bearer('ses_nobody')), 401, -32000, null],
    ['wrong type', post(url, 'x', { 'content-type': 'text/plain' }), 415, -32000, null],
    ['too large', post(url, JSON.stringify('x'.repeat(4 * 1024 * 1024))), 413, -32000, null],
    ['unknown session', post(url, legacy(7, 'tools/list'), { 'mcp-session-id': 'unknown' }), 404, -32001, 7],
    ['no session', post(url, legacy(7, 'tools/list')), 400, -32000, 7],
    [
      'a bug',
      postModern(url, modern(7, 'resources/read', { uri: 'sample://note/broken/1' })),
      200,
      -32603,
      7,
    ],
  ]

  for (const [what, answer, status, code, id] of rows) {
    const got = await answer
    assert.equal(got.status, status, `${what}: ${JSON.stringify(got.body)}`)
    assert.equal(errorOf(got).code, code, `${what}: ${JSON.stringify(got.body)}`)
    assert.equal(got.body?.id, id, what)
    assert.equal(got.body?.['jsonrpc'], '2.0', what)
    assert.ok(!JSON.stringify(got.body).includes('secret'), what)
  }
  const refused = await postModern(url, list, bearer('ses_nobody'))
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="satchel", error="invalid_token"')
  assert.deepEqual(errorOf(refused).data, { code: 'unauthorized', reason: 'unauthorized' })
  assert.equal((await postModern(url, list)).status, 200)
})

test('a request wrong in two ways is refused for the first in order', async (t) => {
  const { url } = await serveHttp(t)

  const credentialBeforeType = await post(url, 'x', { ...bearer('ses_x'), 'content-type': 'text/plain' })
  const acceptBeforeCredential = await fetch(url, { headers: { ...bearer('ses_x'), accept: 'text/html' } })
  const versionBeforeCredential = await fetch(url, {
    headers: { ...bearer('ses_x'), accept: 'text/event-stream' },
  })
  const headersBeforeMethod = await postModern(url, modern(1, 'nothing/here'), { 'mcp-method': 'x' })

  assert.equal(credentialBeforeType.status, 401)
  assert.equal(acceptBeforeCredential.status, 405)
  assert.equal(acceptBeforeCredential.headers.get('allow'), 'POST, GET')
  assert.equal(versionBeforeCredential.status, 400)
  assert.equal(errorOf(headersBeforeMethod).code, -32020)
})

test('other methods are 405 with a JSON-RPC body; DELETE needs a session it knows', async (t) => {
  const { url } = await serveHttp(t)

  for (const method of ['PUT', 'PATCH', 'OPTIONS', 'DELETE']) {
    const response = await fetch(url, { method })
    assert.equal(response.status, 405, method)
    assert.equal(response.headers.get('allow'), 'POST, GET')
    const { error } = (await response.json()) as { error: { code: number; data: unknown } }
    assert.deepEqual(error.data, { code: 'invalid', reason: 'method_not_allowed' })
  }
  assert.equal((await fetch(url, { method: 'HEAD' })).status, 405)
  const unknown = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'unknown' } })
  assert.equal(unknown.status, 404)
})

test('a GET names its version: absent, older and unknown ones are distinguished', async (t) => {
  const { url } = await serveHttp(t)
  const get = async (version?: string) => {
    const headers = { accept: 'text/event-stream', ...(version && { 'mcp-protocol-version': version }) }
    const response = await fetch(url, { headers })
    return [response.status, ((await response.json()) as { error: { code: number } }).error.code]
  }

  assert.deepEqual(await get(), [400, -32020])
  assert.deepEqual(await get('2025-11-25'), [400, -32000])
  assert.deepEqual(await get('2099-01-01'), [400, -32022])
})

test('media types of Accept have no case', async (t) => {
  const { url } = await serveHttp(t)
  const get = await fetch(url, { headers: { accept: 'Text/Event-Stream;q=1, application/JSON' } })
  const call = modern(1, 'tools/call', {
    name: 'sample_wait',
    arguments: { steps: 2, step_ms: 0 },
    _meta: { progressToken: 'p' },
  })

  const stream = await postModern(url, call, { accept: 'Application/JSON, TEXT/Event-Stream' })

  assert.equal(get.status, 400) // its version is missing
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.match(await get.text(), /-32020/)
})

test('without text/event-stream in Accept a modern call ignores the progress token and answers JSON', async (t) => {
  const { url } = await serveHttp(t)
  const call = modern(1, 'tools/call', {
    name: 'sample_wait',
    arguments: { steps: 2, step_ms: 0 },
    _meta: { progressToken: 'p' },
  })

  const json = await postModern(url, call, { accept: 'application/json' })
  const stream = await postModern(url, call)

  assert.match(json.headers.get('content-type') ?? '', /^application\/json/)
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
  assert.deepEqual(resultOf(stream)['structuredContent'], { steps: 2 })
})

test('a modern client that goes away cancels its call', async (t) => {
  const { url, world } = await serveHttp(t)
  const going = new AbortController()
  const message = modern(1, 'tools/call', { name: 'sample_wait', arguments: { steps: 1, step_ms: 60_000 } })
  const answer = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...modernHeaders(message) },
    body: JSON.stringify(message),
    signal: going.signal,
  })
  while (world.calls.length === 0) await sleep(1)

  going.abort()
  await assert.rejects(answer)

  while (world.aborted === 0) await sleep(1)
  assert.equal(world.aborted, 1)
})

test('a body is read within its bounds, and a refused one calls nothing', async (t) => {
  const { url, world } = await serveHttp(t)
  const call = (text: string) => modern(1, 'tools/call', { name: 'sample_echo', arguments: { text } })
  const sized = (bytes: number) => {
    const empty = JSON.stringify(call(''))
    return JSON.stringify(call('x'.repeat(bytes - empty.length)))
  }
  const headers = modernHeaders(call(''))
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
  const limit = 4 * 1024 * 1024

  const full = await post(url, sized(limit), headers)
  const calls = world.calls.length
  const over = await post(url, sized(limit + 1), headers)
  const deep = await post(url, nested(101))
  const flat = await post(url, nested(100))
  const notUtf8 = await raw(url, Buffer.from([0x22, 0xff, 0x22]), {})
  const gzip = await raw(url, Buffer.from('{}'), { 'content-encoding': 'gzip' })
  const bom = await raw(
    url,
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(call('b')))]),
    headers,
  )

  assert.equal(full.status, 200)
  assert.deepEqual(
    [over.status, errorOf(over).code, errorOf(over).data],
    [413, -32000, { code: 'too_large', reason: 'limit_exceeded' }],
  )
  assert.deepEqual([deep.status, errorOf(deep).code, errorOf(flat).code], [400, -32600, -32600])
  assert.match(errorOf(deep).message, /deep/)
  assert.ok(!/deep/.test(errorOf(flat).message))
  assert.deepEqual([notUtf8.status, errorOf(notUtf8).code], [400, -32700])
  assert.deepEqual([gzip.status, errorOf(gzip).code], [415, -32000])
  assert.equal(bom.status, 200)
  assert.equal(world.calls.length, calls + 1)
})

test('a body that does not arrive is refused with 408', async (t) => {
  const { address } = await serveHttp(t, { limits: { bodyLimitMs: 20 } })
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString()
  })

  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a"`,
  )
  while (!text.includes('"body_timeout"')) await sleep(5)

  assert.match(text, /^HTTP\/1\.1 408 /)
  assert.match(text, /^connection: close\r$/im)
  assert.match(text, /"code":-32000/)
})

test('a foreign origin is refused, another local port too, and none passes', async (t) => {
  const { url, address } = await serveHttp(t)
  const list = modern(1, 'tools/list')

  const foreign = await postModern(url, list, { origin: 'http://evil.example' })
  const port = await postModern(url, list, { origin: 'http://127.0.0.1:1' })
  const own = await postModern(url, list, { origin: address })

  for (const refused of [foreign, port]) {
    assert.equal(refused.status, 403)
    assert.deepEqual(errorOf(refused).data, { code: 'forbidden', reason: 'origin_not_allowed' })
    assert.equal(refused.body?.id, null)
  }
  assert.equal(own.status, 200)
})

test('a stopping listener ends streams immediately, and calls in flight still answer', async (t) => {
  const { url, world, close } = await serveHttp(t, { limits: { graceMs: 5000 } })
  const own = await openSession(url)
  const stream = await openStream(url, own)
  const wait = { name: 'sample_wait', arguments: { steps: 1, step_ms: 40 } }
  const calls = [
    post(url, legacy(5, 'tools/call', wait), own),
    postModern(url, modern(6, 'tools/call', wait)),
  ]
  while (world.calls.length < 2) await sleep(1)

  await close()

  await stream.ended
  for (const answer of await Promise.all(calls)) {
    assert.deepEqual(resultOf(answer)['structuredContent'], { steps: 1 })
  }
  assert.equal(world.aborted, 0)
})
