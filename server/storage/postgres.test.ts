import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../test/postgres-server.ts'
import { openWay } from '../../test/postgres-way.ts'
import type { Log } from '../contract/context.ts'
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

async function openToys(t: TestContext, url: string, plant?: Plant): Promise<Postgres> {
  const { openWire } = await import('./postgres.lazy.ts')
  const wire = openWire(url)
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
    schema: () => [TOYS],
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
  const toys = await openToys(t, way.url, plant)
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
  await held
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
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  await client.connect()
  await client.query('begin')
  await client.query('lock table satchel.gate in exclusive mode')
  return {
    held: isWaiting(server),
    async release() {
      await client.query('commit')
      await client.end()
      while (server.sql(`${WAITING} or state = 'active' and application_name = 'satchel'`) !== '0')
        await wait(10)
    },
  }
}

const WAITING = `select count(*) from pg_stat_activity where wait_event_type = 'Lock'`

/** Until so many connections wait for a lock of the server, or for nothing any more. */
async function isWaiting(server: PostgresServer, least = 1, isOver = () => false): Promise<void> {
  while (!isOver() && Number(server.sql(WAITING)) < least) await wait(10)
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
  while (server.sql('select count(*) from satchel.toys') !== '1') await wait(5)
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

test('a lock is free when its connection ends, and its waiter gets it', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const [one, two] = [await openToys(t, server.url), await openToys(t, server.url)]
  await one.migrate()
  let end = (): void => {}
  const holding = new Promise<void>((resolve) => {
    end = resolve
  })

  const first = one.locked('name', 1_000, () => holding)
  while (server.sql(`select count(*) from pg_locks where locktype = 'advisory'`) === '0') await wait(5)
  const refused = await two.locked('name', 50, async () => 'got')
  server.sql(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`)
  const got = await two.locked('name', 5_000, async () => 'got')
  end()
  await first

  assert.equal(refused, undefined)
  assert.deepEqual(got, { value: 'got' })
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
