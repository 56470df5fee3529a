import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { CallAnswer } from '../server/call.ts'
import { SatchelError } from '../server/contract/errors.ts'
import type { Tool } from '../server/contract/tool.ts'
import { createPump } from '../server/fanout/pump.ts'
import type { HttpOptions } from '../server/http/exchange.ts'
import { openListener } from '../server/http/listener.ts'
import { OPTIONS } from '../server/http/testing/listen.ts'
import { directCallOf } from '../server/mcp/direct-call.ts'
import { createHttpMount } from '../server/mcp/http.ts'
import { parsedJson } from '../server/platform/json-object.ts'
import { openWholeHost } from './harness/whole-host.ts'

const VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const ENVELOPE = {
  [`${META}protocolVersion`]: VERSION,
  [`${META}clientInfo`]: { name: 'claude-code', version: '1', title: 'Claude Code' },
  [`${META}clientCapabilities`]: { roots: {}, elicitation: {} },
}

const folder = await mkdtemp(join(tmpdir(), 'satchel-direct-'))
const whole = await openWholeHost(folder)
const tools: readonly Tool[] = whole.registry.tools.map(({ tool }) => tool)

/**
 * What a call came to is kept and given again, error or answer, so that what two requests show differs only by the way
 * that they took to it.
 */
const outcomes = new Map<string, Promise<CallAnswer>[]>()
const host: typeof whole = Object.assign(Object.create(whole), {
  call: (...[owned, input, ctx]: Parameters<typeof whole.call>) => {
    if ((input as { limit?: unknown }).limit === HELD) return heldCall(ctx.signal)
    const key = JSON.stringify([owned.tool.name, input, ctx.principal.scopes ?? 'all'])
    const kept = outcomes.get(key) ?? [whole.call(owned, input, ctx)]
    outcomes.set(key, kept.length > 1 ? kept.slice(1) : kept)
    return kept[0] as Promise<CallAnswer> // never empty
  },
})

/** A call of `handoff_list` with this limit ends when its caller goes away. */
const HELD = 77
const held = new EventEmitter()
async function heldCall(signal: AbortSignal): Promise<never> {
  const aborted = once(signal, 'abort')
  held.emit('begun')
  await aborted
  held.emit('ended')
  throw signal.reason
}
const listen = (more: Partial<HttpOptions> = {}) =>
  openListener(
    host,
    { name: 'mcp', at: { host: '127.0.0.1', port: 0 }, mcp: true },
    {
      ...OPTIONS,
      recognize: async (name) => scoped(name),
      mcp: createHttpMount({
        boot: Promise.resolve(host),
        version: '1.0.0',
        log: host.log,
        resolvePath: async (path) => path,
        pump: createPump(),
      }),
      graceMs: 50,
      ...more,
    },
  )
const listener = await listen()
const agent = new Agent({ keepAlive: true })
after(async () => {
  agent.destroy()
  await listener.close()
  await host.stop()
  await rm(folder, { recursive: true, force: true })
})

function scoped(name: string) {
  if (name !== 'reader') return undefined
  return { id: 'token:reader', kind: 'operator', capabilities: [], scopes: ['handoff:read'] } as const
}

type Headers = Readonly<Record<string, string | string[]>>

