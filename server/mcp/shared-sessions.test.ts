import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../test/postgres-server.ts'
import { createDatabase, type HostDatabase } from '../storage/database.ts'
import { SESSION_IDLE_MS, SESSIONS_OF_PRINCIPAL } from './session-limits.ts'
import { type SharedSessions, sharedSessions } from './shared-sessions.ts'
import { openStream, post } from './testing/http-client.ts'
import { initialize, legacy } from './testing/messages.ts'
import { bearer, serveHttp } from './testing/serve-http.ts'
import { errorOf, openSession, resultOf } from './testing/sessions.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const ASKED_MS = 1_000
const URI = 'sample://status'

async function openDatabase(t: TestContext, { url }: PostgresServer): Promise<HostDatabase> {
  const database = createDatabase({ url, log: silent, now: () => new Date(), schema: () => [] })
  t.after(() => database.close())
  await database.migrate()
  return database
}

type Check = (t: TestContext, server: PostgresServer) => Promise<void>

const CHECKS: Readonly<Record<string, Check>> = {
  async 'goes on at another server, with what the client said of itself and its subscriptions'(t, server) {
    const database = await openDatabase(t, server)
    const one = await serveHttp(t, { database })
    const own = await openSession(one.url, bearer('ses_ada'))
    await post(one.url, legacy(1, 'resources/subscribe', { uri: URI }), own)
    await post(one.url, legacy(2, 'resources/subscribe', { uri: 'sample://room' }), own)
    await post(one.url, legacy(3, 'resources/unsubscribe', { uri: 'sample://room' }), own)
    await one.close()

    const two = await serveHttp(t, { database })
    const asked = [4, 5, 6].map((id) =>
      post(two.url, legacy(id, 'tools/call', { name: 'sample_echo', arguments: { text: 'hi' } }), own),
    )
    const answers = await Promise.all(asked)
    const stream = await openStream(two.url, own)
    t.after(() => stream.close())
    await stream.arrived(1)
    two.world.changed(URI)
    const hints = await stream.arrived(2)

    for (const answer of answers)
      assert.deepEqual(resultOf(answer)['structuredContent'], { text: 'hi', chars: 2 })
    assert.deepEqual(
      hints.map(({ params }) => params),
      [{ uri: URI }, { uri: URI }],
    )
  },

  async 'ends everywhere when it ends at one server'(t, server) {
    const database = await openDatabase(t, server)
    const clock = { now: 0 }
    const [one, two] = [await serveHttp(t, { database, clock }), await serveHttp(t, { database })]
    const own = await openSession(one.url)
    const before = await post(two.url, legacy(1, 'tools/list'), own)

    const ended = await fetch(two.url, { method: 'DELETE', headers: own })
    clock.now += ASKED_MS
    const after = await Promise.all([one, two].map(({ url }) => post(url, legacy(2, 'tools/list'), own)))
    const again = await fetch(one.url, { method: 'DELETE', headers: own })

    assert.deepEqual([before.status, ended.status, again.status], [200, 200, 404])
    for (const refused of after) assert.deepEqual([refused.status, errorOf(refused).code], [404, -32001])
  },

  async 'ends its streams at the other servers, which hear of it'(t, server) {
    const database = await openDatabase(t, server)
    const listening = await openDatabase(t, server)
    listening.listen()
    // By a clock that does not move, no server asks of itself.
    const clock = { now: 0 }
    const [one, two] = [
      await serveHttp(t, { database: listening, clock }),
      await serveHttp(t, { database, clock }),
    ]
    const own = await openSession(one.url)
    const other = await openSession(one.url)
    const stream = await openStream(one.url, own)
    while (listening.counts()?.listening !== 1) await wait(5)

    const ended = await fetch(two.url, { method: 'DELETE', headers: own })
    await stream.ended
    const [after, goesOn] = await Promise.all(
      [own, other].map((headers) => post(one.url, legacy(2, 'tools/list'), headers)),
    )

    assert.equal(ended.status, 200)
    assert.deepEqual([after?.status, goesOn?.status], [404, 200])
  },

  async 'of another principal is unknown at every server'(t, server) {
    const database = await openDatabase(t, server)
    const [one, two] = [await serveHttp(t, { database }), await serveHttp(t, { database })]
    const own = await openSession(one.url, bearer('ses_ada'))
    const foreign = { ...own, ...bearer('ses_bob') }

    const called = await post(two.url, legacy(1, 'tools/list'), foreign)
    const ended = await fetch(two.url, { method: 'DELETE', headers: foreign })
    const garbage = await post(two.url, legacy(1, 'tools/list'), {
      ...own,
      'mcp-session-id': "x'; drop table",
    })
    const mine = await post(two.url, legacy(1, 'tools/list'), own)

    assert.deepEqual([called.status, ended.status, garbage.status, mine.status], [404, 404, 404, 200])
  },

  async 'goes on at its server while the database is away; one that the server does not have is told so'(
    t,
    server,
  ) {
    const database = await openDatabase(t, server)
    const clock = { now: 0 }
    const [one, two] = [await serveHttp(t, { database, clock }), await serveHttp(t, { database })]
    const own = await openSession(one.url)
    await server.kill()
    clock.now += ASKED_MS

    const here = await post(one.url, legacy(1, 'tools/list'), own)
    const elsewhere = await post(two.url, legacy(1, 'tools/list'), own)
    const opened = await post(one.url, initialize('2025-11-25'))
    await server.start()
    const again = await post(two.url, legacy(1, 'tools/list'), own)

    assert.equal(here.status, 200)
    for (const refused of [elsewhere, opened]) {
      assert.equal(refused.status, 503)
      assert.match(errorOf(refused).message, /database/)
      assert.ok(!JSON.stringify(refused.body).includes('not-told'))
    }
    assert.equal(again.status, 200)
  },

  async 'ends after 30 minutes without use, and the longest idle one at the maximum'(t, server) {
    const sessions: SharedSessions = sharedSessions(await openDatabase(t, server))
    const add = async (principalId: string): Promise<string> => {
      const id = randomUUID()
      await sessions.add({ id, principalId, initialize: '{}' })
      return id
    }
    const old = await add('idle')
    const used = await add('idle')
    server.sql(
      `update satchel.mcp_sessions set used_at = now() - interval '${SESSION_IDLE_MS + 1_000} milliseconds'`,
    )
    await sessions.touch([used])
    const many: string[] = []
    for (let count = 0; count <= SESSIONS_OF_PRINCIPAL; count++) many.push(await add('many'))

    assert.equal(await sessions.find(old, 'idle'), undefined)
    assert.equal(await sessions.remove(old, 'idle'), false)
    assert.equal((await sessions.find(used, 'idle'))?.initialize, '{}')
    const found = await Promise.all(many.map(async (id) => (await sessions.find(id, 'many')) !== undefined))
    assert.deepEqual(found, [false, ...Array.from({ length: SESSIONS_OF_PRINCIPAL }, () => true)])
    assert.equal(server.sql('select count(*) from satchel.mcp_sessions'), `${SESSIONS_OF_PRINCIPAL + 1}`)
  },
}

test('an MCP session of an older revision, in a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [promise, check] of Object.entries(CHECKS)) {
    await t.test(promise, async (inner) => {
      await check(inner, server)
      server.sql('drop schema satchel cascade')
    })
  }
})
