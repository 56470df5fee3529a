import assert from 'node:assert/strict'
import { readdirSync, readFileSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { realDisk, type SatchelError } from '../../../server/plugin.ts'
import { addDraft, addNote, commitText, rowFaults } from '../testing/model.ts'
import { longText, storeOptions } from '../testing/store-options.ts'
import { JOURNAL_LIMITS } from './generations.ts'
import { openStore } from './room-store.ts'
import type { Sql } from './sql.ts'

test('the first open makes version 1 of the file as it is, byte for byte', async (t) => {
  const room = await storeOptions(t, '\uFEFF# Plan\r\nno newline at the end')

  const store = await openStore(room)

  assert.equal(store.found, 'fresh')
  const seen = await store.read((rows) => ({ text: rows.documentText(), ...rows.document }))
  assert.equal(seen.text, '\uFEFF# Plan\r\nno newline at the end')
  assert.equal(seen.version, 1)
  assert.equal(seen.substrate, 'ok')
  await store.close()
})

test('order of answers and of published events is the order of the event ids', async (t) => {
  const store = await openStore(await storeOptions(t))
  const published: number[] = []
  const answered: number[] = []

  await Promise.all(
    Array.from({ length: 300 }, async (_, id) => {
      const eventId = await store.mutate((tx) => {
        const taken = addNote(tx, id, 'x')
        tx.onDurable(() => published.push(taken))
        return taken
      })
      answered.push(eventId)
    }),
  )

  assert.deepEqual(
    published,
    Array.from({ length: 300 }, (_, index) => index + 2),
  )
  assert.deepEqual(answered, published)
  await store.close()
})

/** A disk whose calls fail while a code is set. */
function moody(failing: { code?: string; call?: 'write' | 'flush' }): typeof realDisk {
  const due = (call: typeof failing.call): void => {
    if (failing.call !== call || failing.code === undefined) return
    throw Object.assign(new Error(failing.code), {
      code: failing.code,
      syscall: call === 'flush' ? 'fdatasync' : call,
    })
  }
  return {
    ...realDisk,
    writeSync: (file, bytes, position) => {
      due('write')
      realDisk.writeSync(file, bytes, position)
    },
    create: async (path, content, mode) => {
      due('write')
      await realDisk.create(path, content, mode)
    },
    createSync: (path, content, mode) => {
      due('write')
      realDisk.createSync(path, content, mode)
    },
    flush: async (file) => {
      due('flush')
      await realDisk.flush(file)
    },
    flushSync: (file) => {
      due('flush')
      realDisk.flushSync(file)
    },
  }
}

test('a room of an older format is one of the present format before anything is appended to it', async (t) => {
  const room = await storeOptions(t)
  await openStore(room).then((store) => store.close())
  const image = join(room.sidecar, 'room.db')
  const edit = <T>(work: (connection: ReturnType<Sql['open']>) => T): T => {
    const connection = room.sql.open(readFileSync(image))
    const done = work(connection)
    connection.close()
    return done
  }
  const present = edit((connection) => connection.prepare('PRAGMA user_version').rows([]))
  const older = edit((connection) => {
    connection.exec(`PRAGMA user_version = ${room.content.schema.version}`)
    return connection.export()
  })
  writeFileSync(image, older)

  const store = await openStore({ ...room, owner: 2 })
  const opened = edit((connection) => connection.prepare('PRAGMA user_version').rows([]))
  await store.close()

  assert.deepEqual(opened, present)
})

test('a full disk refuses without a trace, and the room works again when there is space', async (t) => {
  const failing: Parameters<typeof moody>[0] = {}
  const room = { ...(await storeOptions(t)), disk: moody(failing) }
  const store = await openStore(room)
  await store.mutate((tx) => addNote(tx, 1, 'before'))

  Object.assign(failing, { call: 'write', code: 'ENOSPC' })
  const note = store.mutate((tx) => addNote(tx, 2, 'refused'))
  await assert.rejects(note, { code: 'unavailable', reason: 'store_unavailable' })
  const commit = store.mutate((tx) => commitText(tx, '# Refused\n'))
  await assert.rejects(commit, { code: 'unavailable', reason: 'store_unavailable' })
  assert.equal(readFileSync(room.file, 'utf8'), '# Plan\n')
  delete failing.code
  await store.mutate((tx) => addNote(tx, 2, 'after'))

  const again = await openStore(room)
  const texts = await again.read((rows) => rows.all('notes').map((row) => row['text']))
  assert.deepEqual(texts, ['before', 'after'])
  assert.deepEqual(await again.read(rowFaults), [])
  assert.deepEqual(
    readdirSync(room.sidecar).filter((name) => name.startsWith('.tmp')),
    [],
  )
  await again.close()
})

test('an edit that a full disk could not take is found again by every later call', async (t) => {
  const failing: Parameters<typeof moody>[0] = {}
  const room = { ...(await storeOptions(t)), disk: moody(failing) }
  const store = await openStore(room)
  writeFileSync(room.file, '# Edited meanwhile\n')
  utimesSync(room.file, new Date(1000), new Date(1000)) // else it is looked at again because it is so new
  Object.assign(failing, { call: 'write', code: 'ENOSPC' })
  const full = { code: 'unavailable', reason: 'store_unavailable' }

  await assert.rejects(store.look(), full)
  await assert.rejects(store.look(), full)
  await assert.rejects(
    store.mutate((tx) => addNote(tx, 1, 'on a version that is not the file')),
    full,
  )
  delete failing.code
  const { version } = await store.look()

  assert.equal(version, 2)
  assert.equal(await store.read((rows) => rows.documentText()), '# Edited meanwhile\n')
  await store.close()
})

test('a failed flush stops the room for good; what was acknowledged is there for the next', async (t) => {
  const failing: Parameters<typeof moody>[0] = {}
  const room = { ...(await storeOptions(t)), disk: moody(failing) }
  const store = await openStore(room)
  await store.mutate((tx) => addNote(tx, 1, 'acknowledged'))
  const published: number[] = []

  Object.assign(failing, { call: 'flush', code: 'EIO' })
  const lost = store.mutate((tx) => {
    addNote(tx, 2, 'lost')
    tx.onDurable(() => published.push(2))
  })
  const dying = store.mutate((tx) => addNote(tx, 3, 'dying'))
  await assert.rejects(dying, { code: 'unavailable', reason: 'store_poisoned' })
  await assert.rejects(lost, { reason: 'store_poisoned' })
  delete failing.code
  await assert.rejects(
    store.mutate((tx) => addNote(tx, 4, 'later')),
    { reason: 'store_poisoned' },
  )
  await assert.rejects(store.read(rowFaults), { reason: 'store_poisoned' })
  await store.close()

  assert.deepEqual(published, [])
  assert.equal(store.poisoned.aborted, true)
  const next = await openStore({ ...room, owner: 2 })
  assert.equal(next.found, 'unclean')
  assert.equal((await next.read((rows) => rows.all('notes')))[0]?.['text'], 'acknowledged')
  await next.close()
})

test('a damaged acknowledged record is refused with its place, and no byte changes', async (t) => {
  const room = await storeOptions(t)
  const store = await openStore(room)
  for (let id = 0; id < 5; id += 1) await store.mutate((tx) => addNote(tx, id, `note ${id}`))
  const name = readdirSync(room.sidecar).find((found) => found.endsWith('.log')) ?? ''
  const path = join(room.sidecar, name)
  const bytes = readFileSync(path)
  const second = 16 + bytes.readUInt32LE(0)
  bytes[second + 40] = (bytes[second + 40] ?? 0) ^ 1
  writeFileSync(path, bytes)

  await assert.rejects(openStore(room), (thrown: SatchelError) => {
    assert.equal(thrown.code, 'unavailable')
    assert.equal(thrown.reason, 'store_damaged')
    assert.deepEqual(thrown.details, { file: name, offset: second, seq: 2 })
    assert.match(thrown.message, /workspace doctor/)
    return true
  })
  assert.deepEqual(readFileSync(path), bytes)
  assert.deepEqual(readdirSync(room.sidecar).sort(), [name, 'room.db', 'versions'])
})

test('a missing journal or checkpoint is refused, not replaced by an empty room', async (t) => {
  for (const lost of [/\.log$/, /^room\.db$/]) {
    const room = await storeOptions(t)
    const store = await openStore(room)
    await store.mutate((tx) => addNote(tx, 1, 'x'))
    const name = readdirSync(room.sidecar).find((found) => lost.test(found)) ?? ''
    unlinkSync(join(room.sidecar, name))

    await assert.rejects(openStore(room), { code: 'unavailable', reason: 'store_damaged' })
  }
})

test('a room above 100 MB takes no more content, and everything else goes on', async (t) => {
  const limits = {
    ...JOURNAL_LIMITS,
    idleBytes: Number.POSITIVE_INFINITY,
    forceBytes: Number.POSITIVE_INFINITY,
  }
  const store = await openStore({ ...(await storeOptions(t)), limits })
  const row = 'x'.repeat(7 * 1024 * 1024)
  const adding = (id: number) =>
    store.mutate((tx) => {
      tx.requireSpace()
      addNote(tx, id, row)
    })
  const fits = Math.ceil((100 * 1024 * 1024) / row.length)

  for (let id = 1; id <= fits; id += 1) await adding(id)
  await assert.rejects(adding(fits + 1), { code: 'too_large', reason: 'limit_exceeded' })
  const commit = store.mutate((tx) => commitText(tx, '# More\n'))
  await assert.rejects(commit, { code: 'too_large', reason: 'limit_exceeded' })
  await store.mutate((tx) => addNote(tx, fits + 1, 'adds no content'))

  assert.deepEqual(await store.read(rowFaults), [])
  await store.close()
})

/** Counts flushes, and how often a wait for the disk began when no other was pending. */
function countingDisk() {
  const count = { flushes: 0, waits: 0 }
  let waiting = 0
  const wait = async <T>(act: () => T | Promise<T>): Promise<T> => {
    count.flushes += 1
    if (waiting === 0) count.waits += 1
    waiting += 1
    try {
      await new Promise((resolve) => setTimeout(resolve, 2)) // a disk on which the flush decides
      return await act()
    } finally {
      waiting -= 1
    }
  }
  const inPlace = (act: () => void): void => {
    count.flushes += 1
    count.waits += 1
    act()
  }
  const disk: typeof realDisk = {
    ...realDisk,
    create: (path, content, mode) => wait(() => realDisk.create(path, content, mode)),
    createSync: (path, content, mode) => inPlace(() => realDisk.createSync(path, content, mode)),
    flush: (file) => wait(() => realDisk.flush(file)),
    flushSync: (file) => inPlace(() => realDisk.flushSync(file)),
    syncDirectory: (path) => wait(() => realDisk.syncDirectory(path)),
    syncDirectorySync: (path) => inPlace(() => realDisk.syncDirectorySync(path)),
  }
  return { disk, count }
}

test('sixty-four that wait share their flushes, a stored text waits once for the disk, a document three times', async (t) => {
  const { disk, count } = countingDisk()
  const store = await openStore({ ...(await storeOptions(t)), disk })
  const counted = async (act: () => Promise<unknown>): Promise<typeof count> => {
    const before = { ...count }
    await act()
    return { flushes: count.flushes - before.flushes, waits: count.waits - before.waits }
  }

  const one = await counted(() => store.mutate((tx) => addNote(tx, 1, 'x')))
  const ids = Array.from({ length: 64 }, (_, index) => index + 2)
  const group = await counted(() => Promise.all(ids.map((id) => store.mutate((tx) => addNote(tx, id, 'x')))))
  const drafts = [1, 2, 3].map(
    (id) => () => store.mutate((tx) => addDraft(tx, id, `draft ${id}`.padEnd(9_000, '.'))),
  )
  const text = await counted(() => drafts[0]?.() ?? Promise.reject(new Error('unreachable')))
  const texts = await counted(() => Promise.all(drafts.slice(1).map((add) => add())))
  const document = await counted(() => store.mutate((tx) => commitText(tx, '# New\n')))
  const long = await counted(() => store.mutate((tx) => commitText(tx, longText('# Long\n'))))

  assert.deepEqual(one, { flushes: 1, waits: 1 })
  assert.ok(group.flushes <= 6, `64 took ${group.flushes} flushes: less than ten times as fast as one`)
  assert.deepEqual(text, { flushes: 1, waits: 1 })
  assert.ok(texts.flushes <= 2, `two concurrent texts took ${texts.flushes} flushes`)
  assert.deepEqual(document, { flushes: 3, waits: 3 })
  assert.equal(long.flushes, 5)
  assert.ok(long.waits <= 4, `${long.waits} waits`)
  await store.close()
})

test('a change too large for one record is refused and leaves nothing', async (t) => {
  const store = await openStore(await storeOptions(t))

  const huge = store.mutate((tx) => addNote(tx, 1, 'x'.repeat(8 * 1024 * 1024)))
  await assert.rejects(huge, { code: 'too_large', reason: 'limit_exceeded' })
  await store.mutate((tx) => addNote(tx, 1, 'small'))

  assert.deepEqual(await store.read(rowFaults), [])
  await store.close()
})

test('a checkpoint while the room works loses nothing and leaves one journal', async (t) => {
  const limits = {
    ...JOURNAL_LIMITS,
    preallocateBytes: 8_192,
    idleBytes: 8_192,
    idleMs: 1,
    forceBytes: 16_384,
  }
  const room = { ...(await storeOptions(t)), limits }
  const store = await openStore(room)
  for (let id = 0; id < 300; id += 1) await store.mutate((tx) => addNote(tx, id, 'x'.repeat(200)))
  await store.close()

  assert.equal(readdirSync(room.sidecar).filter((name) => name.startsWith('journal-')).length, 1)
  const again = await openStore(room)
  assert.equal(again.found, 'clean')
  assert.deepEqual(await again.read((rows) => rows.one('noteCount')), { n: 300 })
  assert.deepEqual(await again.read(rowFaults), [])
  await again.close()
})
