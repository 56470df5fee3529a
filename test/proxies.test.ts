import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { modern, modernHeaders } from '../server/mcp/testing/messages.ts'
import { temporaryFolder } from './harness/index.ts'
import {
  type Answered,
  type Asked,
  missingForProxies,
  type Network,
  openNetwork,
  programPath,
  SERVER_ADDRESS,
} from './proxy-network.ts'

const TOKEN = 'token-of-the-proxy-test'
const UPSTREAM = '127.0.0.1:8000'
const PROXY_PORT = 9000
const OPERATING = readFileSync(join(import.meta.dirname, '../docs/operating.md'), 'utf8')
const SERVER_USER = 65534
const missing = missingForProxies()
if (missing !== undefined && process.env['REQUIRE_PROXIES'])
  throw new Error(`REQUIRE_PROXIES is set and ${missing} is missing`)
const skip = missing !== undefined && `NOT RUN: needs ${missing}`

interface Proxy {
  readonly name: string
  readonly user: string
  /** Starts it in front of the server, with the fewest words that its documentation gives. */
  start(network: Network): Promise<void>
}

const NGINX = (locations: string, folder: string): string => `
daemon off; pid ${folder}/nginx.pid; error_log stderr crit;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/nginx-${kind};`).join(' ')}
  server { listen 0.0.0.0:${PROXY_PORT}; ${locations} }
}
`
const HAPROXY = (more: string, backend = `backend satchel\n  server one ${UPSTREAM}`): string => `
defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
${more}
frontend in
  bind 0.0.0.0:${PROXY_PORT}
  default_backend satchel
${backend}
`

const startNginx = async (network: Network, locations: string): Promise<void> => {
  const own = join(network.folder, 'nginx')
  mkdirSync(own)
  chmodSync(own, 0o777)
  const file = network.write('nginx.conf', NGINX(locations, own))
  await network.startProxy('www-data', PROXY_PORT, [String(programPath('nginx')), '-e', 'stderr', '-c', file])
}
const startHaproxy = (network: Network, more: string, backend?: string): Promise<void> =>
  network.startProxy('haproxy', PROXY_PORT, [
    String(programPath('haproxy')),
    ...['-db', '-f', network.write('haproxy.cfg', HAPROXY(more, backend))],
  ])

/** Each in the configuration that its documentation starts with. */
const PROXIES: readonly Proxy[] = [
  {
    name: 'nginx',
    user: 'www-data',
    start: (network) => startNginx(network, `location / { proxy_pass http://${UPSTREAM}; }`),
  },
  { name: 'haproxy', user: 'haproxy', start: (network) => startHaproxy(network, '') },
  {
    name: 'haproxy as a relay of bytes',
    user: 'haproxy',
    start: (network) => startHaproxy(network, '  mode tcp'),
  },
  {
    name: 'caddy',
    user: 'caddy',
    start: (network) =>
      network.startProxy('caddy', PROXY_PORT, [
        String(programPath('caddy')),
        ...['reverse-proxy', '--from', `http://:${PROXY_PORT}`, '--to', UPSTREAM],
      ]),
  },
]

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})
const JSON_BODY = { 'content-type': 'application/json' }
const MCP = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const RECORD = JSON.stringify({ title: 'a', objective: 'b', current_state: 'c' })
const at = (path: string, more: Partial<Asked> = {}): Asked => ({
  url: `http://${SERVER_ADDRESS}:${PROXY_PORT}${path}`,
  ...more,
})
const subscribe = modern(1, 'resources/subscribe', { uri: 'handoff://index' })
const SUBSCRIBE = at('/mcp', {
  method: 'POST',
  headers: { ...MCP, ...modernHeaders(subscribe) },
  body: JSON.stringify(subscribe),
})
const MCP_STREAM = at('/mcp', {
  headers: { accept: 'text/event-stream', 'mcp-protocol-version': '2026-07-28' },
})
/** How long streams are silent before a change; the default time-outs of proxies are a minute. */
const SILENT_MS = 500 + Number(process.env['SATCHEL_PATIENCE'] ?? 0) * 1000
const READS_AND_WRITES: readonly Asked[] = [
  at('/health'),
  at('/handoffs'),
  at('/openapi.json'),
  at('/docs'),
  at('/events'),
  at('/handoffs', { method: 'POST', headers: JSON_BODY, body: RECORD }),
  at('/mcp', { method: 'POST', headers: MCP, body: INITIALIZE }),
  SUBSCRIBE,
  MCP_STREAM,
]

