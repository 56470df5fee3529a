import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { startPooler } from '../../test/pooler.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres-server.ts'
import { openWay } from '../../test/postgres-way.ts'
import type { Log } from '../contract/context.ts'
import { openPromise } from '../platform/open-promise.ts'
import { createPostgres, type Postgres, type Wire } from './postgres.ts'
import type { Run } from './schema.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const TOYS = {
  owner: 'toys',
  migrations: ['create table satchel.toys (id text); create table satchel.gate (open boolean)'],
}
const ADDED = 'changed as (insert into satchel.toys (id) values ($2) returning id)'
/** It waits for the lock on this table before it adds anything. */
const ADDED_LATER = `opened as (update satchel.gate set open = true returning open), changed as (
  insert into satchel.toys (id) select $2 from opened returning id)`

/** What the finding out is replaced by, to see that a guess is found. */
type Plant = (text: string, run: () => ReturnType<Run>) => ReturnType<Run>

interface Opening {
  readonly plant?: Plant | undefined
  readonly answerMs?: number
  readonly schema?: typeof TOYS
}

async function openToys(t: TestContext, url: string, opening: Opening = {}): Promise<Postgres> {
  const { plant, answerMs, schema = TOYS } = opening
  const { openWire } = await import('./postgres.lazy.ts')
  const wire = openWire(url, answerMs)
  const planted: Wire = plant
    ? {
        ...wire,
        withClient: (work) =>
          wire.withClient((run) => work((text, values) => plant(text, () => run(text, values)))),
      }
    : wire
  const toys = createPostgres(planted, {
    log: silent,
    now: () => new Date(),
    schema: () => [schema],
    findOutMs: 2_000,
  })
  t.after(() => toys.close())
  return toys
}

/** Cuts one write at each place; each must be told as done, and be done once. Gives what was wrong. */
async function faultsOf(t: TestContext, server: PostgresServer, plant?: Plant): Promise<string[]> {
  const way = await openWay(t, server)
  const keeper = await openToys(t, server.url)
  await keeper.migrate()
  server.sql('truncate satchel.toys, satchel.gate; insert into satchel.gate values (false)')
  const toys = await openToys(t, way.url, { plant })
  await toys.ready()
  const faults: string[] = []
  for (const cut of ['request', 'answer'] as const) {
    way.cut(cut)
    const changed = await toys.write(ADDED, [cut]).catch((thrown) => thrown.reason)
    if (changed !== 1) faults.push(`${cut}: told ${changed}`)
  }
  const { release, held } = await holdGate(server)
  way.cut('waiting', () => isWaiting(server))
  const late = toys.write(ADDED_LATER, ['waiting']).catch((thrown) => thrown.reason)
  await held()
  // The second try waits too, or the write was told as done without being so.
  let isTold = false
  void late.then(() => {
    isTold = true
  })
  await isWaiting(server, 2, () => isTold)
  await release()
  const changed = await late
  if (changed !== 1) faults.push(`waiting: told ${changed}`)
  const there = server.sql('select string_agg(id, $$ $$ order by id) from satchel.toys')
  if (there !== 'answer request waiting') faults.push(`there are ${there}`)
  return faults
}

/** Locks the table that the late write needs, on a connection of its own. */
async function holdGate(server: PostgresServer) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: server.url,
    application_name: 'gate',
    connectionTimeoutMillis: 60_000,
    keepAlive: true,
  })
  await client.connect()
  await client.query('begin')
  await client.query('lock table satchel.gate in exclusive mode')
  return {
    held: () => isWaiting(server),
    async release() {
      await client.query('commit')
      await client.end()
      await server.until(`(${WAITING} or state = 'active' and application_name = 'satchel') = 0`)
    },
  }
}

const WAITING = `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`

/** Until so many connections wait for a lock of the server, or for nothing any more. */
async function isWaiting(server: PostgresServer, least = 1, isOver = () => false): Promise<void> {
  await server.until(`(${WAITING}) >= ${least}`, { isOver })
}

