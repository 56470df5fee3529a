import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { addNote, commitText, lostTexts, modelContent, rowFaults } from '../testing/model.ts'
import { optionsFor, own, plan, wasm } from '../testing/opened-room.ts'
import { type Clock, realClock } from './clock.ts'
import { inspectRoom, openRoom, type Room, roomPlace } from './open-room.ts'
import { type Surroundings, systemSurroundings } from './room-lock.ts'
import { socketPath } from './socket-path.ts'

/** A machine where `changes` differ from this one. */
function surroundings(changes: Partial<Surroundings>): Surroundings {
  return { ...systemSurroundings, ...changes }
}

/** Time that passes when a caller waits. */
function hurriedClock(): Clock {
  let now = 0
  return {
    ...realClock,
    elapsedMs: () => now,
    pause: async (ms) => {
      now += ms
    },
  }
}

function digestOf(directory: string): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(directory, name)
    hash.update(`${name} ${statSync(path).mtimeMs}`)
    if (statSync(path).isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

test('a room has one owner, the next comes after a release', async (t) => {
  const options = optionsFor(plan(t))
  const first = await own(t, options)

  const refused = await openRoom(options)
  await first.close()
  const second = await own(t, options)

  assert.equal(refused.kind, 'held')
  assert.deepEqual(refused.kind === 'held' && refused.record, first.lock.record)
  assert.equal(second.lock.record.n, first.lock.record.n + 1)
  assert.equal(second.store.found, 'clean')
})

test('eight concurrent starters: exactly one owner', async (t) => {
  const options = optionsFor(plan(t))

  const attempts = await Promise.all(Array.from({ length: 8 }, () => openRoom(options)))

  const owners = attempts.flatMap((attempt) => (attempt.kind === 'owner' ? [attempt.room] : []))
  t.after(() => Promise.all(owners.map((room) => room.close())))
  assert.equal(owners.length, 1)
})

test('the files are private: folder 0700, files 0600', async (t) => {
  const { place } = await own(t, optionsFor(plan(t)))

  assert.equal(statSync(place.sidecar).mode & 0o777, 0o700)
  for (const name of readdirSync(place.sidecar)) {
    const found = statSync(join(place.sidecar, name))
    assert.equal(found.mode & 0o777, found.isDirectory() ? 0o700 : 0o600, name)
  }
})

const strangers: readonly (readonly [string, Partial<Surroundings>, 'owner' | 'held'])[] = [
  ['whose process has ended', { isRunning: () => false }, 'owner'],
  ['whose pid belongs to a younger process', { start: () => '1' }, 'owner'],
  [
    'of the same machine before a reboot',
    { self: { ...systemSurroundings.self, boot_id: 'another' } },
    'owner',
  ],
  [
    'of another pid namespace that does not answer',
    { self: { ...systemSurroundings.self, pidns: 'x' } },
    'owner',
  ],
  [
    'of another pid namespace that answers',
    { self: { ...systemSurroundings.self, pidns: 'x' }, accepts: async () => true },
    'held',
  ],
  [
    'whose socket answers, also when its pid is free',
    { accepts: async () => true, isRunning: () => false },
    'held',
  ],
  ['that is stopped but there', { accepts: async () => false }, 'held'],
]

for (const [who, changes, outcome] of strangers) {
  test(`an owner ${who}: ${outcome === 'owner' ? 'taken over' : 'keeps the room'}`, async (t) => {
    const file = plan(t)
    await own(t, optionsFor(file))

    const seams = { surroundings: surroundings(changes), clock: hurriedClock() }
    const attempt = await openRoom(optionsFor(file, seams))
    if (attempt.kind === 'owner') await attempt.room.close()

    assert.equal(attempt.kind, outcome)
  })
}

test('an owner on another host is only taken over by a person', async (t) => {
  const file = plan(t)
  await own(t, optionsFor(file))
  const self = { ...systemSurroundings.self, host: 'elsewhere', boot_id: 'another' }
  const options = optionsFor(file, { surroundings: surroundings({ self, accepts: async () => false }) })

  await assert.rejects(openRoom(options), { code: 'conflict', reason: 'room_locked' })
  const attempt = await openRoom({ ...options, takeOver: true })
  if (attempt.kind === 'owner') await attempt.room.close()

  assert.equal(attempt.kind, 'owner')
})

test('an owner that was taken for dead never shows an old room', async (t) => {
  const file = plan(t)
  const buried = await own(t, optionsFor(file))
  await own(t, optionsFor(file, { surroundings: surroundings({ isRunning: () => false }) }))

  await assert.rejects(buried.store.read(rowFaults), { code: 'unavailable', reason: 'store_poisoned' })
  assert.equal(buried.store.poisoned.aborted, true)
})

test('an owner that was buried alive acknowledges nothing and its late record is never read', async (t) => {
  const file = plan(t)
  const buried = await own(t, optionsFor(file))
  await buried.store.mutate((tx) => addNote(tx, 1, 'acknowledged'))
  const successor = await own(t, optionsFor(file, { surroundings: surroundings({ isRunning: () => false }) }))

  const late = buried.store.mutate((tx) => addNote(tx, 2, 'late'))
  await assert.rejects(late, { code: 'unavailable', reason: 'store_poisoned' })
  assert.equal(buried.store.poisoned.aborted, true)
  await assert.rejects(buried.store.read(rowFaults), { reason: 'store_poisoned' })
  await successor.close()

  const heir = await own(t, optionsFor(file))
  assert.deepEqual(await heir.store.read((rows) => rows.all('notes').map((row) => row['text'])), [
    'acknowledged',
  ])
})

const GOINGS: Readonly<Record<string, (sidecar: string) => void>> = {
  moved: (sidecar) => renameSync(sidecar, `${sidecar}.elsewhere`),
  removed: (sidecar) => rmSync(sidecar, { recursive: true }),
}

for (const [what, go] of Object.entries(GOINGS)) {
  test(`an owner whose sidecar was ${what} refuses every call, also when another room was begun in its place`, async (t) => {
    const file = plan(t)
    const first = await own(t, optionsFor(file))
    await first.store.mutate((tx) => addNote(tx, 1, 'first'))

    go(first.place.sidecar)
    const second = await own(t, optionsFor(file))
    const late = first.store.mutate((tx) => addNote(tx, 2, 'late'))

    await assert.rejects(late, { code: 'unavailable', reason: 'store_poisoned' })
    await first.close()
    // The one that went away releases nothing of the other.
    assert.equal((await openRoom(optionsFor(file))).kind, 'held')
    await second.store.mutate((tx) => addNote(tx, 1, 'second'))
    assert.deepEqual(await second.store.read((rows) => rows.all('notes').map((row) => row['text'])), [
      'second',
    ])
  })
}

test('an idle owner notices that its sidecar was moved, and the room opens in the new place', async (t) => {
  const file = plan(t)
  const room = await own(t, optionsFor(file))
  await room.store.mutate((tx) => addNote(tx, 1, 'x'))
  const there = join(temporaryFolderSync(t), 'plan.md')

  renameSync(room.place.sidecar, roomPlace(there, {}).sidecar)
  renameSync(file, there)
  const deadline = performance.now() + 60_000
  while (!room.store.poisoned.aborted && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(room.store.poisoned.aborted, true)
  await room.close()
  const heir = await own(t, optionsFor(there, { surroundings: surroundings({ isRunning: () => false }) }))

  assert.deepEqual(await heir.store.read((rows) => rows.all('notes').map((row) => row['text'])), ['x'])
})

test('what callers are told tells a folder that went away from a room that was taken over', async (t) => {
  const [removed, taken] = [await own(t, optionsFor(plan(t))), await own(t, optionsFor(plan(t)))]
  rmSync(join(removed.place.sidecar, 'lock-1'))
  await own(t, optionsFor(taken.place.file, { surroundings: surroundings({ isRunning: () => false }) }))

  await assert.rejects(removed.store.read(rowFaults), /moved or removed.*Move it back/)
  await assert.rejects(taken.store.read(rowFaults), /another process took it over/)
})

test('a sidecar that was moved and put back is the same room, for the owner that did not notice and for the next one', async (t) => {
  const file = plan(t)
  const room = await own(t, optionsFor(file))
  const { sidecar } = room.place

  renameSync(sidecar, `${sidecar}.elsewhere`)
  renameSync(`${sidecar}.elsewhere`, sidecar)
  await room.store.mutate((tx) => addNote(tx, 1, 'x'))
  assert.equal((await openRoom(optionsFor(file))).kind, 'held')
  await room.close()

  const heir = await own(t, optionsFor(file))
  assert.deepEqual(await heir.store.read((rows) => rows.all('notes').map((row) => row['text'])), ['x'])
})

test('a copy of an open room opens as a room of its own, whose owner is not the first one’s', async (t) => {
  const file = plan(t)
  const first = await own(t, optionsFor(file))
  await first.store.mutate((tx) => addNote(tx, 1, 'x'))
  const copy = join(temporaryFolderSync(t), 'plan.md')
  cpSync(file, copy)
  cpSync(first.place.sidecar, roomPlace(copy, {}).sidecar, { recursive: true })

  const second = await own(t, optionsFor(copy))
  await second.store.mutate((tx) => addNote(tx, 2, 'in the copy'))

  const notes = (room: Room) => room.store.read((rows) => rows.all('notes').map((row) => row['text']))
  assert.deepEqual([await notes(first), await notes(second)], [['x'], ['x', 'in the copy']])
})

test('where numbers of devices mean something else, a lock of another folder is judged by its owner', async (t) => {
  const file = plan(t)
  await own(t, optionsFor(file))
  const elsewhere = surroundings({
    self: { ...systemSurroundings.self, pidns: 'another' },
    accepts: async () => true,
  })
  const asSeenThere: Disk = {
    ...realDisk,
    statSync: (path) => {
      const facts = realDisk.statSync(path)
      return facts && { ...facts, inode: `other-${facts.inode}` }
    },
  }

  const attempt = await openRoom(optionsFor(file, { surroundings: elsewhere, disk: asSeenThere }))

  assert.equal(attempt.kind, 'held')
})

test('a person’s edit is noticed without anybody asking', async (t) => {
  const file = plan(t)
  const { store } = await own(t, optionsFor(file))

  writeFileSync(`${file}.swp`, '# Edited\n')
  renameSync(`${file}.swp`, file)

  const deadline = performance.now() + 60_000
  let version = 1
  while (version === 1 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    version = await store.read((rows) => rows.document.version)
  }
  assert.equal(version, 2)
})

test('an ephemeral room leaves no file', async (t) => {
  const file = plan(t)
  const room = await own(t, { ...optionsFor(file), ephemeral: true })
  await room.store.mutate((tx) => addNote(tx, 1, 'x'))

  await room.close()

  assert.equal(existsSync(room.place.sidecar), false)
})

test('without an owner a look at the room changes no byte', async (t) => {
  const options = optionsFor(plan(t))
  const room = await own(t, options)
  await room.store.mutate((tx) => addNote(tx, 1, 'x'))
  await room.close()
  const before = digestOf(room.place.sidecar)

  const inspection = await inspectRoom(room.place, modelContent, wasm)
  const seen = inspection.read((rows) => ({ notes: rows.all('notes').length, text: rows.documentText() }))
  inspection.close()

  assert.deepEqual(seen, { notes: 1, text: '# Plan\n' })
  assert.equal(digestOf(room.place.sidecar), before)
})

test('a look without an owner sees texts that only the journal holds, and changes no byte', async (t) => {
  const file = plan(t)
  const dying = await own(t, optionsFor(file))
  await dying.store.mutate((tx) => commitText(tx, '# Ours\n'))
  const before = digestOf(dying.place.sidecar)

  const inspection = await inspectRoom(dying.place, modelContent, wasm)
  const seen = inspection.read((rows) => ({ text: rows.documentText(), lost: lostTexts(rows) }))
  inspection.close()

  assert.deepEqual(seen, { text: '# Ours\n', lost: [] })
  assert.deepEqual(readdirSync(join(dying.place.sidecar, 'versions')), [])
  assert.equal(digestOf(dying.place.sidecar), before)
})

test('a room on a symbolic link is the room of the real file', async (t) => {
  const file = plan(t)
  symlinkSync(file, `${file}.link`)

  const place = roomPlace(`${file}.link`, {})

  assert.deepEqual(place, roomPlace(file, {}))
})

test('the socket is where the record says, under every kind of path', async (t) => {
  for (const name of ['short', 'with space', 'ünïcödé 房间', 'x'.repeat(200)]) {
    const directory = join(temporaryFolderSync(t), name)
    mkdirSync(directory)
    writeFileSync(join(directory, 'plan.md'), '')
    const runtime = temporaryFolderSync(t)
    const room = await own(t, {
      ...optionsFor(join(directory, 'plan.md')),
      place: roomPlace(join(directory, 'plan.md'), { XDG_RUNTIME_DIR: runtime }),
    })

    const server = createServer()
    await new Promise<void>((resolve) => server.listen(room.lock.record.socket, resolve))
    assert.equal(statSync(room.place.socket).isSocket(), true, name)
    assert.ok(Buffer.byteLength(room.place.socket) <= 100)
    await new Promise((resolve) => server.close(resolve))
    await room.close()
  }
})

test('a long runtime folder falls back to the short one of the user', () => {
  const place = { platform: 'linux' as const, runtimeDir: `/run/${'r'.repeat(100)}`, uid: 7 }

  assert.match(socketPath(`/${'d'.repeat(120)}`, '/file', place), /^\/tmp\/satchel-7\/[0-9a-f]{16}\.sock$/)
})

test('a room on no file, a folder or bytes that are not text is refused and taken again later', async (t) => {
  const file = plan(t)
  const options = optionsFor(file)
  unlinkSync(file)
  await assert.rejects(openRoom(options), { code: 'not_found', reason: 'document_not_found' })
  mkdirSync(file)
  await assert.rejects(openRoom(options), { code: 'conflict', reason: 'substrate_invalid' })
  rmSync(file, { recursive: true })
  writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]))
  await assert.rejects(openRoom(options), { code: 'conflict', reason: 'substrate_invalid' })
  assert.deepEqual(readdirSync(dirname(file)), [basename(file)], 'a refused opening leaves nothing behind')

  writeFileSync(file, '# Repaired\n')
  const room = await own(t, options)

  assert.equal(await room.store.read((rows) => rows.document.version), 1)
})

