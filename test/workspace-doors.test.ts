import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { publicUrl } from '../plugins/workspace/config.ts'
import { parseJoinUri } from '../plugins/workspace/domain/invitation.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { openRoomServer } from './workspace-server-fixture.ts'

const PAGE = { 'x-satchel-request': '1' }

test('the listeners serve exactly what is theirs', async (t) => {
  const server = await openRoomServer(t)
  const status = async (base: string, method: string, path: string) =>
    (await server.ask(base, method, path, method === 'GET' ? {} : { body: {} })).status

  for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
    assert.equal(await status(server.owner, method, '/mcp'), 404, method)
  }
  assert.equal(await status(server.owner, 'POST', '/session/join'), 404)
  assert.equal(await status(server.owner, 'POST', '/session/renew'), 404)
  assert.equal(await status(server.owner, 'GET', '/'), 200)
  assert.equal(await status(server.owner, 'GET', '/local/ping'), 404)
  assert.equal(await status(server.ingress, 'GET', '/'), 404)
  assert.equal(await status(server.ingress, 'GET', '/workspace/page'), 200)
  assert.equal(await status(server.owner, 'GET', '/workspace/page'), 404)
  assert.equal(await status(server.ingress, 'POST', '/owner/claim'), 404)
  assert.equal(await status(server.ingress, 'GET', '/local/ping'), 404)
  for (const path of ['/.well-known/agent-workspace', '/protocol', '/skills', '/skills/satchel', '/health']) {
    assert.equal(await status(server.ingress, 'GET', path), 200, path)
    assert.equal(await status(server.owner, 'GET', path), 404, path)
  }
  assert.equal(await status(server.socket, 'GET', '/local/ping'), 200)
})

test('a missing route names a next step that its listener serves', async (t) => {
  const server = await openRoomServer(t)
  const nextOf = async (base: string) =>
    String((await server.ask(base, 'GET', '/nope')).json['detail'])
      .replace('There is no such route.', '')
      .trim()

  const atIngress = await nextOf(server.ingress)
  const named = /^GET (\S+) describes this listener\.$/.exec(atIngress)?.[1]

  assert.ok(named, atIngress)
  assert.equal((await server.ask(server.ingress, 'GET', named)).status, 200)
  assert.equal(await nextOf(server.owner), '')
})

test('the claim key opens the page once, only for our own page, and the cookie works at the owner port alone', async (t) => {
  const server = await openRoomServer(t)
  const claim = (headers: Record<string, string>) =>
    server.ask(server.owner, 'POST', '/owner/claim', { body: { key: server.key }, headers })

  const foreign = await claim({ ...PAGE, origin: 'http://evil.example' })
  const absent = await claim(PAGE)
  const crossSite = await claim({ ...PAGE, origin: server.owner, 'sec-fetch-site': 'cross-site' })
  const first = await claim({ ...PAGE, origin: server.owner })
  const second = await claim({ ...PAGE, origin: server.owner })
  const set = String([first.headers['set-cookie']].flat()[0])
  const cookie = set.split(';')[0] ?? ''
  const page = await server.ask(server.owner, 'GET', '/workspace/room', { cookie })
  const ingress = await server.ask(server.ingress, 'GET', '/workspace/room', { cookie })
  const asBearer = await server.ask(server.ingress, 'GET', '/workspace/room', {
    token: cookie.split('=')[1] ?? '',
  })

  assert.deepEqual([foreign.status, absent.status, crossSite.status], [403, 403, 403])
  assert.deepEqual([first.status, second.status], [200, 401])
  assert.match(set, /^satchel_[0-9a-f]{8}=ses_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=28800$/)
  assert.ok(!first.text.includes('ses_'))
  assert.equal(page.status, 200)
  assert.deepEqual([ingress.status, asBearer.status], [401, 401])
  assert.equal((await server.ask(server.owner, 'GET', '/')).headers['set-cookie'], undefined)
})

