import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { startPostgres } from './postgres-server.ts'
import { askAt, newReplica, openTeam } from './replicas.ts'
import { runSatchel } from './satchel-process.ts'

const record = (key: string) => ({
  title: `Record ${key}`,
  objective: 'Ship the release',
  current_state: 'It builds.',
  idempotency_key: key,
})

/** Creates records one after another until it is stopped; a request that failed is sent again with its key. */
function startWriter(address: string, name: string) {
  const ids = new Map<string, string>()
  const failures: string[] = []
  let isOver = false
  const create = async (key: string): Promise<void> => {
    for (;;) {
      const answered = await askAt(address, '/handoffs', record(key)).catch((thrown) => String(thrown))
      if (typeof answered !== 'string' && answered.status < 300) return void ids.set(key, answered.json.id)
      failures.push(typeof answered === 'string' ? answered : `${answered.status} ${answered.json?.reason}`)
      await wait(20)
    }
  }
  const work = (async () => {
    for (let n = 0; !isOver; n++) await create(`${name}-${n}`)
  })()
  return {
    ids,
    failures,
    /** Resolves when so many more records are there. */
    async more(count: number) {
      const until = ids.size + count
      while (ids.size < until) await wait(10)
    },
    async stop() {
      isOver = true
      await work
    },
  }
}

test('replicas behind haproxy are one: each shows what another wrote, one may be killed, and each may be restarted', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const team = await openTeam(t, server, ['one', 'two', 'three'], {
    settings: 'http: { drain_s: 15, metrics: true }\n',
  })
  if (!team) return
  const { replicas, balancer } = team
  const [one, two] = replicas
  assert.ok(one && two)

  const { id } = (await askAt(one.address, '/handoffs', record('first'))).json
  const read = await Promise.all(replicas.map(({ address }) => askAt(address, `/handoffs/${id}`)))
  const found = await Promise.all(replicas.map(({ address }) => askAt(address, '/handoffs?query=release')))
  const turns = new Set<string | null>()
  while (turns.size < 3) turns.add((await askAt(balancer.address, `/handoffs/${id}`)).by)

  assert.deepEqual(new Set(read.map(({ json }) => json.record?.id ?? json.id)), new Set([id]))
  for (const { json } of found)
    assert.deepEqual(
      json.items.map((item: { id: string }) => item.id),
      [id],
    )

  const writers = ['a', 'b'].map((name) => startWriter(balancer.address, name))
  const [writer] = writers
  assert.ok(writer)
  await writer.more(3)
  await one.kill()
  await balancer.sees('DOWN', 'one')
  await writer.more(3)
  await one.start()
  await balancer.sees('UP', 'one')
  const failedBefore = writers.map(({ failures }) => failures.length)
  for (const replica of [one, two]) {
    const stopped = replica.stop()
    await balancer.sees('DOWN', replica.name)
    // Nothing is sent to it any more, and what reaches it meanwhile is answered.
    const [refused, served] = [
      await askAt(replica.address, '/ready'),
      await askAt(replica.address, '/handoffs'),
    ]
    assert.deepEqual([refused.status, refused.json.reason, served.status], [503, 'stopping', 200])
    await writer.more(3)
    assert.equal(await stopped, 0, replica.log())
    await replica.start()
    await balancer.sees('UP', replica.name)
  }
  for (const each of writers) await each.stop()

  assert.deepEqual(
    writers.map(({ failures }) => failures.length),
    failedBefore,
    `no request may fail because of a restart: ${writers.flatMap(({ failures }) => failures)}`,
  )
  const written = [id, ...writers.flatMap(({ ids }) => [...ids.values()])]
  assert.equal(new Set(written).size, written.length)
  for (const { address, log } of replicas) {
    assert.equal((await askAt(address, '/handoffs?limit=1')).json.total, written.length)
    assert.ok(!log().includes('not-told'))
  }
})

test('/ready and /metrics tell of the database: its answer, connections, and what is wrong without the password', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const replica = await newReplica(t, 'one', server.url, 'http: { metrics: true }\n')
  await replica.start()
  const ready = () => askAt(replica.address, '/ready')

  const early = await ready()
  await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], { SATCHEL_STORAGE_URL: server.url })
  const sound = await ready()
  await askAt(replica.address, '/handoffs', record('one'))
  server.sql('alter database satchel set default_transaction_read_only = on', 'postgres')
  server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'satchel'")
  const reading = await ready()
  await server.kill()
  while ((await ready()).status === 200) await wait(10) // its processes end a moment after it
  const down = await Promise.all([ready(), ready(), ready()])
  const health = await askAt(replica.address, '/health')
  const metrics = await (
    await fetch(`${replica.address}/metrics`, { headers: { authorization: 'Bearer token-of-the-replicas' } })
  ).text()
  await server.start()
  server.sql('alter database satchel reset default_transaction_read_only', 'postgres')
  server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'satchel'")
  const again = await ready()

  assert.deepEqual([early.status, early.json.reason], [503, 'storage_not_migrated'])
  assert.equal(sound.status, 200)
  const { storage } = sound.json
  assert.equal(storage.place, `satchel at 127.0.0.1:${server.port}`)
  assert.deepEqual(Object.keys(storage.connections), ['open', 'idle', 'waiting', 'most'])
  assert.ok(storage.connections.open >= 1)
  assert.deepEqual([reading.status, reading.json.reason], [503, 'storage_read_only'])
  for (const { status, json } of down) {
    assert.equal(status, 503)
    assert.match(json.reason, /^storage_(unreachable|lost)$/)
  }
  assert.equal(health.status, 200)
  assert.match(metrics, /^satchel_storage_writes_total [1-9]\d*$/m)
  assert.match(metrics, /^satchel_storage_connections_lost_total [1-9]\d*$/m)
  assert.match(metrics, /^satchel_storage_connections_most 10$/m)
  assert.equal(again.status, 200, JSON.stringify(again.json))
  assert.ok(
    !`${JSON.stringify([early, sound, reading, down])}${metrics}${replica.log()}`.includes('not-told'),
  )
})

test('a database that answers nothing is told by /ready in a bounded time', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], { SATCHEL_STORAGE_URL: server.url })
  const replica = await newReplica(t, 'one', server.url)
  await replica.start()
  assert.equal((await askAt(replica.address, '/ready')).status, 200)

  const silent = server.pause()
  const told = await askAt(replica.address, '/ready')
  silent.resume()

  assert.deepEqual([told.status, told.json.reason], [503, 'storage_unreachable'])
  assert.match(told.json.detail, /no answer within 2000 ms/)
  assert.equal((await askAt(replica.address, '/ready')).status, 200)
})
