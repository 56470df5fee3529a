import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import { openHost, temporaryFolder } from '../../test/harness/index.ts'
import type { Listener } from '../contract/advanced/route.ts'
import { SatchelError } from '../contract/errors.ts'
import { createPump } from '../fanout/pump.ts'
import type { McpMount } from '../mcp-mount.ts'
import { createMetrics } from '../metrics.ts'
import { definePlugin } from '../plugin.ts'
import { createApp } from './app.ts'
import { createCallsInFlight } from './calls-in-flight.ts'
import { endpointsOf, inventory } from './endpoints.ts'
import { openListener } from './listener.ts'
import { problem } from './problem.ts'
import { createStreamPlaces } from './stream-places.ts'
import { OPTIONS } from './testing/listen.ts'
import { askAt, openDoor, TOKEN } from './testing/open-door.ts'
import { SESSION } from './testing/sample-plugin.ts'

/** The grace of calls in flight. A server that ends well before it did not wait for it. */
const GRACE_MS = 5_000

/** What the sample plugin's listeners serve, beside the MCP door: method, path and guard, sorted. */
const INVENTORY: Readonly<Record<string, readonly string[]>> = {
  api: [
    'DELETE /notes/{id} caller',
    'GET / caller',
    'GET /docs caller',
    'GET /docs/favicon.png caller',
    'GET /docs/start.js caller',
    'GET /docs/style.css caller',
    'GET /docs/swagger-ui-bundle.js caller',
    'GET /docs/swagger-ui.css caller',
    'GET /events caller',
    'GET /feed bearer-or-cookie',
    'GET /health caller',
    'GET /local/ping socket',
    'GET /notes/{id} caller',
    'GET /openapi.json caller',
    'GET /page open',
    'GET /ready caller',
    'GET /redoc caller',
    'GET /redoc/redoc.js caller',
    'GET /redoc/start.js caller',
    'GET /redoc/style.css caller',
    'GET /things/{name} bearer',
    'PATCH /notes/{id} caller',
    'POST /crash caller',
    'POST /echo caller',
    'POST /fail caller',
    'POST /raw caller',
    'POST /room/commit caller',
    'POST /wait caller',
  ],
  owner: [
    'GET /feed bearer-or-cookie',
    'GET /page open',
    'GET /things/{name} bearer',
    'POST /echo caller',
    'POST /page/claim open',
    'POST /page/invite cookie',
    'POST /room/commit caller',
  ],
  ingress: [
    'GET /feed bearer-or-cookie',
    'GET /things/{name} bearer',
    'POST /echo caller',
    'POST /room/commit caller',
  ],
  local: [
    'GET /feed bearer-or-cookie',
    'GET /local/ping socket',
    'GET /things/{name} bearer',
    'POST /echo caller',
    'POST /room/commit caller',
  ],
}

/** An MCP door that says what it was asked. */
function mount(): McpMount & { closed: number } {
  return {
    closed: 0,
    routes: [{ method: 'ALL', path: '/mcp' }],
    async handle(exchange) {
      if (exchange.request.method === 'GET') {
        exchange.outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
        exchange.outgoing.end('data: x\n\n')
        return exchange.alreadySent()
      }
      try {
        const principal = await exchange.authenticate()
        const body = await exchange.readBody(1024)
        return Response.json({ principal: principal.id, body, listener: exchange.listener })
      } catch (thrown) {
        if (thrown instanceof SatchelError) return problem(thrown)
        throw thrown
      }
    },
    refuse: (error) => Response.json({ refused: error.reason }, { status: 403 }),
    endStreams() {},
    async close() {
      this.closed += 1
    },
  }
}

async function appOf(t: TestContext, name: string) {
  const { host } = await openDoor(t)
  const listener: Listener = { name, at: { host: '127.0.0.1', port: 0 }, mcp: false }
  const endpoints = endpointsOf(host, listener, createStreamPlaces(createPump()), OPTIONS)
  const app = createApp({
    host,
    listener,
    endpoints,
    calls: createCallsInFlight(),
    options: OPTIONS,
    port: () => 0,
  })
  return { app, lines: inventory(listener, endpoints) }
}