test('a write whose connection is cut is found out and done once, wherever the cut is', async (t) => {
  const server = await startPostgres(t)
  if (!server) return

  assert.deepEqual(await faultsOf(t, server), [])
})

test('every guess about a write whose connection is cut is found', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const asked = (text: string): boolean => text.startsWith('select changed from satchel.writes')
  const guesses: Readonly<Record<string, Plant>> = {
    'takes every lost write for done': async (text, run) => (asked(text) ? [{ changed: 1 }] : run()),
    'takes every lost write for not done': async (text, run) => (asked(text) ? [] : run()),
    'looks without keeping the write from being done later': async (text, run) =>
      text.startsWith('insert into satchel.writes') ? [] : run(),
  }

  for (const [guess, plant] of Object.entries(guesses)) {
    assert.notDeepEqual(await faultsOf(t, server, plant), [], guess)
  }
})

test('a server that cannot be asked about a write is told as unknown, and nothing else is', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const way = await openWay(t, server)
  const toys = await openToys(t, way.url)
  await toys.migrate()
  way.cut('answer')

  const writing = toys.write(ADDED, ['one']).catch((thrown) => thrown.reason)
  while (server.sql('select count(*) from satchel.toys') !== '1') await wait(5) // no turn for the write's own question
  await server.kill()
  const told = await writing
  const down = await toys.query('select 1').catch((thrown) => thrown.reason)
  await server.start()
  const after = await toys.write(ADDED, ['two'])

  assert.equal(told, 'storage_unknown')
  assert.equal(down, 'storage_unreachable')
  assert.equal(after, 1)
  assert.equal(server.sql('select count(*) from satchel.toys'), '2')
})

/** The connections of a server that answers with these faults first, and then with one row. */
function faultyWire(states: readonly string[]): Wire & { readonly sent: () => number } {
  let sent = 0
  const run: Run = async () => {
    const code = states[sent++]
    if (code !== undefined) throw Object.assign(new Error('of the server'), { code })
    return [{ changed: 1 }]
  }
  return {
    place: 'toys at host:1',
    sent: () => sent,
    connections: () => ({ open: 0, idle: 0, waiting: 0, most: 1 }),
    withClient: (work) => work(run),
    onLost() {},
    openLine: () => assert.fail('no lock is needed'),
    openHints: () => assert.fail('no hint is needed'),
    async end() {},
  }
}

/** The server without the check of its tables, which a fault would meet first. */
async function openFaulty(states: readonly string[]) {
  const wire = faultyWire(states)
  const postgres = createPostgres(
    {
      ...wire,
      withClient: (work) =>
        wire.withClient((run) => work((text, values) => (isCheck(text) ? checked(text) : run(text, values)))),
    },
    { log: silent, now: () => new Date(0), schema: () => [] },
  )
  return { postgres, sent: wire.sent }
}

const isCheck = (text: string): boolean =>
  /server_encoding|pg_class|schema_versions|clock_timestamp/.test(text)

async function checked(text: string): ReturnType<Run> {
  if (text.includes('server_encoding')) return [{ encoding: 'UTF8', standby: false, read_only: 'off' }]
  if (text.includes('pg_class')) return [{ name: 'schema_versions', known: 3 }]
  return text.includes('owner, version') ? [{ owner: 'satchel', version: 2 }] : [{ ms: 0 }]
}

for (const state of ['40001', '40P01']) {
  test(`a statement that the server rolled back for others (${state}) is sent again, a few times`, async () => {
    const passing = await openFaulty([state, state])
    const failing = await openFaulty(Array(100).fill(state))

    const [changed, rows] = [
      await passing.postgres.write(ADDED, ['one']),
      await passing.postgres.query('select 1'),
    ]
    const told = await failing.postgres.write(ADDED, ['one']).catch((thrown) => thrown)

    assert.deepEqual([changed, rows.length, passing.sent()], [1, 1, 4])
    assert.equal(told.reason, 'storage_busy')
    assert.match(told.message, /nothing was changed/)
    assert.ok(failing.sent() < 20)
  })
}