test('of two cookies of the page none is taken, in either order and if they are equal', async (t) => {
  const server = await openRoomServer(t)
  const { cookie } = await server.claim()
  const [name, token] = cookie.split('=')
  const look = (sent: string) => server.ask(server.owner, 'GET', '/workspace/room', { cookie: sent })

  for (const second of [`${name}=other`, `${name}=${token}`, `${name}=`]) {
    for (const sent of [`${cookie}; ${second}`, `${second}; ${cookie}`]) {
      const { status, json } = await look(sent)
      assert.deepEqual([status, json['code'], json['reason']], [400, 'invalid', 'bad_request'], sent)
    }
  }
  assert.equal((await look(`other=1; ${cookie}; other=2`)).status, 200)
})

test('a cookie on an unsafe method needs our own origin, the header and a JSON body', async (t) => {
  const server = await openRoomServer(t)
  const { cookie } = await server.claim()
  const propose = (headers: Record<string, string>) =>
    server.ask(server.owner, 'POST', '/workspace/propose', {
      cookie,
      body: { base_version: 1, summary: 's', content: 'c' },
      headers,
    })
  const own = { ...PAGE, origin: server.owner }
  const latest = async () =>
    (await server.ask(server.owner, 'GET', '/workspace/room', { cookie })).json['latest_event_id']
  const before = await latest()

  const refused = [
    await propose(PAGE),
    await propose({ ...PAGE, origin: 'http://127.0.0.1:1' }),
    await propose({ origin: server.owner }),
    await propose({ ...own, 'sec-fetch-site': 'same-site' }),
    await propose({ ...own, 'content-type': 'text/plain' }),
  ]

  assert.deepEqual(
    refused.map(({ status }) => status),
    [403, 403, 403, 403, 415],
  )
  assert.equal(await latest(), before)
  assert.equal((await propose(own)).status, 200)
})

test('a foreign Host is refused on every listener, and no answer carries a CORS header', async (t) => {
  const server = await openRoomServer(t)
  for (const base of [server.owner, server.ingress]) {
    for (const host of ['evil.example', `evil.example:${new URL(base).port}`, '127.0.0.1:1']) {
      assert.equal(
        (await server.ask(base, 'GET', '/workspace/room', { headers: { host } })).status,
        403,
        host,
      )
    }
    const fine = await server.ask(base, 'GET', '/workspace/room', {
      headers: { host: `localhost:${new URL(base).port}` },
    })
    assert.equal(fine.status, 401)
    assert.ok(!Object.keys(fine.headers).some((name) => name.startsWith('access-control')))
  }
  const browser = await server.ask(server.ingress, 'GET', '/health', {
    headers: { origin: 'http://localhost:3000' },
  })
  assert.equal(browser.status, 403)
})

interface Knock {
  readonly host: 'own' | 'foreign'
  readonly origin: 'none' | 'own' | 'foreign'
  readonly credential: 'none' | 'unknown' | 'bearer' | 'cookie' | 'cookie as bearer'
}

/** Who may come in (design workspace, section 8; docs/decisions/0026): `isSafe` for methods that change nothing. */
function isWelcome(
  listener: 'owner' | 'ingress',
  isSafe: boolean,
  { host, origin, credential }: Knock,
): boolean {
  if (host === 'foreign' || origin === 'foreign') return false
  if (listener === 'ingress') return credential === 'bearer'
  if (credential === 'cookie') return isSafe || origin === 'own'
  return credential === 'bearer' || credential === 'cookie as bearer'
}

const headersOf = ({ host, origin }: Knock, base: string): Readonly<Record<string, string>> => ({
  'x-satchel-request': '1',
  ...(host === 'foreign' && { host: 'evil.example' }),
  ...(origin === 'foreign' && { origin: 'http://evil.example' }),
  ...(origin === 'own' && { origin: base }),
})