/** Routes of an app that the inventory does not list. */
function undeclared(
  routes: readonly { readonly method: string; readonly path: string }[],
  lines: readonly { readonly method: string; readonly path: string }[],
): string[] {
  const known = new Set(lines.map(({ method, path }) => `${method} ${path}`))
  return routes
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    .filter((route) => !known.has(route))
}

describe('listener', () => {
  it('serves exactly the routes of its inventory, each with its guard', async (t) => {
    for (const [name, expected] of Object.entries(INVENTORY)) {
      const { app, lines } = await appOf(t, name)

      assert.deepEqual(
        lines.map(({ method, path, guard }) => `${method} ${path} ${guard}`).sort(),
        expected,
        name,
      )
      assert.deepEqual(undeclared(app.routes, lines), [])
    }
  })

  it('is caught when a route is added that no inventory knows', async (t) => {
    const { app, lines } = await appOf(t, 'api')

    app.get('/planted', (c) => c.text('x'))

    assert.deepEqual(undeclared(app.routes, lines), ['GET /planted'])
  })

  it('keeps an idle connection longer than proxies do', async (t) => {
    const { raw } = await openDoor(t)
    const line = raw('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')

    const head = await line.until('Keep-Alive')
    const [, seconds] = /Keep-Alive: timeout=(\d+)/.exec(head) ?? []

    assert.ok(Number(seconds) > 60, head)
  })

  it('describes itself at the fixed addresses', async (t) => {
    const { ask } = await openDoor(t)

    const root = await ask('/')
    const health = await ask('/health')
    const ready = await ask('/ready')

    assert.deepEqual(
      { ...root.json, endpoints: [] },
      {
        name: 'satchel',
        version: '1.2.3',
        description: 'A host of the tests.',
        endpoints: [],
      },
    )
    assert.ok('GET /notes/{id}' in (root.json['endpoints'] as object))
    assert.deepEqual(health.json, { status: 'healthy', version: '1.2.3' })
    assert.equal(ready.status, 200)
  })

  it('moves to the next free port if configured, otherwise refuses a busy port', async (t) => {
    const { host, door } = await openDoor(t)
    const at = { host: '127.0.0.1', port: Number(door.port) }

    const next = await openListener(host, { name: 'owner', at, mcp: false, nextFreePort: true }, OPTIONS)
    t.after(() => next.close())

    assert.ok(Number(next.port) > at.port)
    assert.equal(next.address, `http://127.0.0.1:${next.port}`)
    await assert.rejects(openListener(host, { name: 'ingress', at, mcp: false }, OPTIONS), {
      code: 'unavailable',
      reason: 'port_busy',
    })
  })

  it('refuses to open when a plugin declares an address of the host', async (t) => {
    const thief = definePlugin({
      name: 'thief',
      version: '1.0.0',
      apiVersion: 1,
      config: z.object({}),
      setup: async () => ({
        routes: [
          {
            method: 'GET',
            path: '/health',
            listeners: ['api'],
            guard: 'open',
            handle: async () => new Response(),
          },
        ],
      }),
    })
    const { host } = await openHost(t, { plugins: [thief] })

    await assert.rejects(
      openListener(host, { name: 'api', at: { host: '127.0.0.1', port: 0 }, mcp: false }, OPTIONS),
      { code: 'conflict', reason: 'name_taken', details: { name: 'GET /health', owners: ['thief', 'host'] } },
    )
  })

  it('refuses to open when a plugin declares a method of an address that the host serves under all', async (t) => {
    const { host } = await openHost(t, { plugins: [] })
    const route = {
      method: 'POST' as const,
      path: '/mcp' as const,
      listeners: ['page'],
      guard: 'open' as const,
      handle: async () => new Response(),
    }
    const thief = { ...host, registry: { ...host.registry, routes: [{ route, plugin: 'thief' }] } }

    await assert.rejects(
      openListener(
        thief,
        { name: 'page', at: { host: '127.0.0.1', port: 0 }, mcp: true },
        { ...OPTIONS, mcp: mount() },
      ),
      { code: 'conflict', reason: 'name_taken', details: { name: 'POST /mcp', owners: ['thief', 'host'] } },
    )
  })

  it('says why it cannot listen', async (t) => {
    await assert.rejects(openDoor(t, { at: { host: '192.0.2.1', port: 0 } }), {
      reason: 'cannot_listen',
      message: /cannot listen at 192\.0\.2\.1:0 \(EADDRNOTAVAIL\)\. Choose an address/,
    })
  })

  it('says why it cannot listen at a socket, and refuses a path that would be cut off', async (t) => {
    const folder = await temporaryFolder(t)
    await writeFile(join(folder, 'file'), '')
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [
        join(folder, 'file'),
        'port_busy',
        /the path is taken, by another server or a file\. Choose another path/,
      ],
      [join(folder, 'none', 's'), 'cannot_listen', /at its socket \(\w+\)\. Choose a short path in a folder/],
      [join(folder, 's'.repeat(108)), 'cannot_listen', /at its socket \(ENAMETOOLONG\)/],
    ]

    for (const [socket, reason, message] of cases)
      await assert.rejects(openDoor(t, { at: { socket } }), { reason, message })
    assert.deepEqual(await readdir(folder), ['file'])
  })

  it('answers a malformed request as a problem and goes on', async (t) => {
    const { raw, ask } = await openDoor(t)

    const { until } = raw('GET / HTTP/1.1\r\nHost: a b\r\n\r\n')
    const text = await until('\r\n\r\n')

    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.equal((await ask('/health')).status, 200)
  })

  it('says as a problem why it could not read a request, and counts it', async (t) => {
    const metrics = createMetrics()
    const { raw, ask, logged } = await openDoor(t, {}, { metrics })
    const host = 'Host: localhost\r\n'
    const cases: readonly (readonly [request: string, status: number, reason: string])[] = [
      [`GET /h\xe9 HTTP/1.1\r\n${host}\r\n`, 400, 'bad_request'],
      [`GET / HTTP/1.1\r\n${host} folded\r\n\r\n`, 400, 'bad_request'],
      ['\x16\x03\x01\x02', 400, 'bad_request'],
      [`POST /raw HTTP/1.1\r\n${host}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'bad_request'],
      [`GET /?q=${'a'.repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431, 'head_too_large'],
    ]

    for (const [request, status, reason] of cases) {
      const sent = raw(request)
      await sent.closed
      const [head = '', body = ''] = sent.received().split('\r\n\r\n')
      assert.match(
        head,
        new RegExp(`^HTTP/1\\.1 ${status} .*\\r\\ncontent-type: application/problem\\+json\\r\\n`, 's'),
      )
      const { code, reason: given, detail } = JSON.parse(body)
      assert.deepEqual([code, given], ['invalid', reason], detail)
    }
    assert.match(
      metrics.text({ streams: 0, loopDelay: undefined }),
      /\{listener="api",method="_OTHER",status="400"\} 4\n.*\{listener="api",method="_OTHER",status="431"\} 1\n/s,
    )
    assert.equal(logged.filter((line) => line.includes('431')).length, 1)
    assert.equal((await ask('/health')).status, 200)
  })

  it('cuts a connection that sends no request behind one whose answer has begun, and writes nothing into that', async (t) => {
    const { raw } = await openDoor(t)

    const sent = raw('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await sent.until('\r\n\r\n')
    sent.socket.write('no request\r\n\r\n')
    await sent.closed

    assert.equal(sent.received().match(/HTTP\/1\.1/g)?.length, 1)
  })

  it('serves the /mcp routes with Host and Origin checked and the rest left to the door', async (t) => {
    const { ask, raw } = await openDoor(t, {}, { mcp: mount() })

    const called = await ask('/mcp', { body: { a: 1 } })
    const token = await ask('/mcp', { body: {}, headers: { authorization: `Bearer ${TOKEN}` } })
    const session = await ask('/mcp', {
      body: {},
      headers: { authorization: `Bearer ${SESSION}`, host: 'evil.example' },
    })
    const wrong = await ask('/mcp', { body: {}, headers: { authorization: 'Bearer wrong' } })
    const big = await ask('/mcp', { body: { text: 'x'.repeat(2000) } })
    const origin = await ask('/mcp', { body: {}, headers: { origin: 'http://evil.example' } })
    const stream = await raw('GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n').until('data: x')

    assert.deepEqual(called.json, { principal: 'local', body: { a: 1 }, listener: 'api' })
    assert.deepEqual(
      [token.json['principal'], session.json['principal'], wrong.status],
      ['operator', 'all', 401],
    )
    assert.deepEqual([big.status, big.headers.connection], [413, 'close'])
    assert.deepEqual([origin.status, origin.json], [403, { refused: 'origin_not_allowed' }])
    assert.match(stream, /^HTTP\/1\.1 200 /)
  })

  it('serves no /mcp for any method on a listener with mcp: false', async (t) => {
    const { ask } = await openDoor(t, { name: 'owner', mcp: false }, { mcp: mount() })
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD']) {
      assert.equal((await ask('/mcp', { method })).status, 404, method)
    }
  })
})

