import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import { addNote, changesByEvent, commitText, modelContent, silentLog } from '../testing/model.ts'
import { newRoomName, openRoomDatabase } from '../testing/room-database.ts'
import { realClock } from './clock.ts'
import { type DatabaseRoomOptions, openDatabaseRoom } from './open-database-room.ts'
import { inspectRoom, openRoom, type Room, type RoomSeams, roomPlace } from './open-room.ts'
import type { StoreContent } from './store.ts'

const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
/** Longer than any test: a lease ends when the test says so. */
const LEASE_MS = 600_000

/** A machine of its own: its copy of the file, and its way to the database. */
interface Machine {
  readonly file: string
  read(): string
  options(seams?: RoomSeams, content?: StoreContent): DatabaseRoomOptions
  own(seams?: RoomSeams, content?: StoreContent): Promise<Room>
}

/** Machines that share one room of the database. */
async function openTeam(t: TestContext, server: PostgresServer) {
  const database = await openRoomDatabase(t, server.url)
  const name = newRoomName()
  const machine = (text: string | undefined): Machine => {
    const file = join(temporaryFolderSync(t), 'plan.md')
    if (text !== undefined) writeFileSync(file, text)
    const options = (seams: RoomSeams = {}, content = modelContent): DatabaseRoomOptions => ({
      place: roomPlace(file, {}),
      content,
      log: silentLog,
      rank: 'stdio',
      wasm,
      seams,
      database,
      name,
      runtimeDir: undefined,
      leaseMs: LEASE_MS,
    })
    return {
      file,
      read: () => readFileSync(file, 'utf8'),
      options,
      async own(seams, content) {
        for (;;) {
          const attempt = await openDatabaseRoom(options(seams, content))
          if (attempt.kind !== 'owner') await wait(10)
          else {
            t.after(() => attempt.room.close())
            return attempt.room
          }
        }
      },
    }
  }
  const sql = (text: string): string => server.sql(text.replaceAll('$room', `'${name}'`))
  /** The lease ends, as if its time had passed at the server. */
  const expire = () => sql(`update satchel.rooms set lease_until = '-infinity' where name = $room`)
  return { machine, sql, expire, name }
}

/** The clock of a process that is stopped until `resume`: meanwhile it renews nothing. */
function stoppedClock() {
  let passedMs = 0
  return {
    ...realClock,
    after: () => () => {},
    elapsedMs: () => realClock.elapsedMs() + passedMs,
    resume() {
      passedMs = LEASE_MS
    },
  }
}

type Check = (t: TestContext, server: PostgresServer) => Promise<void>

test('a room whose journal is in a database', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  for (const [name, check] of Object.entries(CHECKS)) await t.test(name, (each) => check(each, server))
})

