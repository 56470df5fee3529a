/**
 * Rooms in PostgreSQL beside floors of the same promise, on this machine:
 * `node --import ./scripts/typescript.mjs scripts/room-database-figures.ts`.
 * It starts a server of its own and removes it. A floor is `pg` alone: one insert after the other, or one insert for many rows.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { MIGRATIONS } from '../plugins/workspace/engine/database-rows.ts'
import { openDatabaseRoom } from '../plugins/workspace/engine/open-database-room.ts'
import { type Room, roomPlace } from '../plugins/workspace/engine/open-room.ts'
import { addNote, commitText, modelContent, silentLog } from '../plugins/workspace/testing/model.ts'
import { createDatabase, type HostDatabase } from '../server/storage/database.ts'
import { type PostgresServer, startPostgres } from '../test/postgres-server.ts'

const SPAN_MS = Number(process.env['SPAN_MS'] ?? 4_000)
const ROUNDS = Number(process.env['ROUNDS'] ?? 3)
const GROUP = 64
const CONNECTIONS = 16
const RECORD = Buffer.alloc(500, 'x') // what the record of a note takes
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
const SETTINGS = { application_name: 'figures', connectionTimeoutMillis: 5_000, keepAlive: true }

const ends: (() => unknown)[] = []
const context = { after: (end: () => unknown) => ends.push(end), skip() {} } as unknown as TestContext // all it needs

interface Figure {
  readonly name: string
  /** A second, of each round. */
  readonly rates: readonly number[]
}