interface Seen {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** What is drawn for each answer: the end of a fence, and the id of a line in the log. */
const DRAWN = /(untrusted-|log id |log_id[^0-9a-z]{3,8})[0-9a-f]+/g

function post(body: string, headers: Headers, address = listener.address): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = request(`${address}/mcp`, { method: 'POST', agent, headers }, (answer) => {
      answer.setEncoding('utf8')
      let text = ''
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => {
        // The time differs from one answer to the next; the order of headers says nothing.
        const { statusCode: status, headers: all } = answer
        const shown = Object.entries(all).filter(([name]) => name !== 'date')
        resolve({ status, headers: Object.fromEntries(shown), body: text.replaceAll(DRAWN, '$1') })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

interface Asked {
  readonly body: unknown
  readonly headers?: Headers
  /** What is sent, where it is not `body` in JSON. */
  readonly text?: string
}

const MODERN = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': VERSION,
  'mcp-method': 'tools/call',
}
const DIRECT_TYPE = 'application/json'
/** The same type for everyone who parses it. A request with it is left to the SDK. */
const SDK_TYPE = 'application/json; charset=utf-8'

/** Sends a request twice, so that the SDK answers one of them. Reports whether the other was answered without it. */
async function compare(asked: Asked): Promise<boolean> {
  return (await answerOf(asked)).isDirect
}

/** What `compare` does, with the answer. */
async function answerOf({ body, headers = {}, text: sent }: Asked): Promise<Seen & { isDirect: boolean }> {
  const named = (body as { params?: { name?: unknown } } | null)?.params?.name
  const all: Headers = {
    ...MODERN,
    ...(typeof named === 'string' && /^[ -~]*$/.test(named) && { 'mcp-name': named }),
    ...headers,
  }
  const text = sent ?? JSON.stringify(body).replaceAll('"OWN_PROTO"', '"__proto__"')
  const direct = await post(text, { 'content-type': DIRECT_TYPE, ...all })
  const bySdk = await post(text, { 'content-type': SDK_TYPE, ...all })

  assert.deepEqual(direct, bySdk, text.slice(0, 2000))
  assert.equal(isDirect(text, { ...all, 'content-type': SDK_TYPE }), false)
  return { ...direct, isDirect: isDirect(text, { 'content-type': DIRECT_TYPE, ...all }) }
}

/** Reports whether a request is answered without the SDK, with its headers as Node.js joins them. */
function isDirect(text: string, sent: Headers): boolean {
  const headers = Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      name === 'content-type' ? [value].flat()[0] : [value].flat().join(', '),
    ]),
  )
  const rawHeaders = Object.entries(sent).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => [name, each]),
  )
  return directCallOf({ headers, rawHeaders } as IncomingMessage, parsedJson(text)) !== undefined
}

function callOf(
  name: unknown,
  args?: unknown,
  { id = 1, meta = ENVELOPE }: { id?: unknown; meta?: unknown } = {},
) {
  const given = args === undefined ? {} : { arguments: args }
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...given, _meta: meta } }
}

test('every example of every tool has the same answer with and without the SDK', async () => {
  for (const { name, example } of tools) assert.ok(await compare({ body: callOf(name, example) }), name)
})

test('bad input of every tool has the same answer with and without the SDK', async () => {
  for (const { name, input } of tools) {
    const [first = 'none'] = Object.keys(input.shape)
    const inputs = [undefined, {}, { nothing_like_it: 1 }, { [first]: [[1]] }, { [first]: 'x'.repeat(3000) }]
    for (const args of inputs) assert.ok(await compare({ body: callOf(name, args) }), name)
  }
})

test('what the caller may not do is refused in the same words with and without the SDK', async () => {
  for (const bearer of ['reader', 'stranger', 'not a token'])
    for (const name of ['handoff_list', 'handoff_create', 'search_modules', 'room_read', 'no_such_tool'])
      await compare({ body: callOf(name, {}), headers: { authorization: `Bearer ${bearer}` } })
})

