import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openProject } from '../server/cli/testing/run-cli.ts'
import { legacy, modern, modernHeaders } from '../server/mcp/testing/messages.ts'
import { tokenDigest } from '../server/tokens/token-file.ts'

const OPERATOR = 'token-of-the-start'

/** A project with a state folder of its own, its tokens, and servers in this process. */
async function openServers(t: TestContext) {
  const { root, satchel, serve } = await openProject(t)
  const env = { XDG_STATE_HOME: join(root, 'state'), SATCHEL_TOKEN: OPERATOR }
  const run = (...argv: string[]) => satchel(argv, { env })
  return {
    file: join(root, 'state/satchel/tokens.json'),
    run,
    async token(name: string, ...flags: string[]): Promise<string> {
      const ran = await run('token', 'create', name, ...flags)
      assert.equal(ran.code, 0, ran.err)
      return ran.out.trim()
    },
    async serve(...argv: string[]): Promise<string> {
      return (await serve({ words: [...argv, '--host', '127.0.0.1'], env })).address
    },
  }
}

interface Refused {
  readonly status: number
  readonly reason: string | undefined
  readonly challenge: string | null
}

async function verdict(response: Response): Promise<Refused> {
  const { status, headers } = response
  const body = JSON.parse((await response.text()) || '{}')
  return {
    status,
    reason: body.reason ?? body.error?.data?.reason,
    challenge: headers.get('www-authenticate'),
  }
}

const as = (token: string) => ({ authorization: `Bearer ${token}` })

const get = async (url: string, token: string) => verdict(await fetch(url, { headers: as(token) }))

const post = async (url: string, token: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...as(token),
      ...headers,
    },
    body: JSON.stringify(body),
  })

const VERSION = '2026-07-28'

/** A request of 2026-07-28 with the headers that repeat it. */
const sendModern = (url: string, token: string, method: string, params: Record<string, unknown>) => {
  const message = modern(1, method, params)
  return post(`${url}/mcp`, token, message, modernHeaders(message))
}

const HANDOFF = { objective: 'Ship it', current_state: 'It builds', next_actions: [{ action: 'Ship' }] }
const MISSING = (scope: string): Refused => ({
  status: 403,
  reason: 'scope_missing',
  challenge: `Bearer realm="satchel", error="insufficient_scope", scope="${scope}"`,
})
const REVOKED: Refused = {
  status: 401,
  reason: 'token_unknown',
  challenge: 'Bearer realm="satchel", error="invalid_token"',
}

