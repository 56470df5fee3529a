import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { SatchelError } from '../../../server/plugin.ts'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.ts'
import {
  addDraft,
  addNote,
  changesByEvent,
  commitText,
  lostTexts,
  pruneTexts,
  rowFaults,
} from '../testing/model.ts'
import { newRoomName, openRoomDatabase } from '../testing/room-database.ts'
import { longText, storeOptions } from '../testing/store-options.ts'
import { databaseMedium } from './database-medium.ts'
import { roomRows } from './database-rows.ts'
import { JOURNAL_LIMITS } from './generations.ts'
import { createMeter } from './meter.ts'
import { takeLease } from './room-lease.ts'
import { openStore, type StoreOptions } from './room-store.ts'
import type { Store } from './store.ts'

/** Longer than a busy machine keeps an owner from renewing its lease. */
const LEASE_MS = 600_000

/** A room in one medium. Each `open` is another owner, for whom the one before is dead. */
interface Stage {
  readonly options: StoreOptions
  open(more?: Partial<StoreOptions>): Promise<Store>
  /** Damages what the last owner acknowledged last. */
  damage(): void | Promise<void>
}

async function fileStage(t: TestContext): Promise<Stage> {
  const options = await storeOptions(t)
  let owner = 0
  return {
    options,
    open(more) {
      const mine = ++owner
      return openStore({ ...options, owner: mine, holdsLock: () => mine === owner, ...more })
    },
    async damage() {
      const { disk, sidecar } = options
      const name = (await disk.list(sidecar)).find((found) => found.startsWith('journal-')) ?? ''
      const file = disk.openSync(`${sidecar}/${name}`)
      disk.writeSync(file, Buffer.from('damage'), 20)
      disk.closeSync(file)
    },
  }
}

function databaseStage(server: PostgresServer, name: string) {
  return async (t: TestContext): Promise<Stage> => {
    const options = await storeOptions(t)
    const database = await openRoomDatabase(t, server.urlOf(name))
    const room = newRoomName()
    const rows = roomRows(database, room)
    const sql = (text: string): string => server.sql(text.replaceAll('$room', `'${room}'`), name)
    const { clock, log } = options
    return {
      options,
      async open(more) {
        sql(`update satchel.rooms set lease_until = '-infinity' where name = $room`)
        const self = { pid: 1, host: 'here' }
        const socketOf = (n: number): string => String(n)
        const how = { rank: 'stdio', place: undefined, leaseMs: LEASE_MS } as const
        const attempt = await takeLease({ rows, clock, self, socketOf, ...how })
        if (attempt.kind !== 'owner') throw new Error(`the room is ${attempt.kind}`)
        const { lease } = attempt
        t.after(() => lease.release())
        const medium = databaseMedium({ rows, lease, clock, log })
        const own = { owner: lease.record.n, holdsLock: lease.holds, medium }
        return openStore({ ...options, ...own, ...more })
      },
      damage() {
        sql(`update satchel.room_records set bytes = set_byte(bytes, 20, 0)
             where room = $room and flush = (select max(flush) from satchel.room_records where room = $room)`)
      },
    }
  }
}

test('a room in files keeps its promises', (t) => keepsContract(t, fileStage))

test('a room in a database keeps the promises of a room in files', async (t) => {
  const server = await startPostgres(t)
  if (server) await keepsContract(t, databaseStage(server, 'satchel'))
})

async function keepsContract(t: TestContext, stage: (t: TestContext) => Promise<Stage>): Promise<void> {
  for (const [name, check] of Object.entries(CONTRACT)) {
    await t.test(name, async (each) => check(await stage(each)))
  }
}

