import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/harness/until.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres-server.ts'
import type { Log } from '../contract/context.ts'
import { createHints, type HintEvents } from './hints.ts'
import { createPostgres, type Postgres, type Wire } from './postgres.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const TOYS = {
  owner: 'toys',
  migrations: [
    `create table satchel.toys (id text);
     create function satchel.waits() returns trigger language plpgsql as $$ begin
       if new.id = 'late' then perform pg_advisory_xact_lock(7); end if; return new; end $$;
     create trigger waits before insert on satchel.toys for each row execute function satchel.waits()`,
  ],
}
const TOPIC = 'toy'
const FAST = { firstPauseMs: 5, longestPauseMs: 20, echoLimitMs: 30_000 }

async function openToys(t: TestContext, { url }: PostgresServer, plant = (wire: Wire) => wire) {
  const { openWire } = await import('./postgres.lazy.ts')
  const parts = { log: silent, now: () => new Date(), schema: () => [TOYS], hintTimes: FAST }
  const toys = createPostgres(plant(openWire(url)), parts)
  t.after(() => toys.close())
  return toys
}

/** A process that listens: what it was told, with the rows that it then found. */
async function openListener(t: TestContext, server: PostgresServer) {
  const toys = await openToys(t, server)
  const told: (string | undefined)[] = []
  toys.onHint(TOPIC, (about) => told.push(about))
  toys.listen()
  await toys.ready()
  await until(() => told.length > 0) // it may have missed any before
  return { toys, told }
}

function add(toys: Postgres, id: string): Promise<number> {
  return toys.write('changed as (insert into satchel.toys (id) values ($2) returning id)', [id], {
    topic: TOPIC,
    about: id,
  })
}

/** A change that waits before its commit, while another one is committed: which is told first. */
async function orderOf(t: TestContext, server: PostgresServer, plant?: (wire: Wire) => Wire) {
  const keeper = await openToys(t, server)
  await keeper.migrate()
  const { told } = await openListener(t, server)
  const writer = await openToys(t, server, plant)
  const { default: pg } = await import('pg')
  const gate = new pg.Client({
    connectionString: server.url,
    application_name: 'gate',
    connectionTimeoutMillis: 60_000,
    keepAlive: true,
  })
  await gate.connect()
  await gate.query('select pg_advisory_lock(7)')
  const late = add(writer, 'late')
  await server.until(`(select count(*) from pg_stat_activity where wait_event_type = 'Lock') = 1`)
  await add(keeper, 'early')
  await gate.query('select pg_advisory_unlock(7)')
  await gate.end()
  await late
  await add(keeper, 'last')
  await until(() => told.includes('last'))
  return told.slice(1)
}

test('a hint comes with the commit', async (t) => {
  const server = await startPostgres(t)
  if (!server) return

  assert.deepEqual(await orderOf(t, server), ['early', 'late', 'last'])
})

test('a hint that is sent before the commit is found', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const early = (wire: Wire): Wire => ({
    ...wire,
    withClient: (work) =>
      wire.withClient((run) =>
        work(async (text, values = []) => {
          const isHint = text.includes('pg_notify(') && text.startsWith('with ')
          if (!isHint) return await run(text, values)
          await run(`select pg_notify('satchel', $1)`, [values.at(-1)])
          return await run(text.replace(/pg_notify\('satchel', (\$\d+)\)/, 'length($1::text)'), values)
        }),
      ),
  })

  assert.notDeepEqual(await orderOf(t, server, early), ['early', 'late', 'last'])
})

test('a change that did nothing, and one without a hint, tell nothing', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const keeper = await openToys(t, server)
  await keeper.migrate()
  const { told, toys } = await openListener(t, server)
  const missing = 'changed as (delete from satchel.toys where id = $2 returning id)'

  await keeper.write(missing, ['none'], { topic: TOPIC, about: 'none' })
  await keeper.write('changed as (insert into satchel.toys (id) values ($2) returning id)', ['quiet'])
  await add(keeper, 'loud')
  await until(() => told.includes('loud'))

  assert.deepEqual(told.slice(1), ['loud'])
  const { listening, hints } = toys.counts()
  assert.deepEqual({ listening, hints }, { listening: 1, hints: 1 })
})

test('a listener whose connection is killed is told that it may have missed hints, and hears those that follow', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const keeper = await openToys(t, server)
  await keeper.migrate()
  const { told, toys } = await openListener(t, server)
  const seen: string[] = []
  /** What a hint is about is asked for. */
  const look = async (): Promise<void> => {
    const rows = await toys.query('select id from satchel.toys order by id')
    seen.splice(0, seen.length, ...rows.map(({ id }) => String(id)))
  }
  toys.onHint(TOPIC, () => void look())

  server.sql(`alter database satchel connection limit 0`, 'postgres')
  server.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'satchel hints'`,
  )
  await until(() => toys.counts().listening === 0)
  server.sql(`insert into satchel.toys values ('missed')`)
  const working = await toys.query('select id from satchel.toys')
  server.sql(`alter database satchel connection limit -1`, 'postgres')
  await until(() => seen.includes('missed'))
  const afterwards = await add(keeper, 'heard')
  await until(() => seen.includes('heard'))

  assert.deepEqual(
    working.map(({ id }) => id),
    ['missed'],
  )
  assert.equal(afterwards, 1)
  assert.deepEqual(told, [undefined, undefined, 'heard'])
  assert.equal(toys.counts().listening, 1)
})

test('a pooler that lets no notification through is warned of once, and closed', async (t) => {
  const warned: string[] = []
  let [opened, open, sent] = [0, 0, 0]
  const hints = createHints({
    place: 'there',
    log: { ...silent, warn: (message) => void warned.push(message) },
    async open() {
      opened += 1
      open += 1
      return {
        async close() {
          open -= 1
        },
      }
    },
    async send() {
      sent += 1
    },
    times: { firstPauseMs: 1, longestPauseMs: 1, echoLimitMs: 1 },
  })
  t.after(() => hints.close())
  hints.on(TOPIC, () => assert.fail('nothing was told'))

  hints.listen()
  await until(() => opened > 3)
  const listening = hints.counts().listening
  await hints.close()

  assert.deepEqual([warned.length, open, listening], [1, 0, 0])
  assert.ok(sent >= 3)
})

test('a connection that falls silent is closed, and another is opened', async (t) => {
  const lines: HintEvents[] = []
  let echoes = 0
  const hints = createHints({
    place: 'there',
    log: silent,
    async open(events) {
      lines.push(events)
      return { close: async () => undefined }
    },
    // The first answers once, as one that leads to a server that was the primary.
    send: async ({ topic, about }) => {
      const line = lines.at(-1)
      if (lines.length === 1 && echoes++ > 0) return
      line?.told(`${topic} ${about}`)
    },
    times: { firstPauseMs: 1, longestPauseMs: 1, echoEveryMs: 1, echoLimitMs: 1 },
  })
  const told: (string | undefined)[] = []
  hints.on(TOPIC, (about) => told.push(about))
  t.after(() => hints.close())

  hints.listen()
  await until(() => lines.length > 1 && told.length > 1)
  lines.at(-1)?.told(`${TOPIC} again`)

  assert.deepEqual(told.slice(0, 3), [undefined, undefined, 'again'])
})