/** Requests that are not both plain and well-formed, which the SDK must judge. */
const LEFT_TO_THE_SDK: readonly Asked[] = [
  { body: callOf('handoff_list', { OWN_PROTO: 1 }) },
  { body: callOf('handoff_list', []) },
  { body: callOf('handoff_list', null) },
  { body: callOf('handoff_list', {}, { id: null }) },
  { body: callOf('handoff_list', {}, { id: 1.5 }) },
  { body: callOf('handoff_list', {}, { id: true }) },
  { body: callOf('x'.repeat(201), {}) },
  { body: callOf(7, {}) },
  { body: { ...callOf('handoff_list', {}), extra: 1 } },
  { body: { ...callOf('handoff_list', {}), jsonrpc: '1.0' } },
  { body: { ...callOf('handoff_list', {}), method: 'tools/list' } },
  { body: { ...callOf('handoff_list', {}), params: undefined } },
  { body: { jsonrpc: '2.0', method: 'tools/call', params: callOf('handoff_list', {}).params } },
  { body: [callOf('handoff_list', {})] },
  ...[
    null,
    {},
    { ...ENVELOPE, progressToken: 7 },
    { ...ENVELOPE, [`${META}logLevel`]: 'debug' },
    { ...ENVELOPE, [`${META}protocolVersion`]: '2025-11-25' },
    { ...ENVELOPE, [`${META}protocolVersion`]: '2031-01-01' },
    { ...ENVELOPE, [`${META}clientInfo`]: { name: 'a' } },
    { ...ENVELOPE, [`${META}clientInfo`]: { name: 'a', version: '1', title: 7 } },
    { ...ENVELOPE, [`${META}clientInfo`]: { name: 'a', version: '1', icons: [{ src: 'x' }] } },
    { ...ENVELOPE, [`${META}clientCapabilities`]: undefined },
    { ...ENVELOPE, [`${META}clientCapabilities`]: { elicitation: true } },
    { ...ENVELOPE, [`${META}clientCapabilities`]: { elicitation: { form: { applyDefaults: 'yes' } } } },
    { ...ENVELOPE, [`${META}clientCapabilities`]: { roots: { listChanged: 'yes' } } },
  ].map((meta) => ({ body: callOf('handoff_list', {}, { meta }) })),
  ...[
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'handoff_get' },
    { 'mcp-name': `=?base64?${Buffer.from('handoff_list').toString('base64')}?=` },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'content-type': ['application/json', 'text/plain'] },
  ].map((headers) => ({ body: callOf('handoff_list', {}), headers })),
]

test('what is not plain and well-formed is left to the SDK', async () => {
  for (const asked of LEFT_TO_THE_SDK) {
    const { 'content-type': type, ...others } = asked.headers ?? {}
    const body = JSON.stringify(asked.body).replaceAll('"OWN_PROTO"', '"__proto__"')
    const named = (asked.body as { params?: { name?: unknown } }).params?.name
    const sent = {
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': String(named),
      ...others,
    }
    const types = [type ?? DIRECT_TYPE].flat().map(String)
    const incoming = {
      headers: { ...sent, 'content-type': types[0] },
      rawHeaders: types.flatMap((each) => ['Content-Type', each]),
    } as unknown as IncomingMessage
    assert.equal(directCallOf(incoming, JSON.parse(body)), undefined, body)
    if (type === undefined) assert.equal(await compare(asked), false, body)
  }
})

test('what clients really send beside a call is answered without the SDK', async () => {
  const metas = [
    { ...ENVELOPE, 'claudecode/toolUseId': 'toolu_1' },
    {
      ...ENVELOPE,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
    },
    { ...ENVELOPE, [`${META}clientCapabilities`]: {} },
    { ...ENVELOPE, [`${META}clientCapabilities`]: { roots: { listChanged: true }, sampling: {} } },
    {
      ...ENVELOPE,
      [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {}, 'x/y': { a: [1] } } },
    },
    { ...ENVELOPE, [`${META}clientCapabilities`]: { elicitation: { form: {}, url: {} }, later: 7 } },
  ]
  for (const meta of metas)
    for (const name of ['handoff_list', 'propose_section', 'no_such_tool'])
      assert.ok(await compare({ body: callOf(name, {}, { meta }) }), JSON.stringify(meta))
  for (const id of ['', 'a', 0, -1, Number.MAX_SAFE_INTEGER])
    assert.ok(await compare({ body: callOf('handoff_list', {}, { id }) }), String(id))
})

