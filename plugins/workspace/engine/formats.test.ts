import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { filesBelow } from '../../../test/harness/files-below.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { SCHEMA, STATEMENTS } from '../room/schema.ts'
import { inspectRoom, lastOwner, openRoom, roomPlace } from './open-room.ts'
import { systemSurroundings } from './room-lock.ts'

const FIXTURE = join(import.meta.dirname, '../testing/testdata/formats/0.1.0')
const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
/** The tables of a room, without its rules. */
const content = { schema: SCHEMA, statements: STATEMENTS, hooks: { bootstrap() {}, external() {} } }
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A copy of a room that release 0.1.0 left: closed, or by a kill with all its work in the journal. */
function roomOf010(t: TestContext, how: 'clean' | 'unclean') {
  const folder = temporaryFolderSync(t)
  cpSync(join(FIXTURE, how, 'plan.md'), join(folder, 'plan.md'))
  const sidecar = join(folder, '.plan.md.satchel')
  cpSync(join(FIXTURE, how, 'sidecar'), sidecar, { recursive: true })
  mkdirSync(join(sidecar, 'versions'), { recursive: true })
  for (const name of readdirSync(sidecar)) {
    const path = join(sidecar, name)
    if (name.endsWith('.gz')) {
      writeFileSync(path.slice(0, -3), gunzipSync(readFileSync(path)))
      rmSync(path)
    } else if (/^lock-\d+$/.test(name)) {
      writeFileSync(path, readFileSync(path, 'utf8').replace('former-host', hostname()))
    }
  }
  return { sidecar, place: roomPlace(join(folder, 'plan.md'), {}) }
}

function open(place: ReturnType<typeof roomPlace>) {
  return openRoom({ place, content, log, rank: 'stdio', wasm })
}

for (const how of ['clean', 'unclean'] as const) {
  test(`a room of release 0.1.0 that was left ${how} is inspected without a write and opened with everything in it`, async (t) => {
    const { sidecar, place } = roomOf010(t, how)
    const before = filesBelow(sidecar)

    const inspection = await inspectRoom(place, content, wasm)
    const seen = inspection.read((rows) => rows.latestEventId)
    inspection.close()
    const owner = await lastOwner(place)
    assert.deepEqual(filesBelow(sidecar), before)
    const attempt = await open(place)
    assert.equal(attempt.kind, 'owner')
    if (attempt.kind !== 'owner') return
    const found = await attempt.room.store.read((rows) => [rows.latestEventId, rows.document.version])
    await attempt.room.close()

    assert.equal(attempt.room.store.found, how)
    assert.equal(owner?.n, how === 'clean' ? undefined : 1)
    assert.deepEqual(found, [seen, 1])
    assert.ok(seen >= 6, `${seen} events`)
    assert.equal(attempt.room.lock.record.n, how === 'clean' ? 3 : 2)
  })
}

test('a room that a process of release 0.1.0 on another host holds is refused and left as it is', async (t) => {
  const { sidecar, place } = roomOf010(t, 'unclean')
  const lock = join(sidecar, 'lock-1')
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(hostname(), 'former-host'))
  const before = filesBelow(sidecar)

  await assert.rejects(open(place), { code: 'conflict', reason: 'room_locked' })

  assert.deepEqual(filesBelow(sidecar), before)
})

const { self } = systemSurroundings
/** Contents of a lock that satchel never wrote; each lock is taken over. The last names a live process but no socket. */
const GARBAGE_LOCKS = [
  '',
  '\0\xff',
  '{"pid"',
  'null',
  '[]',
  JSON.stringify({
    ...self,
    pid: process.ppid,
    start: systemSurroundings.start(process.ppid),
    rank: 'stdio',
  }),
]

test('a lock of garbage is taken over', async (t) => {
  for (const garbage of GARBAGE_LOCKS) {
    const { sidecar, place } = roomOf010(t, 'unclean')
    writeFileSync(join(sidecar, 'lock-1'), garbage)

    const attempt = await open(place)

    assert.equal(attempt.kind, 'owner', JSON.stringify(garbage))
    if (attempt.kind === 'owner') await attempt.room.close()
  }
})

/** SQLite keeps the version of the tables at byte 60, big endian. */
function newer(image: Buffer): Buffer {
  const bytes = Buffer.from(image)
  bytes.writeUInt32BE(bytes.readUInt32BE(60) + 1, 60)
  return bytes
}

test('a room of a newer version and garbage are refused with their reason; only the lock is new', async (t) => {
  const images = [
    ['unsupported_version', newer(gunzipSync(readFileSync(join(FIXTURE, 'clean/sidecar/room.db.gz'))))],
    ['store_damaged', Buffer.from('garbage')],
    ['store_damaged', Buffer.alloc(0)],
  ] as const
  for (const [reason, image] of images) {
    const { sidecar, place } = roomOf010(t, 'clean')
    writeFileSync(join(sidecar, 'room.db'), image)
    const before = filesBelow(sidecar)

    await assert.rejects(open(place), { reason })

    const after = [...filesBelow(sidecar)].filter(([name]) => !name.startsWith('lock-'))
    assert.deepEqual(
      after,
      [...before].filter(([name]) => !name.startsWith('lock-')),
    )
  }
})