const CHECKS: Readonly<Record<string, Check>> = {
  'eight processes that start together: exactly one owner': async (t, server) => {
    const { machine, sql } = await openTeam(t, server)
    const machines = Array.from({ length: 8 }, () => machine('# Plan\n'))

    const attempts = await Promise.all(machines.map(({ options }) => openDatabaseRoom(options())))
    const owners = attempts.flatMap((attempt) => (attempt.kind === 'owner' ? [attempt.room] : []))
    t.after(() => Promise.all(owners.map((room) => room.close())))

    assert.equal(owners.length, 1)
    assert.equal(sql('select generation from satchel.rooms where name = $room'), '1')
  },
  'an owner renews its lease; who asks meanwhile learns where it is': async (t, server) => {
    const { machine, sql } = await openTeam(t, server)
    const [here, there] = [machine('# Plan\n'), machine('# Plan\n')]
    const after = (_ms: number, work: () => void) => realClock.after(5, work)
    const room = await here.own({ clock: { ...realClock, after } })
    const lease = () => sql('select extract(epoch from lease_until) from satchel.rooms where name = $room')

    const began = Number(lease())
    while (Number(lease()) === began) await wait(5)
    const attempt = await openDatabaseRoom(there.options())

    assert.deepEqual(attempt, { kind: 'held', record: room.lock.record })
    assert.match(room.place.socket, /owner-1\.sock$/)
  },
  'after the lease of a stopped owner the next one goes on, and the stopped one answers nothing': async (
    t,
    server,
  ) => {
    const { machine, expire } = await openTeam(t, server)
    const [here, there] = [machine('# Plan\n'), machine('# Plan\n')]
    const clock = stoppedClock()
    const stopped = await here.own({ clock })
    await stopped.store.mutate((tx) => addNote(tx, 1, 'one'))
    const before = await stopped.store.read(changesByEvent)

    expire()
    const heir = await there.own()
    clock.resume()
    const read = await stopped.store.read((rows) => rows.latestEventId).catch((thrown) => thrown.reason)
    const late = await stopped.store.mutate((tx) => addNote(tx, 2, 'late')).catch((thrown) => thrown.reason)

    assert.deepEqual([read, late], ['store_poisoned', 'store_poisoned'])
    assert.equal(heir.store.found, 'unclean')
    assert.deepEqual(await heir.store.read(changesByEvent), before)
  },
  'a release passes the room on immediately': async (t, server) => {
    const { machine } = await openTeam(t, server)
    const [here, there] = [machine('# Plan\n'), machine('# Plan\n')]
    const first = await here.own()
    await first.store.mutate((tx) => commitText(tx, '# Plan\n\nours\n'))
    await first.close()

    const attempt = await openDatabaseRoom(there.options())

    assert.equal(attempt.kind, 'owner')
    assert.equal(attempt.kind === 'owner' && attempt.room.store.found, 'clean')
    if (attempt.kind === 'owner') await attempt.room.close()
    assert.equal(there.read(), '# Plan\n\nours\n')
  },
  'a copy that is an older version, or missing, is refreshed; any other difference is an edit': async (
    t,
    server,
  ) => {
    const { machine } = await openTeam(t, server)
    const [first, older, missing, edited] = [
      machine('# Plan\n'),
      machine('# Plan\n'),
      machine(undefined),
      machine('# Plan\n\nby hand\n'),
    ]
    const room = await first.own()
    for (const text of ['two', 'three']) await room.store.mutate((tx) => commitText(tx, `# Plan ${text}\n`))
    await room.close()

    const found: (readonly [version: number, text: string])[] = []
    for (const { own, read } of [older, missing, edited, first]) {
      const opened = await own()
      found.push([await opened.store.read((rows) => rows.document.version), read()])
      await opened.close()
    }

    assert.deepEqual(found, [
      [3, '# Plan three\n'],
      [3, '# Plan three\n'],
      [4, '# Plan\n\nby hand\n'],
      [4, '# Plan\n\nby hand\n'],
    ])
  },
  'an edit of a copy is one of the version that this machine last had in its file': async (t, server) => {
    const { machine } = await openTeam(t, server)
    const [first, second] = [machine('# Plan\n'), machine('# Plan\n')]
    const kept: (readonly [base: number | undefined, text: string])[] = []
    const hooks: StoreContent['hooks'] = {
      ...modelContent.hooks,
      staleEdit: (_, { text }, base) => void kept.push([base?.version, text]),
    }
    const own = async ({ own: open }: Machine, commits: readonly string[]) => {
      const room = await open({}, { ...modelContent, hooks })
      for (const text of commits) await room.store.mutate((tx) => commitText(tx, text))
      const { version } = await room.store.look()
      await room.close()
      return version
    }
    await own(first, ['# two\n'])
    await own(second, ['# three\n'])
    writeFileSync(first.file, '# two, by hand\n')
    writeFileSync(second.file, '# three, by hand\n')

    const versions = [await own(second, []), await own(first, [])]

    assert.deepEqual(versions, [4, 4])
    assert.deepEqual(kept, [[2, '# two, by hand\n']])
    assert.equal(first.read(), '# three, by hand\n')
  },
  'the clock of a machine that is ten minutes off takes and keeps nothing': async (t, server) => {
    const { machine, sql } = await openTeam(t, server)
    const [here, there] = [machine('# Plan\n'), machine('# Plan\n')]
    const room = await here.own()
    const off = (ms: number) => ({ ...realClock, nowMs: () => Date.now() + ms })

    for (const ms of [600_000, -600_000]) {
      const attempt = await openDatabaseRoom(there.options({ clock: off(ms) }))
      assert.equal(attempt.kind, 'held')
    }
    await room.close()
    const late = await there.own({ clock: off(600_000) })

    const ends = sql(
      'select lease_until between now() and now() + interval $$601 s$$ from satchel.rooms where name = $room',
    )
    assert.equal(ends, 't')
    await late.store.mutate((tx) => addNote(tx, 1, 'kept'))
  },
  'a server that has lost commits gets no later ones: the owner stops': async (t, server) => {
    const { machine, sql } = await openTeam(t, server)
    const here = machine('# Plan\n')
    const room = await here.own()
    await room.store.mutate((tx) => addNote(tx, 1, 'one'))
    const kept = sql('select max(flush) from satchel.room_records where room = $room')
    await room.store.mutate((tx) => addNote(tx, 2, 'lost'))

    // As a standby that took over without the last commit.
    sql(`delete from satchel.room_records where room = $room and flush > ${kept}`)
    sql(`update satchel.rooms set head = ${kept} where name = $room`)
    const refused = await room.store.mutate((tx) => addNote(tx, 3, 'three')).catch(String)
    await room.close()
    const heir = await here.own()

    assert.match(String(refused), /another process took it over/)
    assert.deepEqual(
      (await heir.store.read((rows) => rows.all('notes'))).map(({ text }) => text),
      ['one'],
    )
  },
  'a part of the journal that is missing is told, and nothing is written': async (t, server) => {
    const { machine, sql, expire } = await openTeam(t, server)
    const here = machine('# Plan\n')
    const dying = await here.own({ clock: stoppedClock() })
    for (const id of [1, 2, 3]) await dying.store.mutate((tx) => addNote(tx, id, 'x'))
    sql(`delete from satchel.room_records where room = $room
         and flush = (select max(flush) - 1 from satchel.room_records where room = $room)`)
    const rows = () => sql('select count(*), max(flush) from satchel.room_records where room = $room')
    const before = rows()
    expire()

    await assert.rejects(here.own(), { reason: 'store_damaged' })
    assert.equal(rows(), before)
  },
  'a room in files is not taken for one in the database, nor the other way round': async (t, server) => {
    const { machine, name } = await openTeam(t, server)
    const [inDatabase, inFiles] = [machine('# Plan\n'), machine('# Plan\n')]
    const room = await inDatabase.own()
    await room.close()
    const { place, ...rest } = inFiles.options()
    const attempt = await openRoom({ ...rest, place })
    if (attempt.kind === 'owner') await attempt.room.close()

    const mark = inDatabase.options()
    await assert.rejects(openRoom(mark), { reason: 'room_in_database' })
    await assert.rejects(inspectRoom(mark.place, modelContent, wasm), { reason: 'room_in_database' })
    await assert.rejects(openDatabaseRoom({ ...mark, name: `${name} 2` }), { reason: 'room_in_database' })
    await assert.rejects(openDatabaseRoom(inFiles.options()), { reason: 'room_in_files' })
  },
  'a role that was given one room sees no other': async (t, server) => {
    const { machine, name } = await openTeam(t, server)
    const room = await machine('# Plan\n').own()
    await room.store.mutate((tx) => addNote(tx, 1, 'secret'))
    await room.close()
    server.sql(`create role team login password 'team';
      grant usage on schema satchel to team;
      grant select, insert, update, delete on all tables in schema satchel to team;
      insert into satchel.room_rights values ('team', 'another room')`)
    const tables = ['rooms', 'room_checkpoints', 'room_records']
    const seen = () =>
      tables.map((table) => {
        const counted = server.sql(`set role team; select count(*) > 0 from satchel.${table}`)
        return counted.split('\n').at(-1)
      })

    const before = seen()
    server.sql(`insert into satchel.room_rights values ('team', '${name}')`)

    assert.deepEqual(before, ['f', 'f', 'f'])
    assert.deepEqual(seen().slice(0, 2), ['t', 't'])
  },
}
