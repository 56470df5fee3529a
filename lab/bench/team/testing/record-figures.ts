import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { temporaryFolder } from '../../../../test/harness/index.ts'
import type { PostgresServer } from '../../../../test/postgres-server.ts'
import { askAt, newReplica } from '../../../../test/replicas.ts'
import { runSatchel } from '../../../../test/satchel-process.ts'
import { medianMs, rateOf, type TeamFigure } from './team-figure.ts'

export interface RecordSizes {
  readonly records: number
  readonly calls: number
  readonly spanMs: number
}

const CLIENTS = 8
const PROJECT = 'shop'
/** As long as the numbers that take its place. */
const MARK = 'record-00000000'

/** Records created, listed and read at one server while the project has very many, beside `pg` alone. */
export async function recordFigures(
  t: TestContext,
  server: PostgresServer,
  sizes: RecordSizes,
): Promise<readonly TeamFigure[]> {
  const env = { SATCHEL_STORAGE_URL: server.url }
  assert.equal((await runSatchel(await temporaryFolder(t), ['storage', 'migrate'], env)).code, 0)
  const replica = await newReplica(t, 'one', server.url)
  await replica.start()
  const { address } = replica
  const pool = new pg.Pool({
    connectionString: server.url,
    max: CLIENTS,
    application_name: 'floor',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
  })
  const query: Query = async (text, values = []) => {
    const client = await pool.connect()
    try {
      return await client.query(text, values)
    } finally {
      client.release()
    }
  }
  try {
    return await measured({ server, address, query }, sizes)
  } finally {
    await pool.end() // before the server ends
  }
}

type Query = (text: string, values?: readonly unknown[]) => Promise<unknown>

interface Stage {
  readonly server: PostgresServer
  readonly address: string
  readonly query: Query
}

async function measured(
  { server, address, query }: Stage,
  { records, calls, spanMs }: RecordSizes,
): Promise<readonly TeamFigure[]> {
  const id = await create(address, MARK)
  const filled = await timedMs(async () => fill(server, id, records))
  const indexed = await timedMs(() => untilListed(address, records + 1))
  server.sql(`create table floor_rows (id uuid primary key default gen_random_uuid(), head bigint, bytes bytea);
    create table floor_projects (key text primary key, head bigint);
    insert into floor_projects values ('${PROJECT}', 0);
    grant all on floor_rows, floor_projects to app`)
  const bytes = Buffer.from(
    server.sql(`select encode(bytes, 'base64') from satchel.handoff_records where id = '${id}'`),
    'base64',
  )
  const insert = 'insert into floor_rows (bytes) values ($1)'
  const counted = `with counted as (update floor_projects set head = head + 1 where key = '${PROJECT}' returning head)
    insert into floor_rows (head, bytes) select head, $1 from counted`
  const newest = `select id, title, updated_at from satchel.handoff_records where project = '${PROJECT}' order by change desc limit 20`
  const one = `select bytes from satchel.handoff_records where project = '${PROJECT}' and id = '${id}'`
  const many = { clients: CLIENTS, spanMs }
  let made = 0
  const at = `at ${records.toLocaleString('en')} records`
  return [
    { what: `records filled in by one statement`, unit: '/s', ours: (records * 1000) / filled },
    { what: `the index of a machine is made, ${at}`, unit: 's', ours: indexed / 1000 },
    {
      what: `a record is created, ${at}`,
      unit: 'ms',
      ours: await medianMs(calls, (n) => create(address, `one ${n}`)),
      floor: {
        what: 'one insert after the other',
        value: await medianMs(calls, () => query(insert, [bytes])),
      },
    },
    {
      what: `twenty are listed, ${at}`,
      unit: 'ms',
      ours: await medianMs(calls, () => askAt(address, '/handoffs?limit=20')),
      floor: { what: 'the newest twenty by one select', value: await medianMs(calls, () => query(newest)) },
    },
    {
      what: `twenty of one status are listed, ${at}`,
      unit: 'ms',
      ours: await medianMs(calls, () => askAt(address, '/handoffs?limit=20&status=draft')),
    },
    {
      what: `a list after each record that is created, ${at}`,
      unit: 'ms',
      ours: await medianMs(calls, async (n) => {
        await create(address, `before a list ${n}`)
        await askAt(address, '/handoffs?limit=20')
      }),
    },
    {
      what: `an answer without records`,
      unit: 'ms',
      ours: await medianMs(calls, () => askAt(address, '/health')),
    },
    {
      what: `ten are found by words, ${at}`,
      unit: 'ms',
      ours: await medianMs(calls, () => askAt(address, '/handoffs?limit=10&query=release')),
    },
    {
      what: `records created by ${CLIENTS} clients, ${at}`,
      unit: '/s',
      ours: await rateOf(many, (client) => create(address, `many ${client} ${made++}`)),
      floor: {
        what: 'one insert by each of them that counts in one row',
        value: await rateOf(many, () => query(counted, [bytes])),
      },
    },
    {
      what: `a record read by ${CLIENTS} clients, ${at}`,
      unit: '/s',
      ours: await rateOf(many, () => askAt(address, `/handoffs/${id}`)),
      floor: { what: 'one select by each of them', value: await rateOf(many, () => query(one)) },
    },
  ]
}