describe('closing a listener', () => {
  it('lets calls in flight finish, refuses new ones, and ends the MCP door with it', async (t) => {
    const mcp = mount()
    const { door, raw, sample } = await openDoor(t, {}, { graceMs: 2000, mcp })
    const body = '{"ms":80}'
    const first = raw(
      `POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    while (sample.calls.length === 0) await pause(5)

    const closed = door.close()
    first.socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await closed
    await first.closed

    assert.match(first.received(), /^HTTP\/1\.1 200 /)
    assert.equal(first.received().includes('healthy'), false, 'what came after the close was refused')
    assert.deepEqual(sample.calls, ['waiting', 'done'])
    await assert.rejects(askAt(door, '/health'), { code: 'ECONNREFUSED' })
    assert.equal(mcp.closed, 1)
    await door.close()
    assert.equal(mcp.closed, 1)
  })

  it('aborts a call that outlives the grace and cuts its connection', async (t) => {
    const { door, raw, sample } = await openDoor(t, {}, { graceMs: 40 })
    raw(
      'POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    )
    while (sample.calls.length === 0) await pause(5)

    const began = performance.now()
    await door.close()
    const tookMs = performance.now() - began
    while (sample.calls.length < 2) await pause(5) // the server does not wait for what a handler does after its abort

    assert.ok(tookMs < GRACE_MS * 0.8, 'the usual grace was not awaited')
    assert.deepEqual(sample.calls, ['waiting', 'aborted'])
  })

  it('ends open streams immediately, and an idle connection does not delay it', async (t) => {
    const { door, raw, sample } = await openDoor(t, {}, { graceMs: GRACE_MS })
    const feed = raw(`GET /feed HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${SESSION}\r\n\r\n`)
    const events = raw('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
    raw('')
    await feed.until('id: 3')
    await events.until('text/event-stream')

    const began = performance.now()
    await door.close()
    const tookMs = performance.now() - began
    await Promise.all([feed.closed, events.closed])

    assert.ok(tookMs < GRACE_MS * 0.8, 'long before the grace is over')
    for (const { received } of [feed, events]) assert.ok(received().endsWith('0\r\n\r\n'))
    assert.equal(sample.inboxes.size, 0)
  })
})