const TOLD: Readonly<Record<string, string>> = {
  '55P03': 'storage_busy',
  '57014': 'storage_busy',
  '53100': 'storage_full',
  '53200': 'storage_busy',
  '53300': 'storage_busy',
  '25006': 'storage_read_only',
  '42501': 'storage_denied',
  '3D000': 'storage_no_database',
  '28P01': 'storage_password',
}

test('a fault that changed nothing is told by what can be done about it', async () => {
  const told: Record<string, string> = {}
  for (const state of Object.keys(TOLD)) {
    const { postgres } = await openFaulty([state])
    told[state] = await postgres.write(ADDED, ['one']).catch((thrown) => thrown.reason)
  }

  assert.deepEqual(told, TOLD)
})

test('a session that the server ended for its idleness is a lost connection', async () => {
  for (const state of ['25P03', '57P05', '57P01', '57P04']) {
    const { postgres } = await openFaulty([state])

    assert.equal((await postgres.query('select 1')).length, 1, state)
  }
})

test('a database whose transactions are serializable takes writes of many that meet', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const keeper = await openToys(t, server.url)
  server.sql("alter database satchel set default_transaction_isolation to 'serializable'")
  await keeper.migrate()
  server.sql('insert into satchel.gate values (false)')
  const openings = [1, 2, 3].map(() => openToys(t, server.url))
  const all = await Promise.all(openings)

  const writing = Array.from({ length: 24 }, (_, n) => all[n % 3]?.write(ADDED_LATER, [`${n}`]))
  const told = await Promise.all(writing.map((each) => each?.catch((thrown) => thrown.reason ?? thrown.code)))

  assert.deepEqual(new Set(told), new Set([1]))
  assert.equal(server.sql('select count(*) from satchel.toys'), '24')
})

test('a lock that is not free in time is told as busy, and nothing is changed', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  server.sql("alter database satchel set lock_timeout to '50ms'")
  const toys = await openToys(t, server.url)
  await toys.migrate()
  server.sql('insert into satchel.gate values (false)')
  const { release } = await holdGate(server)

  const told = await toys.write(ADDED_LATER, ['one']).catch((thrown) => thrown.reason)
  await release()

  assert.equal(told, 'storage_busy')
  assert.equal(await toys.write(ADDED_LATER, ['two']), 1)
  assert.equal(server.sql('select count(*) from satchel.toys'), '1')
})

test('a server of the release before goes on beside newer tables, also after it lost its connection, until it is restarted', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const schema = { ...TOYS, migrations: [...TOYS.migrations, 'alter table satchel.toys add color text'] }
  const reasonOf = (ready: Promise<unknown>) => ready.then(String, ({ reason }) => reason)
  const before = await openToys(t, server.url)
  const newer = await openToys(t, server.url, { schema })
  await before.migrate()
  await before.write(ADDED, ['one'])

  const early = await reasonOf(newer.ready())
  const migrated = await newer.migrate()
  await before.write(ADDED, ['two'])
  server.sql(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'satchel'`)
  await before.write(ADDED, ['three'])
  const read = await newer.query('select id, color from satchel.toys order by id')
  const restarted = await openToys(t, server.url)

  assert.equal(early, 'storage_schema_older')
  assert.deepEqual(migrated.at(-1), { owner: 'toys', from: 1, to: 2 })
  assert.deepEqual(read, [
    { id: 'one', color: null },
    { id: 'three', color: null },
    { id: 'two', color: null },
  ])
  assert.equal(await reasonOf(restarted.ready()), 'storage_schema_newer')
})

test('a lock is free when its connection ends, and its waiter gets it', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const [one, two] = [await openToys(t, server.url), await openToys(t, server.url)]
  await one.migrate()
  const { promise: holding, resolve: end } = openPromise<void>()

  const first = one.locked('name', 1_000, () => holding)
  await server.until(`exists (select from pg_locks where locktype = 'advisory')`)
  const refused = await two.locked('name', 50, async () => 'got')
  server.sql(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`)
  const got = await two.locked('name', 5_000, async () => 'got')
  end()
  await first

  assert.equal(refused, undefined)
  assert.deepEqual(got, { value: 'got' })
})