async function create(address: string, title: string): Promise<string> {
  const body = { title, objective: 'Ship the release', current_state: `It builds: ${title}.` }
  const { status, json } = await askAt(address, '/handoffs', body)
  assert.ok(status < 300, JSON.stringify(json))
  return json.id
}

/**
 * Copies of one record under ids, titles and times of their own, in one statement: a record each second until now, and ids
 * that begin with the time, as satchel makes them.
 */
function fill(server: PostgresServer, id: string, count: number): void {
  server.sql(`with base as (
      select r.*, p.change as head, convert_from(r.bytes, 'UTF8') as text from satchel.handoff_records r
      join satchel.handoff_projects p on p.key = r.project where id = '${id}'),
    timed as (
      select n, base.updated_at::timestamptz - (${count} - n + 1) * interval '1 s' as at, md5(n::text) as random
      from base, generate_series(1, ${count}) as n),
    made as (
      select n, 'record-' || lpad(n::text, 8, '0') as name,
        to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at,
        (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || left(random, 3) || '8' ||
          substr(random, 4, 15))::uuid as id
      from timed),
    written as (
      select made.*, base.project, base.head, base.status, base.session, base.parents,
        convert_to(replace(replace(replace(replace(base.text, base.id::text, made.id::text), '${MARK}', made.name),
          base.updated_at, made.at), base.created_at, made.at), 'UTF8') as bytes
      from base, made)
    insert into satchel.handoff_records (project, id, change, etag, bytes, title, status, created_at, updated_at, session, parents)
      select project, id, head + n, 'sha256:' || encode(sha256(bytes), 'hex'), bytes, name, status, at, at, session, parents
      from written;
    update satchel.handoff_projects set change = change + ${count} where key = '${PROJECT}';
    analyze satchel.handoff_records; checkpoint`)
}

const GIVE_UP_MS = 3_600_000

/** A client gives up after five minutes; the server goes on, and the next call waits for it. */
async function untilListed(address: string, total: number): Promise<void> {
  const began = performance.now()
  for (;;) {
    const answer = await askAt(address, '/handoffs?limit=1').catch((thrown: Error) => {
      // Any other failure would be one again and again: of a server that ended nothing comes any more.
      if (!/HeadersTimeout/.test(String(thrown.cause))) throw thrown
      return undefined
    })
    if (answer?.json?.total === total) return
    assert.ok(
      performance.now() - began < GIVE_UP_MS,
      `${answer?.json?.total} of ${total} records were listed`,
    )
    await wait(100)
  }
}

async function timedMs(work: () => Promise<unknown> | unknown): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
