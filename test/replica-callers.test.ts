import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openStream, post } from '../server/mcp/testing/http-client.ts'
import { legacy } from '../server/mcp/testing/messages.ts'
import { errorOf, openSession, resultOf } from '../server/mcp/testing/sessions.ts'
import { temporaryFolder } from './harness/index.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { newReplica, openTeam, TOKEN } from './replicas.ts'
import { runSatchel } from './satchel-process.ts'

/** What a server knows of the database's tokens and sessions is not older. */
const AT_MOST_MS = 1_000
const BEARER = { authorization: `Bearer ${TOKEN}` }

/** Runs `satchel token …` as another user than those of the replicas. */
async function tokenVerb(home: string, { url }: PostgresServer, ...words: readonly string[]) {
  const { code, out, err } = await runSatchel(home, ['token', ...words, '--json'], {
    SATCHEL_STORAGE_URL: url,
  })
  assert.ok(!`${out}${err}`.includes('not-told'))
  return { code, said: JSON.parse(out === '' ? err : out) }
}

test('a session of an older revision of MCP goes on behind a balancer when its server is killed', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const team = await openTeam(t, server, ['one', 'two'])
  if (!team) return
  const { replicas, balancer } = team
  const url = `${balancer.address}/mcp`
  const own = await openSession(url, BEARER)
  const list = (id: number) =>
    post(url, legacy(id, 'tools/call', { name: 'handoff_list', arguments: {} }), own)
  const ask = async (id: number) => (await list(id)).status

  const before = [await ask(1), await ask(2), await ask(3), await ask(4)]
  for (const replica of replicas) {
    await replica.kill()
    await balancer.sees('DOWN', replica.name)
    assert.deepEqual([await ask(5), await ask(6)], [200, 200], replica.name)
    await replica.start()
    await balancer.sees('UP', replica.name)
  }
  const stream = await openStream(url, own)
  stream.close()
  const answer = await list(7)
  const ended = await fetch(url, { method: 'DELETE', headers: own })
  await wait(AT_MOST_MS)
  const after = [await list(8), await list(9)]

  assert.deepEqual(before, [200, 200, 200, 200])
  assert.deepEqual(resultOf(answer)['isError'] ?? false, false)
  assert.equal(ended.status, 200)
  for (const refused of after) assert.deepEqual([refused.status, errorOf(refused).code], [404, -32001])
})

test('a token of the database opens every server of it, and none after it was revoked', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const home = await temporaryFolder(t)
  await runSatchel(home, ['storage', 'migrate'], { SATCHEL_STORAGE_URL: server.url })
  const replicas = await Promise.all(['one', 'two'].map((name) => newReplica(t, name, server.url)))
  await Promise.all(replicas.map((replica) => replica.start()))
  const asked = async (token: string, init: RequestInit = {}) => {
    const answers = replicas.map(async ({ address }) => {
      const { status } = await fetch(`${address}/handoffs`, {
        ...init,
        // A header of a proxy: the owner of the connection proves nothing then.
        headers: {
          authorization: `Bearer ${token}`,
          'x-forwarded-for': '203.0.113.7',
          'content-type': 'application/json',
        },
      })
      return status
    })
    return Promise.all(answers)
  }

  const { said: ci } = await tokenVerb(home, server, 'create', 'ci')
  const { said: late } = await tokenVerb(home, server, 'create', 'late', '--expires', '1m')
  const unknown = await asked(`${ci.token}x`)
  const reading = await asked(ci.token)
  const writing = await asked(ci.token, { method: 'POST', body: '{}' })
  const taken = await tokenVerb(home, server, 'create', 'ci')
  const listed = await tokenVerb(home, server, 'list')
  server.sql("update satchel.tokens set expires_at = now() - interval '1 second' where name = 'late'")
  await wait(AT_MOST_MS)
  const expired = await asked(late.token)
  const revoked = await tokenVerb(home, server, 'revoke', 'ci')
  await wait(AT_MOST_MS)
  const after = await asked(ci.token)
  const again = await tokenVerb(home, server, 'revoke', 'ci')

  assert.deepEqual(
    [unknown, reading, writing],
    [
      [401, 401],
      [200, 200],
      [403, 403],
    ],
  )
  assert.equal(taken.said.reason ?? taken.said.error?.reason, 'token_name_taken')
  assert.deepEqual(
    listed.said.tokens.map(({ name, shared }: { name: string; shared: boolean }) => [name, shared]),
    [
      ['ci', true],
      ['late', true],
    ],
  )
  assert.deepEqual(
    [expired, after],
    [
      [401, 401],
      [401, 401],
    ],
  )
  assert.deepEqual([revoked.code, again.code], [0, 4])
  const kept = server.sql('select sha256 from satchel.tokens')
  assert.ok(!kept.includes(late.token))
})

test('with storage.audit every server adds a row for each change before it answers', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], { SATCHEL_STORAGE_URL: server.url })
  const replicas = await Promise.all(
    ['one', 'two'].map((name) => newReplica(t, name, server.url, 'storage: { audit: true }\n')),
  )
  await Promise.all(replicas.map((replica) => replica.start()))
  const body = JSON.stringify({ title: 'A title', objective: 'Secret plans', current_state: 'It builds.' })
  for (const { address } of replicas) {
    const headers = { ...BEARER, 'content-type': 'application/json' }
    const { status } = await fetch(`${address}/handoffs`, { method: 'POST', headers, body })
    assert.equal(status, 200)
    await fetch(`${address}/handoffs`, { headers })
  }

  const lines = server.sql('select line from satchel.audit order by n').split('\n')
  const told = lines.map((line) => JSON.parse(line))

  assert.deepEqual(
    told.map(({ message, door, outcome }) => [message, door, outcome]),
    [1, 2].map(() => ['handoff_create', 'http', 'ok']),
  )
  assert.ok(!lines.join('').includes('Secret plans'))
})