describe('a token of satchel token', () => {
  it('allows over REST what its scopes name, and a running server notices that it was revoked', async (t) => {
    const { token, serve, run } = await openServers(t)
    const url = await serve('serve')
    const reader = await token('reader', '--scope', 'handoff:read', '--expires', '30d')
    const writer = await token('writer', '--scope', 'handoff:write', '--scope', 'modules:read')
    const ask = async (secret: string) => [
      (await get(`${url}/handoffs`, secret)).status,
      await verdict(await post(`${url}/handoffs`, secret, 'no object')),
      await get(`${url}/repositories`, secret),
      await get(`${url}/metrics`, secret),
    ]
    const stream = await fetch(`${url}/events`, { headers: as(reader) })

    const [listed, created, repositories] = await ask(reader)
    const [, malformed, readable] = await ask(writer)
    const revoked = await run('token', 'revoke', 'reader')

    assert.deepEqual(
      [listed, created, repositories],
      [200, MISSING('handoff:write'), MISSING('modules:read')],
    )
    assert.equal((malformed as Refused).reason, 'invalid_arguments', 'the scope passed, the body was read')
    assert.equal((readable as Refused).status, 200)
    assert.equal(revoked.code, 0)
    assert.deepEqual(await get(`${url}/handoffs`, reader), REVOKED)
    assert.equal((await get(`${url}/handoffs`, writer)).status, 200)
    assert.equal((await get(`${url}/handoffs`, OPERATOR)).status, 200)
    await stream.text() // ends
  })

  it('is checked at MCP over HTTP before a call runs, in both generations of the protocol', async (t) => {
    const { token, serve, run } = await openServers(t)
    const url = await serve('mcp', '--transport', 'streamable-http')
    const reader = await token('reader', '--scope', 'handoff:read')
    const call = (name: string, args = {}) => sendModern(url, reader, 'tools/call', { name, arguments: args })
    const opened = await post(
      `${url}/mcp`,
      reader,
      legacy(2, 'initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }),
    )
    const session = { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) }
    const older = (name: string, args = {}) =>
      post(`${url}/mcp`, reader, legacy(2, 'tools/call', { name, arguments: args }), session)
    await opened.text()

    const listed = [await call('handoff_list'), await older('handoff_list')].map(({ status }) => status)
    const created = [await call('handoff_create', HANDOFF), await older('handoff_create', HANDOFF)]
    const tools = await sendModern(url, reader, 'tools/list', {})
    const other = await token('other', '--scope', 'modules:read')
    const resource = await sendModern(url, other, 'resources/read', { uri: 'handoff://index' })
    const completed = await sendModern(url, other, 'completion/complete', {
      ref: { type: 'ref/prompt', name: 'resume-handoff' },
      argument: { name: 'id', value: '' },
    })
    const stream = await fetch(`${url}/mcp`, {
      headers: { ...as(reader), accept: 'text/event-stream', 'mcp-protocol-version': VERSION },
    })
    await run('token', 'revoke', 'reader')

    assert.deepEqual(listed, [200, 200])
    for (const answer of created) assert.deepEqual(await verdict(answer), MISSING('handoff:write'))
    assert.equal(tools.status, 200)
    assert.deepEqual(await verdict(resource), MISSING('handoff:read'))
    assert.deepEqual(await verdict(completed), MISSING('handoff:read'))
    assert.deepEqual(await verdict(await call('handoff_list')), REVOKED)
    assert.deepEqual(await verdict(await older('handoff_list')), REVOKED)
    await stream.text() // ends
  })

  it('is checked at both addresses of HTTP+SSE, and its stream ends when it is revoked', async (t) => {
    const { token, serve, run } = await openServers(t)
    const url = await serve('mcp', '--transport', 'sse')
    const reader = await token('reader')
    const stream = await fetch(`${url}/sse`, { headers: as(reader) })
    const frames = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    const first = (await frames?.read())?.value ?? ''
    const messages = `${url}${/data: (\S+)/.exec(first)?.[1]}`
    const call = (name: string) => post(messages, reader, legacy(2, 'tools/call', { name, arguments: {} }))

    const [read, write] = [await call('handoff_list'), await call('handoff_create')]
    await run('token', 'revoke', 'reader')

    assert.equal(read.status, 202)
    assert.deepEqual(await verdict(write), MISSING('handoff:write'))
    assert.deepEqual(await verdict(await call('handoff_list')), REVOKED)
    assert.deepEqual(await get(`${url}/sse`, reader), REVOKED)
    while (!(await frames?.read())?.done); // ends
  })

  it('reaches no route of a plugin that its scopes do not name', async (t) => {
    const { token, serve } = await openServers(t)
    const url = await serve('serve')
    const stranger = await token('stranger', '--scope', 'probe:admin')
    const { paths } = JSON.parse(await (await fetch(`${url}/openapi.json`, { headers: as(stranger) })).text())
    const routes = Object.entries<Record<string, { tags: string[] }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { tags }]) => ({ method, path, owner: String(tags[0]) })),
    )
    const foreign = routes.filter(({ owner }) => owner !== 'host' && owner !== 'probe')
    assert.ok(foreign.length > 20)

    for (const { method, path, owner } of foreign) {
      const place = `${url}${path.replaceAll(/\{[^}]+\}/g, 'x')}`
      const refused = await verdict(
        await fetch(place, { method: method.toUpperCase(), headers: as(stranger) }),
      )

      assert.equal(refused.reason, 'scope_missing', `${method} ${path}`)
      assert.match(String(refused.challenge), new RegExp(`scope="${owner}:(read|write|admin)"`))
    }
  })

  it('is kept as a hash in a private file; a file that is not private, damaged or newer is not used', async (t) => {
    const { token, serve, run, file } = await openServers(t)
    const url = await serve('serve')
    const secret = await token('ci', '--scope', 'read')
    const kept = await readFile(file, 'utf8')
    const { mode } = await stat(file)
    const asks = async () => [
      await get(`${url}/handoffs`, secret),
      (await get(`${url}/handoffs`, OPERATOR)).status,
      (await run('token', 'list')).code,
      (await run('token', 'create', 'more')).code,
    ]
    const unusable = [{ status: 503, reason: 'tokens_unreadable', challenge: null }, 200, 7, 7]

    assert.equal(mode & 0o777, 0o600)
    assert.ok(!kept.includes(secret.slice(-20)) && kept.includes(tokenDigest(secret).toString('hex')))
    assert.equal((await get(`${url}/handoffs`, secret)).status, 200)
    await chmod(file, 0o640)
    if (process.platform !== 'win32') assert.deepEqual(await asks(), unusable)
    await chmod(file, 0o600)
    for (const text of [
      '',
      '{"version":1}',
      kept.replace('"version": 1', '"version": 2'),
      kept.slice(0, -9),
    ]) {
      await writeFile(file, text)
      assert.deepEqual(await asks(), unusable, text)
      assert.equal(await readFile(file, 'utf8'), text, 'nothing overwrites it')
    }
    await writeFile(file, kept)
    assert.equal((await get(`${url}/handoffs`, secret)).status, 200)
  })

  it('is refused after its expiry, with the time', async (t) => {
    const { token, serve, file } = await openServers(t)
    const url = await serve('serve')
    const secret = await token('ci', '--expires', '1m')
    const fresh = await get(`${url}/handoffs`, secret)
    const kept = await readFile(file, 'utf8')
    await writeFile(file, kept.replace(/"expires_at": "[^"]*"/, '"expires_at": "2026-01-02T03:04:05.000Z"'))

    const response = await fetch(`${url}/handoffs`, { headers: as(secret) })

    const { reason, detail } = JSON.parse(await response.text())
    assert.equal(fresh.status, 200)
    assert.deepEqual([response.status, reason], [401, 'token_expired'])
    assert.match(detail, /"ci" expired at 2026-01-02T03:04:05/)
  })

  it('is one of several that are created at the same time', async (t) => {
    const { token, run } = await openServers(t)
    const names = ['a', 'b', 'c', 'd']

    await Promise.all(names.map((name) => token(name)))

    const { tokens } = JSON.parse((await run('token', 'list', '--json')).out)
    assert.deepEqual(tokens.map(({ name }: { name: string }) => name).sort(), names)
  })

  const refusals: readonly (readonly [argv: readonly string[], code: number, message: RegExp])[] = [
    [['create', 'Bad Name'], 2, /is not a name of a token/],
    [['create', 'ci', '--scope', 'everything'], 2, /"everything" is not a scope/],
    [['create', 'ci', '--scope', 'modulez:read'], 2, /"modulez:read" is not a scope.*modules/],
    [['create', 'ci', '--expires', 'tomorrow'], 2, /"tomorrow" is not a duration/],
    [['create', 'ci', '--expires', '0d'], 2, /"0d" is not a duration/],
    [['create', 'taken'], 5, /There is a token "taken"/],
    [['revoke', 'takem'], 4, /There is no token "takem"\. Did you mean "taken"\?/],
  ]
  it('is refused by the command with a sentence, and nothing changes', async (t) => {
    const { token, run, file } = await openServers(t)
    await token('taken')
    const kept = await readFile(file, 'utf8')
    for (const [argv, code, message] of refusals) {
      const ran = await run('token', ...argv)

      assert.deepEqual([ran.code, ran.out], [code, ''], argv.join(' '))
      assert.match(ran.err, message)
      assert.doesNotMatch(ran.err, / $/m)
    }
    assert.equal(await readFile(file, 'utf8'), kept)
  })
})