test('any request has the same answer with and without the SDK', { timeout: 600_000 }, async () => {
  const json = fc.jsonValue({ maxDepth: 2 })
  const mostly = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<unknown> = json) =>
    fc.oneof({ weight: 20, arbitrary: usual }, { weight: 1, arbitrary: other })
  const named = (names: readonly string[], value: fc.Arbitrary<unknown>) =>
    fc.dictionary(fc.constantFrom(...names), value)
  const capabilities = named(
    ['roots', 'sampling', 'elicitation', 'extensions', 'experimental', 'tasks', 'other'],
    mostly(named(['form', 'url', 'tools', 'a'], mostly(fc.constant({})))),
  )
  const texts = named(['title', 'websiteUrl', 'description'], mostly(fc.string()))
  const client = fc
    .tuple(fc.string(), mostly(fc.string()), texts)
    .map(([name, version, more]) => ({ name, version, ...more }))
  const meta = fc
    .tuple(mostly(client), mostly(capabilities), mostly(fc.dictionary(fc.string(), json)))
    .map(([info, capable, more]) => ({
      ...ENVELOPE,
      [`${META}clientInfo`]: info,
      [`${META}clientCapabilities`]: capable,
      ...(typeof more === 'object' && more),
    }))
  const params = fc.record({
    name: fc.constantFrom(...tools.map((tool) => tool.name), 'no_such_tool'),
    arguments: mostly(fc.dictionary(fc.string(), json)),
    _meta: meta,
  })
  const asked = fc.record({
    jsonrpc: mostly(fc.constant('2.0')),
    id: mostly(fc.oneof(fc.integer(), fc.string())),
    method: fc.constant('tools/call'),
    params: mostly(
      params,
      fc.tuple(params, json).map(([whole, task]) => ({ ...whole, task })),
    ),
  })
  let direct = 0
  await fc.assert(
    fc.asyncProperty(asked, async (body) => {
      if (await compare({ body })) direct++
    }),
    { numRuns: 300 },
  )
  assert.ok(direct > 20 && direct < 280, `${direct} of 300 took the direct way`)
})

/** A call with a part of its text replaced, for what no value in JSON can say. */
function altered(from: string, to: string): string {
  const text = JSON.stringify(callOf('handoff_list', { limit: 3 }, { id: 'id' }))
  assert.ok(text.includes(from))
  return text.replace(from, () => to)
}

const NAME = '"name":"handoff_list"'
const ID = '"id":"id"'
const LIMIT = '"limit":3'
const ALTERED: readonly (readonly [string, string])[] = [
  [NAME, `"name":"handoff_create",${NAME}`],
  [NAME, `${NAME},"name":"handoff_create"`],
  [NAME, `${NAME},"arguments":{"limit":4}`],
  [LIMIT, `"limit":4,${LIMIT}`],
  ['"method":"tools/call"', '"method":"tools/list","method":"tools/call"'],
  ['"_meta":{', '"_meta":{"progressToken":1},"_meta":{'],
  [
    `"${META}protocolVersion":"${VERSION}"`,
    `"${META}protocolVersion":"x","${META}protocolVersion":"${VERSION}"`,
  ],
  [ID, `"id":"other",${ID}`],
  [ID, `"id":${JSON.stringify('x'.repeat(200_000))}`],
  [ID, '"id":"__proto__"'],
  [ID, '"id":-0'],
  [ID, '"id":1e2'],
  [ID, `"id":${'9'.repeat(400)}`],
  [ID, '"id":"\\ud800\\u0000"'],
  [LIMIT, '"constructor":1'],
  [LIMIT, '"toString":{}'],
  [LIMIT, '"query":{"__proto__":{"limit":1}}'],
  [LIMIT, `"query":${'['.repeat(99)}${']'.repeat(99)}`],
  [LIMIT, `"query":[${'0,'.repeat(60_000)}0]`],
  [LIMIT, `"query":"${'x'.repeat(4 * 2 ** 20)}"`],
  [LIMIT, `"query":"${'x'.repeat(3 * 2 ** 20)}"`],
  [LIMIT, '"limit":'],
  ['{"jsonrpc"', '\ufeff{"jsonrpc"'],
  ['{"jsonrpc"', '{}{"jsonrpc"'],
]

test('a text with names or numbers that parsers disagree on, or beyond a bound, has the same answer on both ways', async () => {
  let direct = 0
  for (const [from, to] of ALTERED)
    if (await compare({ body: callOf('handoff_list'), text: altered(from, to) })) direct++
  assert.ok(direct > 8, `${direct} took the direct way`)

  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])
    await compare({ body: callOf(name, {}) })
})

test('a batch of plain calls, or with one, is none of the direct way', async () => {
  const call = callOf('handoff_list', { limit: 3 })
  for (const body of [[call], [call, { ...call, id: 2 }], [call, call], [[call]], [[], call]])
    assert.equal(await compare({ body, headers: { 'mcp-name': 'handoff_list' } }), false)
})