test('a stopped process that owns the room keeps it; killed, the room is free immediately', async (t) => {
  const file = plan(t)
  const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); process.stdout.write("up")'])
  t.after(() => holder.kill('SIGKILL'))
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  const pid = holder.pid ?? 0
  const around = systemSurroundings
  const self = { ...around.self, pid, start: around.start(pid) }
  await own(t, optionsFor(file, { surroundings: { ...around, self } }))

  holder.kill('SIGSTOP')
  const whileStopped = await openRoom(optionsFor(file))
  const exited = new Promise((resolve) => holder.once('exit', resolve))
  holder.kill('SIGKILL')
  await exited
  const afterKill = await openRoom(optionsFor(file))
  if (afterKill.kind === 'owner') await afterKill.room.close()

  assert.equal(whileStopped.kind, 'held')
  assert.equal(afterKill.kind, 'owner')
})

test('a look at a file that never had a room says so', async (t) => {
  const place = roomPlace(plan(t), {})

  await assert.rejects(inspectRoom(place, modelContent, wasm), {
    code: 'not_found',
    reason: 'room_not_found',
  })
})

test('a look notices that the newest text is missing', async (t) => {
  const file = plan(t)
  const room = await own(t, optionsFor(file))
  await room.close()
  rmSync(join(room.place.sidecar, 'versions'), { recursive: true })

  const inspection = await inspectRoom(room.place, modelContent, wasm)

  const look = (): string => inspection.read((rows) => rows.documentText())
  assert.throws(look, { code: 'unavailable', reason: 'store_damaged' })
  inspection.close()
})

test('a lost text that the file still holds is repaired; one that no file holds is refused', async (t) => {
  const file = plan(t)
  const options = optionsFor(file)
  const { close, place } = await own(t, options)
  await close()
  const lose = (): void => rmSync(join(place.sidecar, 'versions'), { recursive: true })

  lose()
  const repaired = await own(t, options)
  const text = await repaired.store.read((rows) => rows.body(rows.document.hash))
  await repaired.close()
  lose()
  writeFileSync(file, '# Something else\n')

  assert.equal(text, '# Plan\n')
  await assert.rejects(openRoom(options), { code: 'unavailable', reason: 'store_damaged' })
})

test('a folder that cannot be written to is refused in words', async (t) => {
  const file = plan(t)
  const mkdir = async (): Promise<void> => {
    throw Object.assign(new Error('EROFS'), { code: 'EROFS', syscall: 'mkdir' })
  }

  const refused = openRoom(optionsFor(file, { disk: { ...realDisk, mkdir } }))

  await assert.rejects(refused, { code: 'unavailable', reason: 'store_unavailable' })
})