test('no combination of Host, Origin, route and credential lets a caller in who may not, and nothing happens', async (t) => {
  const server = await openRoomServer(t)
  const { cookie } = await server.claim()
  const agent = await server.join('ada', ['*'])
  const tools = server.opened.host.registry.tools.flatMap(({ tool }) => [tool.http ?? []].flat()[0] ?? [])
  const routes = [...tools, { method: 'GET', path: '/workspace/room' }]
  const credentials: Readonly<Record<Knock['credential'], { token?: string; cookie?: string }>> = {
    none: {},
    unknown: { token: `ses_${'A'.repeat(43)}` },
    bearer: { token: agent.token },
    cookie: { cookie },
    'cookie as bearer': { token: cookie.split('=')[1] ?? '' },
  }
  const hosts = ['own', 'foreign'] as const
  const origins = ['none', 'own', 'foreign'] as const
  const kinds = Object.keys(credentials) as Knock['credential'][]
  const knocks = hosts.flatMap((host) =>
    origins.flatMap((origin) => kinds.map((credential): Knock => ({ host, origin, credential }))),
  )
  const latest = async () =>
    (await server.ask(server.ingress, 'GET', '/workspace/room', { token: agent.token })).json[
      'latest_event_id'
    ]
  const before = await latest()

  for (const listener of ['owner', 'ingress'] as const) {
    for (const { method, path } of routes) {
      for (const knock of knocks) {
        const base = server[listener]
        const isSafe = method === 'GET'
        const { status, json } = await server.ask(base, method, path.replace(/\{\w+\}/, 'none'), {
          ...credentials[knock.credential],
          ...(!isSafe && { body: { unknown: 'field' } }), // a caller that is let in is refused for this
          headers: headersOf(knock, base),
        })
        const what = `${listener} ${method} ${path} ${JSON.stringify(knock)}: ${status} ${json['reason']}`
        if (isWelcome(listener, isSafe, knock)) assert.ok(![401, 403].includes(status), what)
        else assert.ok([401, 403].includes(status), what)
      }
    }
  }

  assert.equal(await latest(), before)
})

test('every changing tool takes a key, so that a link may send its call again', async (t) => {
  const { opened } = await openRoomServer(t)
  const without = opened.host.registry.tools
    .filter(({ tool }) => !tool.annotations.readOnly)
    .filter(({ tool }) => !Object.hasOwn(tool.input.shape, 'idempotency_key'))

  assert.deepEqual(
    without.map(({ tool }) => tool.name),
    [],
  )
})

test('the page has a policy that allows its own script and style by hash and nothing else', async (t) => {
  const server = await openRoomServer(t)

  const { headers, text } = await server.ask(server.owner, 'GET', '/')

  const policy = String(headers['content-security-policy'])
  assert.match(
    policy,
    /^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'$/,
  )
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  assert.ok(!/(?:src|href)="(?!data:)/.test(text), 'the page asks for nothing else')
  assert.ok(gzipSync(text).length <= 60 * 1024, `${gzipSync(text).length} bytes compressed`)
})

test('joining over HTTP gives a token once; joins of one address are counted', async (t) => {
  const server = await openRoomServer(t)
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: { max_uses: 20 } })
  const join = (name: string) =>
    server.ask(server.ingress, 'POST', '/session/join', {
      body: { invite: invited.json['uri'], name, kind: 'human' },
    })

  const first = await join('ada')
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => join(`p${index}`)))

  assert.match(String(first.json['token']), /^ses_[\w-]{43}$/)
  assert.deepEqual(Object.keys(first.json), [
    'token',
    'session_id',
    'participant_id',
    'workspace_id',
    'capabilities',
    'expires_at',
  ])
  assert.deepEqual(answers.map(({ status }) => status).sort(), [...Array(9).fill(200), 429])
  const bad = await server.ask(server.socket, 'POST', '/session/join', {
    body: { invite: 'x', name: 'y', kind: 'robot' },
  })
  assert.deepEqual([bad.status, bad.json['reason']], [400, 'invalid_request'])
})

test('an invitation has a number of uses or none, not both', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada', ['*'])
  const invite = (body: object) => server.ask(server.ingress, 'POST', '/workspace/invite', { token, body })

  const both = await invite({ unlimited: true, max_uses: 3 })
  const unlimited = await invite({ unlimited: true })

  assert.deepEqual([both.status, both.json['reason']], [400, 'invalid_request'])
  assert.deepEqual([unlimited.status, unlimited.json['max_uses']], [200, undefined])
})