/** What a caller may add to pass for the user of the machine. */
const DISGUISES: readonly Readonly<Record<string, string>>[] = [
  {},
  { host: UPSTREAM },
  { host: 'localhost:8000', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
  { host: UPSTREAM, connection: 'close, x-forwarded-for, x-forwarded-host, x-forwarded-proto, via' },
]

const withToken = (asked: Asked): Asked => ({
  ...asked,
  headers: { ...asked.headers, authorization: `Bearer ${TOKEN}` },
})

async function passesNothing(network: Network): Promise<void> {
  const asked = DISGUISES.flatMap((disguise) =>
    READS_AND_WRITES.map((one) => ({ ...one, headers: { ...one.headers, ...disguise } })),
  )
  const answers = await network.ask(...asked)
  for (const [index, { status, text }] of answers.entries())
    assert.equal(status, 401, `${JSON.stringify(asked[index])}: ${text}`)
}

async function servesEverything(network: Network): Promise<void> {
  const write = at('/handoffs', { method: 'POST', headers: JSON_BODY, body: RECORD, after: SILENT_MS })
  const session = await network.ask(withToken(at('/mcp', { method: 'POST', headers: MCP, body: INITIALIZE })))
  const [subscribed] = await network.ask(withToken(SUBSCRIBE))
  const [events, hints, written] = await network.ask(
    ...[
      at('/events', { until: 'handoff://' }),
      { ...MCP_STREAM, until: 'notifications/resources/updated' },
      write,
    ].map(withToken),
  )
  const [listed] = await network.ask(withToken(at('/handoffs')))

  assert.deepEqual(
    [session[0], subscribed, events, hints, written, listed].map((answer) => answer?.status),
    [200, 200, 200, 200, 200, 200],
  )
  assert.match(String(events?.text), /event: resource\ndata: .*handoff:/)
  assert.match(String(hints?.text), /handoff:\/\/index/)
  assert.match(String(session[0]?.text), /serverInfo/)
  assert.match(String(listed?.text), new RegExp(JSON.parse(String(written?.text)).id))
}

describe('a reverse proxy of another user, as its documentation sets it up', { skip }, () => {
  for (const proxy of PROXIES) {
    it(`${proxy.name}: nothing passes without the token, everything with it`, async (t: TestContext) => {
      const network = await openNetwork(t, ['--host', '127.0.0.1'], TOKEN)
      await proxy.start(network)

      await passesNothing(network)
      await servesEverything(network)
    })
  }
})

/** The blocks of the page for operators, at the addresses of this network and without TLS. */
const DOCUMENTED: readonly Proxy[] = [
  {
    name: 'nginx',
    user: 'www-data',
    start: (network) =>
      startNginx(
        network,
        block('nginx')
          .replace(/^server \{\n/, '')
          .replace(/\}$/, '')
          .replace(/listen .*;|server_name .*;/g, ''),
      ),
  },
  {
    name: 'haproxy',
    user: 'haproxy',
    start: (network) => startHaproxy(network, '', block('haproxy')),
  },
  {
    name: 'caddy',
    user: 'caddy',
    start(network) {
      const file = network.write(
        'Caddyfile',
        block('caddyfile').replace('satchel.example', `http://:${PROXY_PORT}`),
      )
      return network.startProxy('caddy', PROXY_PORT, [
        String(programPath('caddy')),
        ...['run', '--adapter', 'caddyfile', '--config', file],
      ])
    },
  },
]

/** The block of this language below "Behind a reverse proxy". */
function block(language: string): string {
  const [, section = ''] = OPERATING.split('## Behind a reverse proxy\n')
  const found = new RegExp(`^\`\`\`${language}\\n([^\`]+)\\n\`\`\`$`, 'm')
  const [, text] = found.exec(section) ?? []
  if (text === undefined) throw new Error(`the page has no block of ${language}`)
  return text
}

/** A configuration file outside of the project, which the user of the server may read. */
async function settingsFile(t: TestContext, http: string): Promise<string> {
  const folder = await temporaryFolder(t, 'satchel-proxied-')
  chmodSync(folder, 0o755)
  const file = join(folder, 'satchel.yaml')
  writeFileSync(file, `http: { host: 127.0.0.1, trust_proxy: [127.0.0.1]${http} }\n`)
  return file
}

describe('a reverse proxy of another user, as the page for operators sets it up', { skip }, () => {
  for (const proxy of DOCUMENTED) {
    it(`${proxy.name}: pages of its own origin and bodies of 2 MB pass, other origins and callers without the token do not`, async (t) => {
      const network = await openNetwork(t, ['--config', await settingsFile(t, '')], TOKEN)
      await proxy.start(network)
      const own = { origin: `http://${SERVER_ADDRESS}:${PROXY_PORT}` }
      const foreign = { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }
      const large = JSON.stringify({ ...JSON.parse(RECORD), current_state: 'x'.repeat(2_000_000) })
      const write = (body: string, headers: Asked['headers']) =>
        withToken(at('/handoffs', { method: 'POST', headers: { ...JSON_BODY, ...headers }, body }))

      const [mine, others] = await network.ask(write(RECORD, own), write(RECORD, foreign))
      const [through] = await network.ask(write(large, own))
      const [direct] = await network.askHere(0, { ...write(large, {}), url: `http://${UPSTREAM}/handoffs` })

      assert.equal(mine?.status, 200, mine?.text)
      assert.equal(others?.status, 403, others?.text)
      assert.match(String(others?.text), /origin_not_allowed/)
      assert.deepEqual(reasonOf(through), reasonOf(direct))
      await passesNothing(network)
      await servesEverything(network)
    })

    it(`${proxy.name}: the rate is that of the client, who cannot choose its address`, async (t) => {
      const network = await openNetwork(t, ['--config', await settingsFile(t, ', rate: 1')], TOKEN)
      await proxy.start(network)
      const asked = Array.from({ length: 100 }, (_, index) =>
        at('/health', { headers: { 'x-forwarded-for': `198.51.100.${index}` } }),
      )

      const many = await network.ask(...asked.map(withToken))
      const [other] = await network.askHere(0, withToken(at('/health')))

      assert.ok(
        many.some(({ status }) => status === 429),
        JSON.stringify(many),
      )
      assert.equal(other?.status, 200, other?.text)
    })
  }
})

/** How a request ended, without what differs from one to the next. */
function reasonOf(answer: Answered | undefined): unknown {
  const { reason, id } = JSON.parse(String(answer?.text))
  return { status: answer?.status, reason, isStored: id !== undefined }
}

describe('callers of the machine itself', { skip }, () => {
  it('pass without a token for the user of the server alone, and over loopback alone', async (t) => {
    const network = await openNetwork(t, ['--host', '0.0.0.0'], TOKEN)
    const local = { url: `http://${UPSTREAM}/handoffs` }
    const outside = { url: `http://${SERVER_ADDRESS}:8000/handoffs` }

    const asked = (
      await Promise.all([
        network.askHere(SERVER_USER, local, outside),
        network.askHere(0, local),
        network.askHere(33, local),
        network.ask(outside, withToken(outside)),
      ])
    ).flat()

    assert.deepEqual(
      asked.map(({ status }) => status),
      [200, 401, 401, 401, 401, 200],
    )
  })

  it('need the token where the proxy has the same user and is named', async (t) => {
    const network = await openNetwork(t, ['--host', '127.0.0.1', '--trust-proxy', '127.0.0.1'], TOKEN)
    await network.startProxy(String(SERVER_USER), PROXY_PORT, [
      String(programPath('haproxy')),
      ...['-db', '-f', network.write('haproxy.cfg', HAPROXY(''))],
    ])

    await passesNothing(network)
    await servesEverything(network)
  })
})
