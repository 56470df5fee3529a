import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { openWay } from './postgres-way.ts'
import { emptyStory, findingsAt, startReader, startWriter } from './replica-torture.ts'
import { askAt, newReplica, type Replica } from './replicas.ts'
import { runSatchel } from './satchel-process.ts'
import { NO_SMALL_DISK, openSmallDisk } from './small-disk.ts'

const record = (title: string, text = 'It builds.') => ({ title, objective: 'Ship it', current_state: text })

async function migrate(t: TestContext, url: string): Promise<void> {
  const { code, err } = await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], {
    SATCHEL_STORAGE_URL: url,
  })
  assert.equal(code, 0, err)
}

async function startReplicas(t: TestContext, url: string, names: readonly string[]): Promise<Replica[]> {
  const replicas = await Promise.all(names.map((name) => newReplica(t, name, url)))
  await Promise.all(replicas.map((replica) => replica.start()))
  return replicas
}

/** Two replicas, a primary and its standby, and a write that was acknowledged after everything was followed. */
async function openPair(t: TestContext, server: PostgresServer) {
  const way = await openWay(t, server)
  await migrate(t, server.url)
  const standby = await server.startStandby()
  const [one, two] = await startReplicas(t, way.url, ['one', 'two'])
  assert.ok(one && two)
  const followed = async (sync: string) => {
    while (
      server.sql('select sync_state || state from pg_stat_replication', 'postgres') !== `${sync}streaming`
    )
      await wait(20)
  }
  return { way, standby, one, two, followed }
}

test('a synchronous standby that hangs delays acknowledgements, and one that takes over has all of them', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const { way, standby, one, two, followed } = await openPair(t, server)
  server.sql("alter system set synchronous_standby_names = '*'")
  server.sql('select pg_reload_conf()')
  await followed('sync')
  const [reading] = await startReplicas(t, standby.url, ['reading'])
  assert.ok(reading)

  const refused = await askAt(reading.address, '/ready')
  const frozen = standby.pause()
  let isAnswered = false
  const late = askAt(one.address, '/handoffs', record('Late')).then((answer) => {
    isAnswered = true
    return answer
  })
  await server.until(`exists (select from pg_stat_activity where wait_event = 'SyncRep')`)
  const wasAnswered = isAnswered
  frozen.resume()
  const acknowledged = await late
  const story = emptyStory()
  const addresses = [one.address, two.address]
  const writers = addresses.map((address, at) => startWriter(story, address, `w${at}`))
  const reader = startReader(story, addresses)
  const more = async (count: number) => {
    const until = story.acknowledged.size + count
    while (story.acknowledged.size < until && story.findings.length === 0) await wait(10)
  }
  await more(10)
  await server.kill()
  standby.promote()
  way.leadTo(standby.port)
  await more(10)
  await Promise.all([reader.stop(), ...writers.map((writer) => writer.stop())])
  const found = await askAt(two.address, `/handoffs/${acknowledged.json.id}`)
  const ready = await askAt(reading.address, '/ready')

  assert.deepEqual([refused.status, refused.json.reason], [503, 'storage_read_only'])
  assert.equal(wasAnswered, false)
  assert.equal(acknowledged.status, 200)
  assert.equal(found.status, 200)
  assert.equal(ready.status, 200, JSON.stringify(ready.json))
  for (const address of addresses) story.findings.push(...(await findingsAt(story, address, 1)))
  assert.deepEqual(story.findings, [])
})

test('a standby that takes over without the last commits is found, and takes new ones', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const { way, standby, one, two, followed } = await openPair(t, server)
  await followed('async')
  const story = emptyStory()
  await standby.kill()
  const writer = startWriter(story, one.address, 'w')
  while (story.acknowledged.size < 3) await wait(10)
  await server.kill()
  await standby.start()
  standby.promote()
  way.leadTo(standby.port)
  await writer.stop()
  const created = await askAt(two.address, '/handoffs', record('After'))

  assert.notDeepEqual(await findingsAt(story, two.address), [])
  assert.equal(created.status, 200, JSON.stringify(created.json))
})

test('a database whose disk is full refuses a record whole, is read meanwhile, and goes on when there is room', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const small = openSmallDisk(t)
  if (small === undefined) return t.skip(NO_SMALL_DISK)
  await migrate(t, server.url)
  server.sql(`create tablespace small location '${small.folder}'`)
  server.sql('alter table satchel.handoff_records set tablespace small')
  const [one] = await startReplicas(t, server.url, ['one'])
  assert.ok(one)
  const kept: string[] = []
  const create = () => askAt(one.address, '/handoffs', record(`Record ${kept.length}`, 'x'.repeat(20_000)))

  let answer = await create()
  for (; answer.status === 200; answer = await create()) kept.push(answer.json.id)
  const listed = await askAt(one.address, '/handoffs?limit=1')
  const read = await askAt(one.address, `/handoffs/${kept.at(-1)}`)
  const ready = await askAt(one.address, '/ready')
  small.grow()
  const after = await create()

  assert.ok(kept.length > 3)
  assert.deepEqual([answer.status, answer.json.reason], [503, 'storage_full'])
  assert.deepEqual([listed.json.total, read.status, ready.status], [kept.length, 200, 200])
  assert.equal(after.status, 200, JSON.stringify(after.json))
  const total = (await askAt(one.address, '/handoffs?limit=1')).json.total
  assert.equal(total, kept.length + 1)
})
