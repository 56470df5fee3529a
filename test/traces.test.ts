import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { modern, modernHeaders } from '../server/mcp/testing/messages.ts'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './harness/index.ts'
import { KEPT_CODE, runSatchel, SATCHEL } from './satchel-process.ts'
import { openCollector, type SeenSpan } from './trace-collector.ts'

const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const TEXT = 'the words of the user'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`
const HANDOFF = { title: TEXT, objective: `${TEXT} ${SECRET}`, current_state: TEXT }

const json = (endpoint: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
})

const callOf = (name: string, args: object, traceparent?: string) =>
  modern(1, 'tools/call', {
    name,
    arguments: args,
    ...(traceparent !== undefined && { _meta: { traceparent } }),
  })

function startSatchel(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...args], {
    cwd,
    env: { PATH: String(process.env['PATH']), HOME: cwd, ...KEPT_CODE, ...env },
  })
  const err = text(child.stderr)
  return { child, err, ended: once(child, 'close') }
}

async function serve(t: TestContext, env: Readonly<Record<string, string>>) {
  const started = startSatchel(
    await temporaryFolder(t),
    ['serve', '--host', '127.0.0.1', '--port', '0', '--json'],
    env,
  )
  const address: string = JSON.parse(await firstLine(started.child)).listeners[0].address
  const post = async (path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
  const stop = async (): Promise<string> => {
    started.child.kill('SIGTERM')
    await started.ended
    return started.err
  }
  return { address, post, stop }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout)
  for await (const line of createInterface(stdout)) return line
  throw new Error('it ended without a line')
}

function named(spans: readonly SeenSpan[], name: string): SeenSpan {
  const [span, second] = spans.filter((one) => one.name === name)
  assert.ok(span && !second, `one span ${name} among ${spans.map((one) => one.name).join(', ')}`)
  return span
}

test('a REST request and the call in it are spans of the trace of the caller, without texts', async (t) => {
  const collector = await openCollector(t)
  const server = await serve(t, {
    ...json(collector.endpoint),
    OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=seven',
    OTEL_SERVICE_NAME: 'handoffs-of-seven',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  })

  await server.post('/handoffs', HANDOFF, { traceparent: TRACEPARENT })
  await server.post('/handoffs', { ...HANDOFF, [TEXT]: SECRET })
  await server.stop()

  const spans = collector.spans()
  const traced = spans.filter(({ traceId }) => traceId === TRACE)
  const request = named(traced, 'POST /handoffs')
  const call = named(traced, 'call handoff_create')
  assert.deepEqual([request.parentSpanId, call.parentSpanId], [CALLER, request.spanId])
  assert.deepEqual(
    [request.attributes['http.route'], request.attributes['http.response.status_code']],
    ['/handoffs', 200],
  )
  assert.deepEqual(call.attributes, {
    'satchel.tool': 'handoff_create',
    'satchel.plugin': 'handoff',
    'satchel.door': 'http',
    'satchel.outcome': 'ok',
  })
  const refused = named(
    spans.filter(({ traceId }) => traceId !== TRACE),
    'call handoff_create',
  )
  assert.deepEqual(
    [refused.attributes['satchel.outcome'], refused.attributes['satchel.reason'], refused.status],
    ['invalid', 'unknown_argument', undefined],
  )
  assert.equal(call.resource['service.name'], 'handoffs-of-seven')
  assert.equal(call.resource['deployment.environment.name'], 'test')
  for (const { path, headers, body } of collector.requests) {
    assert.deepEqual([path, headers['x-tenant']], ['/v1/traces', 'seven'])
    assert.ok(!body.includes(SECRET) && !body.includes(TEXT))
  }
})

test('over Streamable HTTP the trace in _meta is the parent, and the HTTP request is linked', async (t) => {
  const collector = await openCollector(t)
  const server = await serve(t, json(collector.endpoint))
  const headers = modernHeaders(callOf('handoff_list', {}))

  const answer = await server.post('/mcp', callOf('handoff_list', {}, TRACEPARENT), headers)
  await server.post('/mcp', callOf('handoff_list', {}, 'not a trace'), headers)
  await server.stop()

  assert.equal(answer.status, 200, answer.text)
  const spans = collector.spans()
  const traced = spans.filter(({ traceId }) => traceId === TRACE)
  const rpc = named(traced, 'tools/call')
  const call = named(traced, 'call handoff_list')
  assert.deepEqual([rpc.parentSpanId, call.parentSpanId], [CALLER, rpc.spanId])
  assert.deepEqual(
    [rpc.attributes['mcp.method.name'], call.attributes['satchel.door']],
    ['tools/call', 'mcp'],
  )
  const requests = spans.filter(({ name }) => name === 'POST /mcp')
  assert.deepEqual(
    rpc.links,
    requests.map(({ spanId }) => spanId).filter((spanId) => spanId === rpc.links[0]),
  )
  assert.equal(rpc.links.length, 1)
  const other = spans.filter(({ traceId }) => traceId !== TRACE)
  const untraced = named(other, 'tools/call')
  assert.ok(requests.some(({ spanId }) => spanId === untraced.parentSpanId))
})

test('over stdio and at the command line calls are spans, sent before the process ends', async (t) => {
  const collector = await openCollector(t)
  const folder = await temporaryFolder(t)
  const client = startSatchel(folder, ['mcp'], json(collector.endpoint))

  client.child.stdin.end(`${JSON.stringify(callOf('handoff_list', {}, TRACEPARENT))}\n`)
  await client.ended
  const verb = await runSatchel(folder, ['handoff', 'list'], json(collector.endpoint))

  assert.equal(verb.code, 0, verb.err)
  const calls = collector.spans().filter(({ name }) => name === 'call handoff_list')
  assert.deepEqual(
    calls.map(({ traceId, attributes }) => [traceId === TRACE, attributes['satchel.door']]),
    [
      [true, 'mcp'],
      [false, 'cli'],
    ],
  )
})

test('without a protocol spans are sent as protobuf; the standard variables turn them off', async (t) => {
  const collector = await openCollector(t)
  const folder = await temporaryFolder(t)
  const list = (env: Readonly<Record<string, string>>) =>
    runSatchel(folder, ['handoff', 'list'], {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.endpoint}/spans`,
      ...env,
    })

  for (const env of [
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
  ])
    assert.equal((await list(env)).code, 0)
  assert.equal(collector.requests.length, 0)
  const { code, err } = await list({})

  assert.deepEqual([code, err], [0, ''])
  const [request, second] = collector.requests
  assert.ok(request && !second)
  assert.deepEqual([request.path, request.headers['content-type']], ['/spans', 'application/x-protobuf'])
  assert.ok(request.body.includes('call handoff_list'))
})

test('a collector that refuses or never answers delays no call, fails none, and is one line of the log', async (t) => {
  const collector = await openCollector(t, { mute: true })
  const closed = `http://127.0.0.1:${await freePort()}` // nothing listens there
  const folder = await temporaryFolder(t)

  const refused = await runSatchel(folder, ['handoff', 'list', '--json'], json(closed))
  const server = await serve(t, { ...json(collector.endpoint), OTEL_BSP_SCHEDULE_DELAY: '1' })
  for (let count = 0; count < 5; count++) assert.equal((await server.post('/handoffs', HANDOFF)).status, 200)
  const log = await server.stop()

  assert.equal(refused.code, 0)
  assert.doesNotThrow(() => JSON.parse(refused.out))
  for (const err of [refused.err, log]) assert.equal(err.match(/traces could not be sent/g)?.length, 1, err)
  assert.ok(!log.includes(SECRET))
})