/** What a client or an attacker adds to a call, or leaves out of it. */
const HEADERS: readonly Headers[] = [
  ...['text/html', 'application/json', 'text/event-stream', '', '*/*'].map((accept) => ({ accept })),
  { 'mcp-session-id': 'x' },
  { 'last-event-id': '7' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'identity' },
  { 'transfer-encoding': 'chunked' },
  { 'mcp-name': ['handoff_list', 'handoff_create'] },
  { 'mcp-name': ['handoff_list', 'handoff_list'] },
  { 'mcp-method': ['tools/call', 'tools/list'] },
  { 'mcp-protocol-version': [VERSION, '2025-11-25'] },
  { 'mcp-name': '' },
  { 'mcp-name': 'HANDOFF_LIST' },
  { host: 'evil.example' },
  { origin: 'http://evil.example' },
  { origin: 'null' },
  { 'x-forwarded-for': '127.0.0.1' },
  { via: '1.1 x' },
  { 'x-http-method-override': 'GET' },
  { authorization: 'Basic eDp5' },
  { authorization: ['Bearer reader', 'Bearer stranger'] },
]

test('headers open neither way further than the other: type of answer, origin, host, proxies, credentials, encodings', async () => {
  for (const headers of HEADERS) await compare({ body: callOf('handoff_list', { limit: 3 }), headers })
})

test('a token reaches on both ways what its scopes name, of every tool', async () => {
  const headers = { authorization: 'Bearer reader' }
  for (const owned of whole.registry.tools.filter((each) => whole.offers(each))) {
    const { name, example, annotations } = owned.tool
    const answer = await answerOf({ body: callOf(name, example), headers })

    assert.ok(answer.isDirect, name)
    assert.equal(answer.status, owned.plugin === 'handoff' && annotations.readOnly ? 200 : 403, name)
  }
})

test('a rate is one rate on both ways', { timeout: 600_000 }, async (t) => {
  const limited = await listen({ rate: 0.001 })
  t.after(() => limited.close())
  const statuses: (number | undefined)[] = []
  for (let sent = 0; sent < 4; sent++) {
    const text = JSON.stringify(callOf('handoff_list', { limit: 3 }))
    const type = sent % 2 === 0 ? DIRECT_TYPE : SDK_TYPE
    const headers = { ...MODERN, 'content-type': type, 'mcp-name': 'handoff_list' }
    statuses.push((await post(text, headers, limited.address)).status)
  }

  assert.deepEqual(statuses, [200, 429, 429, 429])
})

test('two calls in flight with one id are both answered, and a client that goes away ends its own alone', {
  timeout: 600_000,
}, async () => {
  for (const type of [DIRECT_TYPE, SDK_TYPE]) {
    const headers = { ...MODERN, 'content-type': type, 'mcp-name': 'handoff_list' }
    const [begun, ended] = [once(held, 'begun'), once(held, 'ended')]
    const text = JSON.stringify(callOf('handoff_list', { limit: HELD }, { id: 'same' }))
    const leaving = request(`${listener.address}/mcp`, { method: 'POST', headers })
    leaving.on('error', () => undefined).end(text)
    await begun

    const other = await post(JSON.stringify(callOf('handoff_list', { limit: 3 }, { id: 'same' })), headers)
    leaving.destroy()
    await ended

    assert.equal(other.status, 200)
    assert.match(other.body, /"id":"same"/)
  }
})

test('an error of the host itself is told in the same words', async () => {
  refuse(3, new SatchelError('unavailable', 'index_busy', 'The index is busy.'))
  refuse(4, new Error('a fault'))

  assert.ok(await compare({ body: callOf('handoff_list', { limit: 3 }) }))
  assert.ok(await compare({ body: callOf('handoff_list', { limit: 4 }) }))
})

test('a difference between the two is found', async () => {
  const busy = (what: string) => new SatchelError('unavailable', 'index_busy', what)
  refuse(5, busy('The index is busy.'), busy('The index is still busy.'))

  await assert.rejects(compare({ body: callOf('handoff_list', { limit: 5 }) }), /still busy/)
})

/** Lets the next calls of `handoff_list` with this limit fail, one after the other. */
function refuse(limit: number, ...errors: readonly Error[]): void {
  const failed = errors.map((error) => Promise.reject(error))
  for (const each of failed) each.catch(() => undefined) // a request awaits it
  outcomes.set(JSON.stringify(['handoff_list', { limit }, 'all']), failed)
}