test('behind a pooler of transactions a lock has one holder, is freed at its end, and writes are done once', async (t) => {
  const server = await startPostgres(t)
  const pooled = server && (await startPooler(t, server))
  if (!pooled) return
  const servers = await Promise.all(Array.from({ length: 3 }, () => openToys(t, pooled)))
  await servers[0]?.migrate()
  const [holders, together, order] = [new Map<string, number>(), new Set<string>(), [] as string[]]

  const turns = Array.from({ length: 60 }, async (_, at) => {
    const name = at % 2 === 0 ? 'even' : 'odd'
    const toys = servers[at % servers.length] ?? assert.fail()
    const got = await toys.locked(name, 30_000, async () => {
      const others = holders.get(name) ?? 0
      if (others > 0) together.add(name)
      holders.set(name, others + 1)
      await toys.write(ADDED, [`${at}`])
      order.push(name)
      await wait(1 + (at % 5))
      holders.set(name, (holders.get(name) ?? 0) - 1)
    })
    assert.ok(got, `${at} waited for too long`)
  })
  await Promise.all(turns)

  assert.deepEqual([...together], [])
  assert.equal(order.length, 60)
  assert.equal(server.sql('select count(*), count(distinct id) from satchel.toys'), '60|60')
  await server.until(`not exists (select from pg_locks where locktype = 'advisory')`)
})

test('a server that freezes is waited for so long, and its connections are not used again', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const toys = await openToys(t, server.url, { answerMs: 1_000 })
  await toys.migrate()
  const warm = () => Promise.all([1, 2, 3].map(() => toys.query('select pg_sleep(0.05)')))
  await warm()
  const { resume } = server.pause()

  const told = await Promise.all([
    toys.query('select 1').catch((thrown) => thrown.reason),
    toys.write(ADDED, ['one']).catch((thrown) => thrown.reason),
    toys.locked('name', 100, async () => 'got').catch((thrown) => thrown.reason),
  ])
  const { open, idle } = toys.counts()
  resume()
  await warm()
  const changed = await toys.write(ADDED, ['two'])

  assert.deepEqual(told, ['storage_unreachable', 'storage_unknown', 'storage_unreachable'])
  assert.deepEqual([open, idle], [0, 0])
  assert.equal(changed, 1)
  assert.equal(server.sql("select count(*) from satchel.toys where id = 'two'"), '1')
})

test('what a role or a database sets changes no value that is read', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const keeper = await openToys(t, server.url)
  await keeper.migrate()
  const asked = `select '2026-11-27 12:34:56.789+02'::timestamptz as at, '\\x0041ff'::bytea as bytes, 0.1::float8 + 0.2 as sum,
    'a\\b' as text, to_char('2026-11-27 23:30+00'::timestamptz, 'YYYY-MM-DD') as day, '1 day 02:00'::interval::text as span`
  const before = await keeper.query(asked)
  const odd = {
    datestyle: 'German',
    intervalstyle: 'iso_8601',
    timezone: 'Pacific/Kiritimati',
    client_encoding: 'LATIN1',
    bytea_output: 'escape',
    extra_float_digits: '-15',
    standard_conforming_strings: 'off',
  }
  for (const [name, value] of Object.entries(odd)) server.sql(`alter role app set ${name} to '${value}'`)
  const toys = await openToys(t, server.url)

  assert.deepEqual(await toys.query(asked), before)
  assert.deepEqual(before[0]?.['at'], new Date('2026-11-27T10:34:56.789Z'))
})

test('the clock is that of the server', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const { openWire } = await import('./postgres.lazy.ts')
  const warned: string[] = []
  const toys = createPostgres(openWire(server.url), {
    log: { ...silent, warn: (message) => warned.push(message) },
    now: () => new Date(Date.now() - 600_000),
    schema: () => [TOYS],
  })
  t.after(() => toys.close())
  await toys.migrate()

  await toys.ready()

  assert.ok(Math.abs(toys.clockOffsetMs() - 600_000) < 30_000)
  assert.equal(warned.length, 1)
})