test('a room full of guests refuses the next one, and still lets its owner in to make room', async (t) => {
  const server = await openRoomServer(t)
  const { ask, socket, owner } = server
  const invited = await ask(socket, 'POST', '/local/invite', { body: { max_uses: null } })
  const join = () =>
    ask(socket, 'POST', '/session/join', { body: { invite: invited.json['uri'], name: 'g' } })
  for (let count = 0; count < LIMITS.liveSessions; count += 1) assert.equal((await join()).status, 200)

  const full = await join()
  const agent = await ask(socket, 'POST', '/local/join', { body: { name: 'agent' } })
  const { cookie } = await server.claim()
  const page = await ask(owner, 'GET', '/workspace/room', { cookie })
  const verb = await ask(socket, 'POST', '/local/join', { body: { name: 'cli', as_owner: true } })
  const revoked = await ask(socket, 'POST', '/workspace/invite/revoke', {
    token: String(verb.json['token']),
    body: { invite_id: invited.json['invite_id'], end_sessions: true },
  })
  const another = await server.join('after')

  assert.deepEqual(
    [full, agent].map(({ status, json }) => [status, json['reason']]),
    [
      [429, 'limit_exceeded'],
      [429, 'limit_exceeded'],
    ],
  )
  assert.deepEqual([page.status, verb.status, revoked.status], [200, 200, 200])
  assert.match(another.token, /^ses_/)
})

test('a room session reaches nothing but its room', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada', ['*'])

  const rooms = await server.ask(server.ingress, 'GET', '/workspace/status', { token })
  const unknown = await server.ask(server.ingress, 'GET', '/workspace/status', {
    token: `ses_${'A'.repeat(43)}`,
  })

  assert.equal(rooms.status, 200)
  assert.deepEqual([unknown.status, unknown.json['reason']], [401, 'unauthorized'])
})

test('what the owner port keeps for its page is refused to the bearer of any other session', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada', ['*'])
  const { cookie } = await server.claim()

  const guest = await server.ask(server.owner, 'GET', '/owner/document', { token })
  const page = await server.ask(server.owner, 'GET', '/owner/document', { cookie })

  assert.deepEqual([guest.status, guest.json['reason']], [403, 'permission_denied'])
  assert.equal(page.status, 200)
})

test('the log contains no token, invitation or key', async (t) => {
  const server = await openRoomServer(t)
  const ada = await server.join('ada')
  const { cookie } = await server.claim()
  await server.ask(server.ingress, 'GET', '/workspace/status', { token: ada.token })
  await server.ask(server.owner, 'GET', '/workspace/room', { cookie })
  await server.stop()

  const log = server.opened.logged.join('\n')

  for (const hidden of [ada.token, cookie.split('=')[1] ?? '', server.key]) assert.ok(!log.includes(hidden))
})

test('a request to the room may have 1 MiB and not one byte more', async (t) => {
  const server = await openRoomServer(t)
  const { token } = await server.join('ada')
  const body = JSON.stringify({ base_version: 1, summary: 's', content: 'c' })
  const send = async (bytes: number) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await fetch(new URL('/workspace/propose', server.ingress), {
      method: 'POST',
      headers,
      body: body.padEnd(bytes, ' '),
    })
    await answer.text()
    return answer.status
  }

  assert.deepEqual([await send(1024 * 1024), await send(1024 * 1024 + 1)], [200, 413])
})

test('a public address is what invitations name, and the ingress alone answers to it', async (t) => {
  const server = await openRoomServer(t, { publicUrl: 'https://Room.example/' })
  const invited = await server.ask(server.socket, 'POST', '/local/invite', { body: {} })
  const ticket = parseJoinUri(String(invited.json['uri']))
  const status = async (base: string, path: string, headers: Record<string, string>) =>
    (await server.ask(base, 'GET', path, { headers })).status
  const host = 'room.example'
  const page = '/workspace/page'

  const named = await status(server.ingress, page, { host, origin: 'https://room.example' })
  const foreignHost = await status(server.ingress, page, { host: 'evil.example' })
  const foreignOrigin = await status(server.ingress, page, { host, origin: 'https://evil.example' })
  const unencrypted = await status(server.ingress, page, {
    host: 'evil.example',
    origin: 'http://room.example',
  })
  const owner = await status(server.owner, '/', { host })

  assert.deepEqual(ticket?.endpoints, ['https://room.example'])
  assert.deepEqual([named, foreignHost, foreignOrigin, unencrypted, owner], [200, 403, 403, 403, 403])
  for (const refused of ['https://room.example/rooms/1', 'https://ada@room.example', 'room.example'])
    assert.equal(publicUrl.safeParse(refused).success, false, refused)
})
