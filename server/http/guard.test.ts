import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Principal } from '../contract/advanced/principal.ts'
import type { Listener } from '../contract/advanced/route.ts'
import { admit } from './guard.ts'
import { exchangeFrom } from './testing/exchange-from.ts'
import { OPTIONS } from './testing/listen.ts'
import { askAt, openDoor, TOKEN } from './testing/open-door.ts'
import { READER, SESSION } from './testing/sample-plugin.ts'

const OWNER: Partial<Listener> = { name: 'owner', mcp: false }
const INGRESS: Partial<Listener> = { name: 'ingress', mcp: true }
const COOKIE = `other=1; sample=${SESSION}`

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const PROXY_HEADERS = [
  ...['Forwarded', 'Via', 'X-Forwarded-For', 'x-forwarded-proto', 'X-Forwarded-Anything', 'X-Real-IP'],
  ...['CF-Connecting-IP', 'CF-Ray', 'True-Client-IP', 'X-Client-IP', 'Client-IP', 'X-Cluster-Client-IP'],
  ...['Fastly-Client-IP', 'Fly-Client-IP', 'X-Original-URL', 'X-Envoy-External-Address', 'CDN-Loop'],
  ...['Proxy-Connection', 'X-ARR-LOG-ID', 'X-Amzn-Trace-Id', 'X-Azure-ClientIP', 'X-Host'],
]

/** What a matrix cell answers: the status, and the reason when refused. */
function verdict({ status, json }: { status: number; json: Record<string, unknown> }): string {
  return status === 200 ? '200' : `${status} ${json['reason']}`
}

