import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type RoomWorld, realWorld } from '../plugins/workspace/connection/clock.ts'
import { LIMITS } from '../plugins/workspace/domain/limits.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { createPump } from '../server/fanout/pump.ts'
import { manualAfter } from '../server/fanout/testing/manual-after.ts'
import type { HttpOptions } from '../server/http/exchange.ts'
import type { HttpListener } from '../server/http/listener.ts'
import { listen, OPTIONS } from '../server/http/testing/listen.ts'
import { askAt, TOKEN } from '../server/http/testing/open-door.ts'
import { createHttpMount } from '../server/mcp/http.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { until } from './harness/until.ts'
import { askOnce, listenerOf, openRoomServer } from './workspace-server-fixture.ts'

/** What a caller without the server's token is given: the way into the room, and nothing that tells of it. */
const OPENED = [
  'GET /.well-known/agent-workspace',
  'GET /protocol',
  'GET /skills',
  'GET /skills/satchel',
  'GET /workspace/page',
  'POST /session/join',
  'POST /session/renew',
]

/** A server with this room at a main listener whose callers are other users. */
async function serveRoom(
  t: TestContext,
  { file, name, world }: { file: string; name: 'api' | 'mcp'; world: RoomWorld },
  options: Partial<HttpOptions> = {},
) {
  const opened = await openHost(t, {
    plugins: [{ plugin: workspacePlugin(world), settings: { file } }],
    openListener: listenerOf({}),
  })
  const { host } = opened
  const mount = { boot: Promise.resolve(host), version: '0.0.0', log: host.log }
  const mcp = createHttpMount({ ...mount, pump: createPump(), resolvePath: OPTIONS.resolvePath })
  const own = { token: TOKEN, isOwnUser: async () => false, ...options, mcp }
  const door = await listen(t, host, { name }, own)
  await host.served(door)
  return { door, logged: opened.logged }
}

async function openServed(t: TestContext, name: 'api' | 'mcp', options: Partial<HttpOptions> = {}) {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'plan.md')
  await writeFile(file, '# Plan\n')
  const { door } = await serveRoom(t, { file, name, world: realWorld }, options)
  const invite = async (): Promise<string> => {
    const socket = join(folder, '.plan.md.satchel', 'owner.sock')
    const { json } = await askOnce(socket, 'POST', '/local/invite', { body: {} })
    return String(json['uri'])
  }
  return { door, invite }
}

async function opensWithoutToken(door: HttpListener, headers: Record<string, string>): Promise<string[]> {
  const opened: string[] = []
  for (const { method, path } of door.inventory) {
    const asked = path.replaceAll(/\{[^}]+\}/g, 'x')
    const verb = method === 'ALL' ? 'POST' : method
    const body = verb === 'GET' ? undefined : {}
    const { status } = await askAt(door, asked, { method: verb, headers, ...(body && { body }) })
    if (![401, 404, 405].includes(status)) opened.push(`${method} ${path}`)
  }
  return opened.sort()
}

for (const name of ['api', 'mcp'] as const) {
  test(`${name}: without the server's token another user reaches the ways into the room and nothing else`, async (t) => {
    const { door } = await openServed(t, name)
    const metadata = door.inventory.filter(({ guard }) => guard === 'public').map((line) => line.path)
    const health = name === 'mcp' ? ['GET /health'] : []
    const expected = [...OPENED, ...health, ...metadata.map((path) => `GET ${path}`)].sort()

    const direct = await opensWithoutToken(door, {})
    const proxied = await opensWithoutToken(door, { 'x-forwarded-for': '192.0.2.7' })
    const renamed = await opensWithoutToken(door, { host: 'room.example' })

    assert.deepEqual([direct, proxied, renamed], [expected, expected, expected])
    assert.ok(door.inventory.length > 2 * expected.length)
  })

  test(`${name}: an invitation is the credential of a guest, through a proxy too, and its session that of the room alone`, async (t) => {
    const { door, invite } = await openServed(t, name)
    const headers = { 'x-forwarded-for': '192.0.2.7', host: 'room.example' }

    const page = await askAt(door, '/workspace/page', { headers })
    const unknown = await askAt(door, '/session/join', { headers, body: { invite: 'guessed', name: 'eve' } })
    const foreign = await askAt(door, '/session/join', {
      headers: { ...headers, origin: 'http://evil.example' },
      body: { invite: await invite(), name: 'eve' },
    })
    const joined = await askAt(door, '/session/join', {
      headers,
      body: { invite: await invite(), name: 'zed' },
    })
    const session = { ...headers, authorization: `Bearer ${joined.json['token']}` }
    const read = await askAt(door, '/workspace/read', { headers: session })
    const health = await askAt(door, '/openapi.json', { headers })
    const stale = await askAt(door, '/workspace/page', {
      headers: { ...headers, authorization: 'Bearer no' },
    })

    assert.deepEqual(
      [page, unknown, foreign, joined, read, health, stale].map(({ status }) => status),
      [200, 401, 403, 200, 200, name === 'api' ? 401 : 404, 401],
    )
    assert.equal(unknown.json['reason'], 'invitation_unknown')
    assert.match(read.text, /# Plan/)
  })
}

test('joins are counted for each caller that a trusted proxy states, and for the proxy that is not trusted', async (t) => {
  const statusesOf = async (trustProxy: readonly string[]) => {
    const { door } = await openServed(t, 'api', { trustProxy })
    const join = async (address: string) => {
      const headers = { 'x-forwarded-for': address }
      return (await askAt(door, '/session/join', { headers, body: { invite: 'guessed', name: 'eve' } }))
        .status
    }
    for (let joins = 0; joins < LIMITS.joinsPerMinute; joins += 1) await join('192.0.2.7')
    return [await join('192.0.2.7'), await join('192.0.2.8')]
  }

  assert.deepEqual(await statusesOf(['127.0.0.1']), [429, 401])
  assert.deepEqual(await statusesOf([]), [429, 429])
})

test('a room that another process had open when its server began is open there after that process ends, without a call', async (t) => {
  const first = await openRoomServer(t)
  const clock = manualAfter()
  const world = { ...realWorld, after: clock.after }
  const { logged } = await serveRoom(t, { file: first.file, name: 'api', world })
  const told = () => logged.filter((line) => line.includes('the room is not open')).length
  clock.fire(30_000)
  await until(() => clock.waiting.size > 0)
  assert.equal(told(), 1, 'the same reason is told once')

  await first.stop()
  clock.fire(30_000)

  const invite = () => askOnce(first.socket, 'POST', '/local/invite', { body: {} })
  await until(async () => (await invite().catch(() => undefined))?.status === 200) // until then no one listens
  assert.equal(clock.waiting.size, 0)
})