/** How often a second `once` is done, by so many together, for a while. */
async function rateOf(
  workers: number,
  once: (worker: number) => Promise<unknown>,
  each = 1,
): Promise<number> {
  let done = 0
  const began = performance.now()
  const work = async (worker: number): Promise<void> => {
    while (performance.now() - began < SPAN_MS) {
      await once(worker)
      done += each
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
  return (done * 1000) / (performance.now() - began)
}

/** The measurements in turn, so that all meet the same moods of the machine. */
async function inTurn(measurements: Readonly<Record<string, () => Promise<number>>>): Promise<Figure[]> {
  const rates = new Map(Object.keys(measurements).map((name) => [name, [] as number[]]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, measure] of Object.entries(measurements)) rates.get(name)?.push(await measure())
  }
  return [...rates].map(([name, found]) => ({ name, rates: found }))
}

function print(figures: readonly Figure[]): void {
  for (const { name, rates } of figures) {
    const sorted = rates.toSorted((a, b) => a - b)
    const middle = sorted[Math.floor(sorted.length / 2)] ?? 0
    process.stdout.write(
      `${name.padEnd(66)} ${middle.toFixed(0).padStart(7)}/s  (${sorted.map((rate) => rate.toFixed(0)).join(', ')})\n`,
    )
  }
}

async function openPool(url: string, max: number) {
  const pool = new pg.Pool({ ...SETTINGS, connectionString: url, max, idleTimeoutMillis: 30_000 })
  ends.unshift(() => pool.end())
  const query = async (text: string, values: readonly unknown[]): Promise<void> => {
    const client = await pool.connect()
    try {
      await client.query(text, values)
    } finally {
      client.release()
    }
  }
  const together = async (texts: readonly (readonly [string, readonly unknown[]])[]): Promise<void> => {
    const client = await pool.connect()
    try {
      for (const [text, values] of texts) await client.query(text, values)
    } finally {
      client.release()
    }
  }
  return { query, together }
}

const INSERT = 'insert into floor_rows (room, bytes) values ($1, $2)'
const COUNTED = `with counted as (update floor_rooms set head = head + 1 where room = $1 returning room)
  insert into floor_rows (room, bytes) select room, $2 from counted`

/** `pg` alone. */
async function floors(url: string) {
  const one = await openPool(url, 1)
  const many = await openPool(url, CONNECTIONS)
  const batch = Array.from({ length: GROUP }, () => RECORD.toString('latin1'))
  const transaction = (room: number) =>
    many.together([
      ['begin', []],
      ['update floor_rooms set head = head + 1 where room = $1', [room]],
      [INSERT, [room, RECORD]],
      ['commit', []],
    ])
  return {
    'floor: one insert after the other': () => rateOf(1, () => one.query(INSERT, [0, RECORD])),
    [`floor: one insert of ${GROUP} rows after the other, rows`]: () =>
      rateOf(
        1,
        () =>
          one.query(
            'insert into floor_rows (room, bytes) select 0, convert_to(text, $$UTF8$$) from unnest($1::text[]) as given (text)',
            [batch],
          ),
        GROUP,
      ),
    [`floor: ${GROUP} together over ${CONNECTIONS} connections, a row of its own each`]: () =>
      rateOf(GROUP, (room) => many.query(COUNTED, [room, RECORD])),
    [`floor: the same, all count in one row`]: () => rateOf(GROUP, () => many.query(COUNTED, [0, RECORD])),
    [`floor: the same in four statements, a row of its own each`]: () => rateOf(GROUP, transaction),
    [`floor: the same in four statements, all count in one row`]: () => rateOf(GROUP, () => transaction(0)),
  }
}

async function newRoom(database: HostDatabase, folder: string, n: number): Promise<Room> {
  const file = join(folder, `plan-${n}.md`)
  writeFileSync(file, '# Plan\n')
  const attempt = await openDatabaseRoom({
    ...{ place: roomPlace(file, {}), content: modelContent, log: silentLog, rank: 'stdio', wasm },
    ...{ database, name: `figures:${folder}-${n}`, runtimeDir: undefined },
  })
  if (attempt.kind !== 'owner') throw new Error(`the room is ${attempt.kind}`)
  ends.unshift(() => attempt.room.close())
  return attempt.room
}

let id = 0

/** Notes, which touch no file. */
function noting(rooms: readonly Room[]) {
  return (worker: number) =>
    rooms[worker % rooms.length]?.store.mutate((tx) => addNote(tx, ++id, 'note'.padEnd(300, '-'))) ??
    Promise.resolve(0)
}

async function openDatabases(server: PostgresServer): Promise<readonly HostDatabase[]> {
  const schema = () => [{ owner: 'workspace', migrations: MIGRATIONS }]
  const databases = [1, 2].map(() =>
    createDatabase({ url: server.url, log: silentLog, now: () => new Date(), schema }),
  )
  for (const database of databases) ends.unshift(() => database.close())
  await databases[0]?.migrate()
  return databases
}

/** From the end of an owner until the next one has answered its first change. */
async function takeovers(server: PostgresServer, database: HostDatabase, folder: string): Promise<void> {
  const dying = await newRoom(database, folder, 100_000)
  const note = noting([dying])
  for (let group = 0; group < 40; group += 1) await Promise.all(Array.from({ length: 50 }, () => note(0)))
  await dying.store.mutate((tx) => commitText(tx, '# Plan\n'.padEnd(1024 * 1024, 'x')))
  const heirs: number[] = []
  for (let round = 0; round < 5; round += 1) {
    server.sql("update satchel.rooms set lease_until = '-infinity'")
    const began = performance.now()
    const heir = await newRoom(database, folder, 100_000)
    await heir.store.mutate((tx) => addNote(tx, ++id, 'first'))
    heirs.push(performance.now() - began)
  }
  process.stdout.write(
    `takeover after the lease, 2,000 events and 1 MiB: ${heirs.map((ms) => `${ms.toFixed(0)} ms`).join(', ')}\n`,
  )
}

const server = await startPostgres(context)
if (server) {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-figures-'))
  ends.push(() => rmSync(folder, { recursive: true, force: true }))
  server.sql(`create table floor_rows (id bigserial primary key, room int, bytes bytea);
    create table floor_rooms (room int primary key, head bigint not null default 0);
    insert into floor_rooms (room) select generate_series(0, ${GROUP - 1});
    grant all on floor_rows, floor_rooms, floor_rows_id_seq to app`)
  const databases = await openDatabases(server)
  const [first] = databases
  if (!first) throw new Error('unreachable: two were opened')
  const one = [await newRoom(first, folder, 0)]
  const many = await Promise.all(
    Array.from({ length: GROUP }, (_, n) => newRoom(databases[n % 2] ?? first, folder, n + 1)),
  )
  const figures = await inTurn({
    ...(await floors(server.url)),
    'one room: one change after the other': () => rateOf(1, noting(one)),
    [`one room: ${GROUP} changes together`]: () => rateOf(GROUP, noting(one)),
    [`${GROUP} rooms over 20 connections, one change after the other in each`]: () =>
      rateOf(GROUP, noting(many)),
    [`${GROUP} rooms over 20 connections, 16 changes together in each`]: () =>
      rateOf(GROUP * 16, noting(many)),
  })
  print(figures)
  await takeovers(server, first, folder)
  if (process.env['ROOMS'] !== undefined) {
    const more = await Promise.all(
      Array.from({ length: Number(process.env['ROOMS']) }, (_, n) =>
        newRoom(databases[n % 2] ?? first, folder, 1_000 + n),
      ),
    )
    print(
      await inTurn({ [`${more.length} rooms over 20 connections`]: () => rateOf(more.length, noting(more)) }),
    )
  }
}
for (const end of ends) await Promise.resolve(end()).then(undefined, () => undefined)