describe('guard of the API listener', () => {
  const hosts = {
    'localhost:PORT': 'own',
    '127.0.0.1:PORT': 'own',
    '127.9.9.9:PORT': 'own',
    '[::1]:PORT': 'own',
    'localhost:1': 'foreign',
    '127.0.0.1': 'foreign',
    'evil.example': 'foreign',
    'localhost.evil.example': 'foreign',
    'allowed.example': 'foreign',
    'user@localhost': 'malformed',
  }
  const credentials = {
    none: {},
    token: bearer(TOKEN),
    session: bearer(SESSION),
    wrong: bearer('wrong'),
    basic: { authorization: 'Basic eDp5' },
    empty: { authorization: '' },
    cookie: { cookie: COOKIE },
  }

  const calls = {
    GET: { path: '/notes/a' },
    POST: { path: '/echo', body: { text: 'x' } },
    PATCH: { path: '/notes/a', body: { text: 'x' } },
    DELETE: { path: '/notes/a' },
  }
  const cells = Object.entries(hosts).flatMap(([host, kind]) =>
    Object.entries(credentials).flatMap(([credential, headers]) =>
      Object.entries(calls).map(([method, call]) => ({ host, kind, credential, headers, method, ...call })),
    ),
  )
  const expected = ({ kind, credential }: (typeof cells)[number]): RegExp => {
    if (kind === 'malformed') return /^4\d\d /
    const needsNone = kind === 'own' && (credential === 'none' || credential === 'cookie')
    return needsNone || credential === 'token' || credential === 'session' ? /^200$/ : /^401 unauthorized$/
  }

  it('Host × credential × method: without a token only the listener’s own address passes, and a wrong one never does', async (t) => {
    const { ask, door } = await openDoor(t, {}, { allowedHosts: ['allowed.example'] })
    for (const cell of cells) {
      const { path, method, headers } = cell
      const host = cell.host.replace('PORT', String(door.port))
      const answer = await ask(path, {
        method,
        headers: { host, ...headers },
        ...('body' in cell && { body: cell.body }),
      })

      assert.match(verdict(answer), expected(cell), `${method} ${host} ${cell.credential}`)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
  })

  it('identifies the caller by the credential', async (t) => {
    const { ask } = await openDoor(t)
    const principal = async (headers: Record<string, string>) =>
      (await ask('/echo', { body: { text: 'x' }, headers })).json['principal']

    assert.equal(await principal({}), 'local')
    assert.equal(await principal(bearer(TOKEN)), 'operator')
    assert.equal(await principal({ authorization: `bearer   ${TOKEN}` }), 'operator')
    assert.equal(await principal(bearer(SESSION)), 'all')
    assert.equal(await principal({ cookie: COOKIE }), 'local')
  })

  it('requires a token behind a proxy, even from a loopback peer', async (t) => {
    const { ask } = await openDoor(t)
    for (const header of PROXY_HEADERS) {
      const headers = { [header]: '127.0.0.1' }

      assert.equal(verdict(await ask('/health', { headers })), '401 unauthorized', header)
      assert.equal(
        verdict(await ask('/health', { headers: { ...headers, ...bearer(TOKEN) } })),
        '200',
        header,
      )
    }
  })

  it('requires a token for HTTP/1.0 and a target that is not a path, and takes no second Host', async (t) => {
    const { raw, door } = await openDoor(t)
    const host = `Host: 127.0.0.1:${door.port}`
    const status = async (line: string, ...headers: string[]) => {
      const { until } = raw(`${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)
      return Number(/^HTTP\/1\.1 (\d+)/.exec(await until('\r\n\r\n'))?.[1])
    }
    const token = `Authorization: Bearer ${TOKEN}`

    assert.equal(await status('GET /health HTTP/1.1', host), 200)
    assert.equal(await status('GET /health HTTP/1.0', host), 401)
    assert.equal(await status('GET /health HTTP/1.0', host, token), 200)
    assert.equal(await status(`GET http://127.0.0.1:${door.port}/health HTTP/1.1`, host), 401)
    assert.equal(await status('GET /health HTTP/1.1', host, 'Host: evil.example'), 400)
    assert.equal(await status('GET /health HTTP/1.1', host, 'Host: evil.example', token), 400)
  })

  it('requires a token from another user of this machine, and asks for the owner once for a connection', async (t) => {
    let asked = 0
    const isOwnUser = async () => {
      asked += 1
      return false
    }
    const { ask, raw, door } = await openDoor(t, {}, { isOwnUser })

    assert.equal(verdict(await ask('/health')), '401 unauthorized')
    assert.equal(verdict(await ask('/health', { headers: bearer(TOKEN) })), '200')
    assert.equal(asked, 1, 'a token needs no proof')
    const { until } = raw(`GET /health HTTP/1.0\r\nHost: 127.0.0.1:${door.port}\r\n\r\n`)
    await until('401')
    assert.equal(asked, 1, 'a proxy is refused before')
  })

  it('accepts the token of the user’s file over loopback, as the user', async (t) => {
    const { ask } = await openDoor(
      t,
      {},
      { localToken: 'local-token-of-the-test', isOwnUser: async () => false },
    )
    const principal = async (token: string) =>
      (await ask('/echo', { body: { text: 'x' }, headers: bearer(token) })).json['principal']

    assert.equal(await principal('local-token-of-the-test'), 'local')
    assert.equal(await principal(TOKEN), 'operator')
    assert.equal(
      verdict(await ask('/health', { headers: bearer('local-token-of-the-tesT') })),
      '401 unauthorized',
    )
  })

  it('believes a named proxy about its origin, and asks each of its callers for a token', async (t) => {
    const { ask } = await openDoor(t, {}, { trustProxy: ['127.0.0.1'] })
    const plain = await openDoor(t)
    const seen = {
      ...bearer(TOKEN),
      origin: 'https://satchel.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'satchel.example',
    }

    assert.equal(verdict(await ask('/health')), '401 unauthorized')
    assert.equal(verdict(await ask('/health', { headers: seen })), '200')
    assert.equal(
      verdict(await ask('/health', { headers: { ...seen, origin: 'http://satchel.example' } })),
      '403 origin_not_allowed',
    )
    assert.equal(verdict(await plain.ask('/health', { headers: seen })), '403 origin_not_allowed')
  })

  it('requires a credential from a peer that is not loopback, regardless of its Host', async (t) => {
    const { host } = await openDoor(t)
    const options = { ...OPTIONS, token: TOKEN, isOwnUser: async () => true }
    for (const [peer, isLocal] of [
      ['127.0.0.1', true],
      ['127.1.2.3', true],
      ['::1', true],
      ['::ffff:127.0.0.1', true],
      ['10.0.0.7', false],
      ['::ffff:10.0.0.7', false],
      ['172.17.0.1', false],
      ['fe80::1', false],
      ['', false],
    ] as const) {
      const none = admit('caller', exchangeFrom(peer, {}), host, options)
      const token = await admit('caller', exchangeFrom(peer, bearer(TOKEN)), host, options)

      if (isLocal) assert.equal((await none).principal?.kind, 'local', peer)
      else await assert.rejects(none, { code: 'unauthorized' }, peer)
      assert.equal(token.principal?.kind, 'operator')
    }
  })

  it('Origin: absent, its own and allowed ones pass; another port, another host and null are refused', async (t) => {
    const { ask, door, sample } = await openDoor(
      t,
      { allowedOrigins: ['https://one.example'] },
      { allowedOrigins: ['https://two.example:8443'] },
    )
    const host = `localhost:${door.port}`
    const allowed = [
      `http://${host}`,
      `HTTP://LOCALHOST:${door.port}`,
      'https://one.example',
      'https://two.example:8443',
    ]
    const refused = [
      `http://localhost:${Number(door.port) + 1}`,
      `https://${host}`,
      'http://localhost',
      'http://evil.example',
      'null',
      'https://one.example.evil',
      '',
    ]

    for (const origin of allowed)
      assert.equal(
        verdict(await ask('/echo', { body: { text: 'x' }, headers: { host, origin } })),
        '200',
        origin,
      )
    const calls = sample.calls.length
    for (const origin of refused) {
      for (const headers of [{}, bearer(TOKEN), bearer('wrong')]) {
        const answer = await ask('/echo', { body: { text: 'x' }, headers: { host, origin, ...headers } })
        assert.equal(verdict(answer), '403 origin_not_allowed', origin)
      }
    }
    assert.equal(sample.calls.length, calls)
  })

  it('does not take a rebound name for its own: same Host and Origin, no token', async (t) => {
    const { ask } = await openDoor(t)

    const answer = await ask('/echo', {
      body: { text: 'x' },
      headers: { host: 'evil.example', origin: 'http://evil.example' },
    })

    assert.equal(verdict(answer), '401 unauthorized')
  })

  it('is open to loopback alone when there is no server token', async (t) => {
    const { ask } = await openDoor(t, {}, { token: '' })

    assert.equal(verdict(await ask('/health', { headers: { host: 'evil.example' } })), '401 unauthorized')
    assert.equal(verdict(await ask('/health', { headers: { authorization: 'Bearer ' } })), '401 unauthorized')
  })

  it('keeps a session to its own plugin and its capabilities', async (t) => {
    const { ask } = await openDoor(t)

    const local = await ask('/room/commit', { body: {} })
    const operator = await ask('/room/commit', { body: {}, headers: bearer(TOKEN) })
    const reader = await ask('/room/commit', { body: {}, headers: bearer(READER) })
    const all = await ask('/room/commit', { body: {}, headers: bearer(SESSION) })

    assert.deepEqual([local, operator, reader, all].map(verdict), [
      '401 unauthorized',
      '401 unauthorized',
      '403 permission_denied',
      '200',
    ])
  })
})

describe('guard of a plugin’s listeners', () => {
  it('refuses a Host that is not loopback with its own port, and another origin', async (t) => {
    for (const listener of [OWNER, INGRESS]) {
      const { ask, door } = await openDoor(t, { ...listener, allowedHosts: ['room.example'] })
      const port = Number(door.port)
      const status = async (headers: Record<string, string>) =>
        verdict(await ask('/things/a', { headers: { ...bearer(SESSION), ...headers } }))

      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'room.example', 'room.example:9']) {
        assert.equal(await status({ host }), '200', host)
      }
      for (const host of ['localhost', `localhost:${port + 1}`, `evil.example:${port}`, 'x.room.example']) {
        assert.equal(await status({ host }), '403 host_not_allowed', host)
      }
      const origin = `http://localhost:${port}`
      const own = await status({ host: `localhost:${port}`, origin })
      assert.equal(own, listener === OWNER ? '200' : '403 origin_not_allowed')
      assert.equal(await status({ origin: 'http://localhost:1' }), '403 origin_not_allowed')
    }
  })

  it('requires a credential, accepts cookies only on listeners without agents, and never the server token', async (t) => {
    const owner = await openDoor(t, OWNER)
    const ingress = await openDoor(t, INGRESS)
    const at = async (door: typeof owner, path: string, headers: Record<string, string>) =>
      verdict(await door.ask(path, { body: path === '/echo' ? { text: 'x' } : undefined, headers }))
    const page = {
      cookie: COOKIE,
      origin: `http://127.0.0.1:${owner.door.port}`,
      'x-satchel-request': '1',
    }

    assert.equal(await at(owner, '/echo', {}), '401 unauthorized')
    assert.equal(await at(owner, '/echo', bearer(TOKEN)), '401 unauthorized')
    assert.equal(await at(owner, '/echo', bearer(SESSION)), '200')
    assert.equal(await at(owner, '/echo', page), '200')
    assert.equal(await at(owner, '/things/a', { cookie: COOKIE }), '401 unauthorized')
    assert.equal(await at(ingress, '/echo', { cookie: COOKIE }), '401 unauthorized')
    assert.equal(await at(ingress, '/feed', { cookie: COOKIE }), '401 unauthorized')
    assert.equal(await at(ingress, '/page', {}), '404 route_not_found')
    assert.equal(await at(owner, '/page', {}), '200')
    assert.equal(await at(owner, '/local/ping', {}), '404 route_not_found')
    assert.equal(await at(owner, '/mcp', bearer(SESSION)), '404 route_not_found')
  })

  it('takes an unsafe request with a cookie from its own page only', async (t) => {
    const { ask, door, sample } = await openDoor(t, OWNER)
    const good: Record<string, string> = {
      cookie: COOKIE,
      origin: `http://127.0.0.1:${door.port}`,
      'x-satchel-request': '1',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    }
    const invite = async (changes: Record<string, string | undefined>) => {
      const headers = Object.fromEntries(
        Object.entries({ ...good, ...changes }).filter(([, value]) => value !== undefined),
      )
      return verdict(await ask('/page/invite', { body: '{}', headers }))
    }

    assert.equal(await invite({}), '200')
    assert.equal(await invite({ 'sec-fetch-site': undefined }), '200')
    assert.equal(await invite({ 'sec-fetch-site': 'none' }), '200')
    assert.equal(await invite({ origin: undefined }), '403 origin_not_allowed')
    assert.equal(await invite({ 'sec-fetch-site': 'same-site' }), '403 origin_not_allowed')
    assert.equal(await invite({ 'sec-fetch-site': 'cross-site' }), '403 origin_not_allowed')
    assert.equal(await invite({ 'x-satchel-request': undefined }), '403 origin_not_allowed')
    assert.equal(await invite({ 'content-type': 'text/plain' }), '415 media_type')
    assert.equal(await invite({ cookie: undefined }), '401 unauthorized')
    assert.equal(await invite({ cookie: 'sample=ses_old' }), '401 unauthorized')
    assert.equal(sample.calls.length, 3)
  })

  it('leaves an open route open to a stale cookie, and refuses a stale bearer', async (t) => {
    const { ask } = await openDoor(t, OWNER)

    const cookie = await ask('/page/claim', { body: {}, headers: { cookie: 'sample=ses_old' } })
    const stale = await ask('/page/claim', { body: {}, headers: bearer('ses_old') })
    const big = await ask('/page/claim', { body: `"${'x'.repeat(99)}"` })

    assert.deepEqual(
      [cookie.status, cookie.json['principal'], stale.status, big.status],
      [200, null, 401, 413],
    )
  })
})

describe('Host × Origin × credential × method on each listener', () => {
  const listeners = ['api', 'owner', 'ingress'] as const
  const hosts = ['own', 'other port', 'foreign'] as const
  const origins = ['absent', 'own', 'other port', 'null'] as const
  const presented = {
    none: {},
    token: bearer(TOKEN),
    session: bearer(SESSION),
    wrong: bearer('wrong'),
    cookie: { cookie: COOKIE },
  }
  type Cell = {
    readonly listener: (typeof listeners)[number]
    readonly host: (typeof hosts)[number]
    readonly origin: (typeof origins)[number]
    readonly credential: keyof typeof presented
    readonly method: 'GET' | 'POST'
  }

  /** What the pages say, row by row; the first that fits decides. */
  const RULES: readonly (readonly [(cell: Cell) => boolean, string])[] = [
    [({ listener, host }) => listener !== 'api' && host !== 'own', '403 host_not_allowed'],
    [({ origin }) => origin === 'other port' || origin === 'null', '403 origin_not_allowed'],
    [({ listener, origin }) => listener === 'ingress' && origin === 'own', '403 origin_not_allowed'],
    [({ credential }) => credential === 'session', '200'],
    [({ credential }) => credential === 'wrong', '401 unauthorized'],
    [({ listener, credential }) => listener === 'api' && credential === 'token', '200'],
    // The route of the GET asks for a bearer; the tool of the POST takes the same user on the API.
    [({ listener, host, method }) => listener === 'api' && host === 'own' && method === 'POST', '200'],
    // Not from the owner's page: the mark of its requests is missing.
    [
      ({ listener, credential, method }) =>
        listener === 'owner' && credential === 'cookie' && method === 'POST',
      '403 origin_not_allowed',
    ],
    [() => true, '401 unauthorized'],
  ]

  for (const listener of listeners) {
    it(`${listener}: every cell answers as its page says, and a refused one calls nothing`, async (t) => {
      const { ask, door, sample } = await openDoor(t, { name: listener, mcp: listener !== 'owner' })
      const port = Number(door.port)
      const hostNames = {
        own: `localhost:${port}`,
        'other port': `localhost:${port - 1}`,
        foreign: 'evil.example',
      }
      const cells = hosts.flatMap((host) =>
        origins.flatMap((origin) =>
          (Object.keys(presented) as (keyof typeof presented)[]).flatMap((credential) =>
            (['GET', 'POST'] as const).map(
              (method): Cell => ({ listener, host, origin, credential, method }),
            ),
          ),
        ),
      )
      let passed = 0
      for (const cell of cells) {
        const host = hostNames[cell.host]
        const origin = {
          absent: undefined,
          own: `http://${host}`,
          'other port': 'http://localhost:1',
          null: 'null',
        }[cell.origin]
        const headers = { host, ...(origin !== undefined && { origin }), ...presented[cell.credential] }
        const answer = await (cell.method === 'GET'
          ? ask('/things/a', { headers })
          : ask('/echo', { body: { text: 'x' }, headers }))

        const expected = RULES.find(([fits]) => fits(cell))?.[1]
        assert.equal(verdict(answer), expected, JSON.stringify(cell))
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
        if (answer.status === 200) passed += 1
      }
      assert.equal(sample.calls.length, passed)
    })
  }
})

describe('an open route', () => {
  it('takes a token without its scope, as it takes none, and still no unknown one', async (t) => {
    const elsewhere: Principal = { id: 'token:x', kind: 'operator', capabilities: [], scopes: ['other:read'] }
    const recognize = async (token: string) => (token === 'elsewhere' ? elsewhere : undefined)
    const { ask } = await openDoor(t, {}, { recognize })
    const statusOf = async (headers = {}) => (await ask('/page', { headers })).status

    assert.deepEqual(
      [await statusOf(), await statusOf(bearer('elsewhere')), await statusOf(bearer('wrong'))],
      [200, 200, 401],
    )
  })
})

describe('guard of a socket', () => {
  it('belongs to its owner: mode 0600, no credential required, removed at close', async (t) => {
    const { projectRoot } = await openDoor(t)
    const socket = join(projectRoot, 'owner.sock')
    const { door, ask } = await openDoor(t, { name: 'local', at: { socket } })

    const mode = (await stat(socket)).mode & 0o777
    const ping = await ask('/local/ping')
    const local = await ask('/echo', { body: { text: 'x' } })
    const session = await askAt(door, '/room/commit', { body: {}, headers: bearer(SESSION) })
    const wrong = await ask('/echo', { body: { text: 'x' }, headers: bearer('wrong') })
    const thing = await ask('/things/a')
    await door.close()

    assert.equal(mode, 0o600)
    assert.deepEqual([ping.status, ping.json['principal']], [200, 'local'])
    assert.equal(local.json['principal'], 'local')
    assert.deepEqual([session.status, wrong.status, thing.status], [200, 401, 401])
    await assert.rejects(stat(socket))
  })

  it('hides its routes from a port', async (t) => {
    const { ask } = await openDoor(t)

    const answer = await ask('/local/ping')

    assert.equal(verdict(answer), '404 route_not_found')
  })
})