const CONTRACT: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'what was acknowledged is there after a death and after a clean stop': async ({ open }) => {
    const dying = await open()
    await Promise.all(
      Array.from({ length: 100 }, (_, id) => dying.mutate((tx) => addNote(tx, id, `note ${id}`))),
    )
    const before = await dying.read(changesByEvent)

    const second = await open()
    const afterDeath = await second.read((rows) => [changesByEvent(rows), rowFaults(rows)])
    await second.close()
    const third = await open()

    assert.equal(dying.found, 'fresh')
    assert.equal(second.found, 'unclean')
    assert.deepEqual(afterDeath, [before, []])
    assert.equal(third.found, 'clean')
    assert.deepEqual(await third.read(changesByEvent), before)
    await third.close()
  },
  'a group shares a flush, and answers come in the order of the events': async ({ open }) => {
    const meter = createMeter()
    const store = await open({ meter })
    const answered: number[] = []
    const before = meter.flushes

    await Promise.all(
      Array.from({ length: 64 }, async (_, id) => {
        answered.push(await store.mutate((tx) => addNote(tx, id, 'x')))
      }),
    )

    // One that began with the first of them, and one for the rest.
    assert.ok(meter.flushes - before <= 2, `${meter.flushes - before} flushes`)
    assert.deepEqual(
      answered,
      Array.from({ length: 64 }, (_, index) => index + 2),
    )
    await store.close()
  },
  'a refused mutation leaves nothing': async ({ open }) => {
    const store = await open()

    await assert.rejects(
      store.mutate((tx) => {
        addNote(tx, 1, 'never')
        throw new SatchelError('conflict', 'stale_version', 'no')
      }),
      { code: 'conflict', reason: 'stale_version' },
    )
    const eventId = await store.mutate((tx) => addNote(tx, 1, 'kept'))

    const heir = await open()
    assert.equal(eventId, 2)
    assert.deepEqual(await heir.read(rowFaults), [])
    await heir.close()
  },
  'a predecessor that lives acknowledges nothing more': async ({ open }) => {
    const buried = await open()
    await buried.mutate((tx) => addNote(tx, 1, 'mine'))

    const heir = await open()
    const late = await buried.mutate((tx) => addNote(tx, 2, 'late')).catch((thrown) => thrown.reason)
    await heir.mutate((tx) => addNote(tx, 2, 'next'))

    assert.equal(late, 'store_poisoned')
    assert.equal(buried.poisoned.aborted, true)
    const last = await open()
    assert.deepEqual(
      (await last.read((rows) => rows.all('notes'))).map(({ text }) => text),
      ['mine', 'next'],
    )
    await last.close()
  },
  'texts survive, also those too long for a record; those given up are removed by a checkpoint': async ({
    open,
  }) => {
    const dying = await open()
    await dying.mutate((tx) => commitText(tx, longText('# Long\n')))
    const kept = await dying.mutate((tx) => addDraft(tx, 1, 'a draft with \u0000 in it'))
    const heir = await open()
    const inherited = await heir.read((rows) => [rows.body(kept.hash), ...lostTexts(rows)])
    await heir.mutate((tx) => {
      addDraft(tx, 2, 'newest')
      pruneTexts(tx, 1)
    })
    const before = await heir.read((rows) => rows.body(kept.hash))
    await heir.close()

    const last = await open()
    assert.deepEqual(inherited, ['a draft with \u0000 in it'])
    assert.equal(before, undefined)
    assert.deepEqual(await last.read((rows) => [rows.body(kept.hash), ...lostTexts(rows)]), [undefined])
    assert.equal(await last.read((rows) => rows.documentText()), longText('# Long\n'))
    await last.close()
  },
  'checkpoints while the room works lose nothing': async ({ open }) => {
    const limits = { ...JOURNAL_LIMITS, idleBytes: 1_000, idleMs: 0, forceBytes: 4_000 }
    const store = await open({ limits })
    for (let id = 0; id < 120; id += 1) {
      await store.mutate((tx) => addNote(tx, id, `note ${id}`.padEnd(200, '-')))
    }
    const before = await store.read(changesByEvent)

    const heir = await open({ limits })
    assert.deepEqual(await heir.read(changesByEvent), before)
    assert.deepEqual(await heir.read(rowFaults), [])
    await heir.close()
  },
  'the newest 2,000 events are kept, and ids go on at the next owner': async ({ open }) => {
    const store = await open()
    for (let group = 0; group < 25; group += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, at) => store.mutate((tx) => addNote(tx, group * 100 + at, 'x'))),
      )
    }

    const heir = await open()
    const events = await heir.read((rows) => rows.all('events'))
    const next = await heir.mutate((tx) => addNote(tx, 9_999, 'x'))

    assert.equal(events.length, 2_000)
    assert.equal(events.at(-1)?.['event_id'], 2_501)
    assert.equal(next, 2_502)
    await heir.close()
  },
  'a damaged record that was acknowledged is refused': async ({ open, damage }) => {
    const dying = await open()
    await dying.mutate((tx) => addNote(tx, 1, 'one'))
    await dying.mutate((tx) => addNote(tx, 2, 'two'))
    await damage()

    await assert.rejects(open(), { reason: 'store_damaged' })
  },
}
