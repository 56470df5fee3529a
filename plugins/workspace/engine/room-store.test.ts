import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { SatchelError } from '../../../server/plugin.ts'
import { sha256Of } from './bodies.ts'
import { realClock, realRandom } from './clock.ts'
import { realDisk } from './disk.ts'
import { JOURNAL_LIMITS } from './generations.ts'
import { openStore, type StoreOptions } from './room-store.ts'
import type { Sql } from './sql.ts'
import { interleave } from './torture/interleaving.ts'
import {
  addDraft,
  addNote,
  commitText,
  lostTexts,
  modelContent,
  pruneTexts,
  rowFaults,
} from './torture/model.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
let engine: Promise<Sql> | undefined

function sql(): Promise<Sql> {
  const wasm = join(dirname(createRequire(import.meta.url).resolve('sql.js')), 'sql-wasm.wasm')
  engine ??= import('./sql.lazy.ts').then(({ loadSql }) => loadSql(readFileSync(wasm)))
  return engine
}

async function options(t: TestContext, text = '# Plan\n'): Promise<StoreOptions> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'satchel-store-')))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  const sidecar = join(directory, '.plan.md.satchel')
  mkdirSync(sidecar, { mode: 0o700 })
  writeFileSync(join(directory, 'plan.md'), text)
  return {
    sidecar,
    file: join(directory, 'plan.md'),
    content: modelContent,
    sql: await sql(),
    disk: realDisk,
    clock: realClock,
    random: realRandom,
    log: silent,
    owner: 1,
    holdsLock: () => true,
  }
}

test('the first open makes version 1 of the file as it is, byte for byte', async (t) => {
  const room = await options(t, '\uFEFF# Plan\r\nno newline at the end')

  const store = await openStore(room)

  assert.equal(store.found, 'fresh')
  const seen = await store.read((rows) => ({ text: rows.documentText(), ...rows.document }))
  assert.equal(seen.text, '\uFEFF# Plan\r\nno newline at the end')
  assert.equal(seen.version, 1)
  assert.equal(seen.substrate, 'ok')
  await store.close()
})

test('what was acknowledged is there after a death and after a clean stop', async (t) => {
  const room = await options(t)
  const dying = await openStore(room)
  await Promise.all(
    Array.from({ length: 100 }, (_, id) => dying.mutate((tx) => addNote(tx, id, `note ${id}`))),
  )

  const second = await openStore(room)
  const afterDeath = await second.read((rows) => ({ count: rows.one('noteCount'), faults: rowFaults(rows) }))
  await second.close()
  const third = await openStore(room)
  const afterStop = await third.read((rows) => rows.one('noteCount'))
  await third.close()

  assert.equal(second.found, 'unclean')
  assert.deepEqual(afterDeath, { count: { n: 100 }, faults: [] })
  assert.equal(third.found, 'clean')
  assert.deepEqual(afterStop, { n: 100 })
})

test('a refused mutation leaves nothing behind and its event id is used by the next', async (t) => {
  const store = await openStore(await options(t))

  const refusal = store.mutate((tx) => {
    addNote(tx, 1, 'never')
    throw new SatchelError('conflict', 'stale_version', 'no')
  })
  await assert.rejects(refusal, { code: 'conflict', reason: 'stale_version' })
  const eventId = await store.mutate((tx) => addNote(tx, 1, 'kept'))

  assert.equal(eventId, 2)
  assert.deepEqual(await store.read(rowFaults), [])
  await store.close()
})

test('a commit replaces the file and an edit from outside becomes the next version', async (t) => {
  const room = await options(t)
  const store = await openStore(room)

  await store.mutate((tx) => commitText(tx, '# Ours\n'))
  assert.equal(readFileSync(room.file, 'utf8'), '# Ours\n')
  writeFileSync(room.file, '# Theirs\n')
  const { version } = await store.look()

  assert.equal(version, 3)
  const versions = await store.read((rows) => rows.all('versions').map((row) => row['source']))
  assert.deepEqual(versions, ['bootstrap', 'commit', 'external'])
  assert.equal(await store.read((rows) => rows.documentText()), '# Theirs\n')
  await store.close()
})

test('an edit that lands while a commit is written is kept on top of it, never overwritten', async (t) => {
  const room = await options(t)
  let edit = (): void => {}
  const store = await openStore({
    ...room,
    disk: {
      ...realDisk,
      flush: async (file) => {
        await realDisk.flush(file)
        edit()
      },
      flushSync: (file) => {
        realDisk.flushSync(file)
        edit()
      },
    },
  })
  edit = () => {
    edit = () => {}
    writeFileSync(`${room.file}.new`, '# Theirs, meanwhile\n')
    renameSync(`${room.file}.new`, room.file)
  }

  const { version } = await store.mutate((tx) => commitText(tx, '# Ours\n'))

  assert.equal(version, 2)
  assert.equal(readFileSync(room.file, 'utf8'), '# Theirs, meanwhile\n')
  const bodies = await store.read((rows) => rows.all('versions').map((row) => rows.body(String(row['hash']))))
  assert.deepEqual(bodies, ['# Plan\n', '# Ours\n', '# Theirs, meanwhile\n'])
  await store.close()
})

test('order of answers and of published events is the order of the event ids', async (t) => {
  const store = await openStore(await options(t))
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
    write: (file, bytes, position) => {
      due('write')
      realDisk.write(file, bytes, position)
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

/** More than a record carries. */
function longText(start: string): string {
  return start.padEnd(JOURNAL_LIMITS.textBytes + 1, '.')
}

function filedTexts(room: StoreOptions): readonly string[] {
  return readdirSync(join(room.sidecar, 'versions')).sort()
}

test('a text stands in the journal at first, survives a death there, and a clean stop makes it a file', async (t) => {
  const room = await options(t)
  const dying = await openStore(room)
  await dying.mutate((tx) => commitText(tx, '# Ours\n'))
  const { hash } = await dying.mutate((tx) => addDraft(tx, 1, 'a draft'))
  const whileHeld = { files: filedTexts(room), lost: await dying.read(lostTexts) }

  const heir = await openStore({ ...room, owner: 2 })
  const inherited = await heir.read((rows) => [rows.documentText(), rows.body(hash), ...lostTexts(rows)])
  const second = await heir.mutate((tx) => addDraft(tx, 2, 'another draft'))
  await heir.close()
  const last = await openStore({ ...room, owner: 3 })

  assert.deepEqual(whileHeld, { files: [], lost: [] })
  assert.deepEqual(inherited, ['# Ours\n', 'a draft'])
  assert.deepEqual(
    filedTexts(room),
    ['# Plan\n', '# Ours\n', 'a draft', 'another draft'].map(sha256Of).sort(),
  )
  assert.equal(await last.read((rows) => rows.body(second.hash)), 'another draft')
  assert.deepEqual(await last.read(lostTexts), [])
  await last.close()
})

test('a text that was given up has no file after the next checkpoint, one that came again has', async (t) => {
  const room = await options(t)
  const store = await openStore(room)
  const texts = ['short', longText('long')]
  for (const [index, text] of texts.entries()) await store.mutate((tx) => addDraft(tx, index + 1, text))
  await store.close()
  const again = await openStore(room)

  // No version and no draft but the newest keeps its text.
  await again.mutate((tx) => {
    addDraft(tx, 3, 'newest')
    pruneTexts(tx, 1)
  })
  const readAfterDrop = await again.read((rows) => texts.map((text) => rows.body(sha256Of(text))))
  for (const [index, text] of texts.entries()) await again.mutate((tx) => addDraft(tx, index + 4, text))
  const dying = await openStore({ ...room, owner: 2 })
  const afterDeath = await dying.read(lostTexts)
  await dying.mutate((tx) => pruneTexts(tx, 1))
  await dying.close()

  assert.deepEqual(readAfterDrop, [undefined, undefined])
  assert.deepEqual(afterDeath, [])
  assert.deepEqual(filedTexts(room), ['# Plan\n', longText('long')].map(sha256Of).sort())
})

test('a checkpoint that finds no space for its texts leaves them in the journal, and the room works', async (t) => {
  let isFull = false
  const create: typeof realDisk.create = async (path, content, mode) => {
    if (isFull && content === 'held')
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
    await realDisk.create(path, content, mode)
  }
  const room = {
    ...(await options(t)),
    disk: { ...realDisk, create },
    limits: { ...JOURNAL_LIMITS, idleMs: 0, idleTexts: 3 },
  }
  const store = await openStore(room)
  isFull = true

  for (const id of [1, 2, 3, 4, 5, 6])
    await store.mutate((tx) => addDraft(tx, id, id === 1 ? 'held' : `draft ${id}`))
  await store.close()
  const files = filedTexts(room)
  const again = await openStore({ ...room, owner: 2 }).catch((thrown: unknown) => thrown)
  isFull = false
  const last = await openStore({ ...room, owner: 3 })

  assert.ok(!files.includes(sha256Of('held')))
  assert.ok(again instanceof Error)
  assert.deepEqual(await last.read(lostTexts), [])
  assert.equal((await last.read((rows) => rows.all('drafts'))).length, 6)
  await last.close()
})

test('a room of an older format is one of the present format before anything is appended to it', async (t) => {
  const room = await options(t)
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

test('a damaged newest text that the file still holds is written anew', async (t) => {
  const room = await options(t)
  const store = await openStore(room)
  await store.close()
  const [name = ''] = filedTexts(room)
  writeFileSync(join(room.sidecar, 'versions', name), '# Pl?n\n')

  const again = await openStore(room)
  const text = await again.read((rows) => rows.body(rows.document.hash))
  await again.close()

  assert.equal(text, '# Plan\n')
  assert.equal(readFileSync(join(room.sidecar, 'versions', name), 'utf8'), '# Plan\n')
})

test('half a character is the same text in the journal, in its file and in every hash', async (t) => {
  const room = await options(t)
  const store = await openStore(room)

  const { hash } = await store.mutate((tx) => addDraft(tx, 1, 'half \ud83d'))
  const held = await store.read((rows) => rows.body(hash))
  await store.close()
  const again = await openStore(room)
  const filed = await again.read((rows) => rows.body(hash))
  await again.close()

  assert.deepEqual([held, filed], ['half \ufffd', 'half \ufffd'])
  assert.equal(hash, sha256Of('half \ufffd'))
})

test('a full disk refuses without a trace, and the room works again when there is space', async (t) => {
  const failing: Parameters<typeof moody>[0] = {}
  const room = { ...(await options(t)), disk: moody(failing) }
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

test('a long commit that a full disk refused half way leaves no text of it behind', async (t) => {
  let isFull = false
  const createSync: typeof realDisk.createSync = (path, content, mode) => {
    // The text, too long for a record, has its place already; the file's own replacement gets half way.
    const fits = !isFull || mode === 0o600
    realDisk.createSync(path, fits ? content : Buffer.from(content).subarray(0, 5), mode)
    if (!fits) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
  }
  const create: typeof realDisk.create = async (...file) => createSync(...file)
  const disk = { ...realDisk, create, createSync }
  const room = { ...(await options(t)), disk }
  const store = await openStore(room)
  const before = readdirSync(join(room.sidecar, 'versions'))

  isFull = true
  const commit = store.mutate((tx) => commitText(tx, longText('# Refused\n')))
  await assert.rejects(commit, { code: 'unavailable', reason: 'store_unavailable' })
  assert.deepEqual(readdirSync(join(room.sidecar, 'versions')), before)
  assert.ok(!readdirSync(room.sidecar).some((name) => name.startsWith('.tmp')))
  isFull = false
  await store.mutate((tx) => commitText(tx, '# Taken\n'))

  assert.equal(readFileSync(room.file, 'utf8'), '# Taken\n')
  await store.close()
})

test('a failed flush stops the room for good; what was acknowledged is there for the next', async (t) => {
  const failing: Parameters<typeof moody>[0] = {}
  const room = { ...(await options(t)), disk: moody(failing) }
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

test('a file that cannot be replaced keeps the version stored, says so, and is written by a later look', async (t) => {
  let refusing = true
  const plain = await options(t)
  const rename = async (from: string, to: string): Promise<void> => {
    if (refusing && to === plain.file)
      throw Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'rename' })
    await realDisk.rename(from, to)
  }
  const room = { ...plain, disk: { ...realDisk, rename } }
  const store = await openStore(room)

  const commit = store.mutate((tx) => commitText(tx, '# Stored\n'))
  await assert.rejects(commit, (thrown: SatchelError) => {
    assert.equal(thrown.reason, 'store_unavailable')
    assert.deepEqual(thrown.details, { version: 2 })
    return true
  })
  await store.mutate((tx) => addNote(tx, 1, 'other work goes on'))
  await assert.rejects(
    store.mutate((tx) => commitText(tx, '# Next\n')),
    { reason: 'store_unavailable' },
  )
  assert.equal(readFileSync(room.file, 'utf8'), '# Plan\n')
  refusing = false
  await store.look()

  assert.equal(readFileSync(room.file, 'utf8'), '# Stored\n')
  const sources = await store.read((rows) => rows.all('versions').map((row) => row['source']))
  assert.deepEqual(sources, ['bootstrap', 'commit'])
  assert.equal((await store.mutate((tx) => commitText(tx, '# Next\n'))).version, 3)
  await store.close()
})

test('a damaged acknowledged record is refused with its place, and no byte changes', async (t) => {
  const room = await options(t)
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
    const room = await options(t)
    const store = await openStore(room)
    await store.mutate((tx) => addNote(tx, 1, 'x'))
    const name = readdirSync(room.sidecar).find((found) => lost.test(found)) ?? ''
    unlinkSync(join(room.sidecar, name))

    await assert.rejects(openStore(room), { code: 'unavailable', reason: 'store_damaged' })
  }
})

test('every way to save a file becomes one version; our own writing and a touch become none', async (t) => {
  const room = await options(t)
  const store = await openStore(room)
  const version = async (): Promise<number> => (await store.look()).version

  writeFileSync(room.file, 'written in place')
  assert.equal(await version(), 2)
  writeFileSync(`${room.file}~`, 'renamed over')
  renameSync(`${room.file}~`, room.file)
  assert.equal(await version(), 3)
  unlinkSync(room.file)
  assert.deepEqual(await store.look().then(({ substrate }) => substrate), 'missing')
  writeFileSync(room.file, 'deleted and made anew')
  assert.equal(await version(), 4)
  utimesSync(room.file, new Date(0), new Date(0))
  assert.equal(await version(), 4)
  writeFileSync(room.file, 'Same size A')
  await version()
  writeFileSync(room.file, 'Same size B')
  assert.equal(await version(), 6)
  await store.mutate((tx) => commitText(tx, 'ours'))
  assert.equal(await version(), 7)
  await store.close()
})

test('a deleted file comes back with the next commit', async (t) => {
  const room = await options(t)
  const store = await openStore(room)
  unlinkSync(room.file)

  await store.mutate((tx) => commitText(tx, '# Back\n'))

  assert.equal(readFileSync(room.file, 'utf8'), '# Back\n')
  await store.close()
})

const noTexts: readonly (readonly [string, (file: string) => void])[] = [
  ['a folder', (file) => mkdirSync(file)],
  ['a symbolic link', (file) => symlinkSync('elsewhere', file)],
  ['bytes that are not UTF-8', (file) => writeFileSync(file, Buffer.from([0x23, 0xc3, 0x28]))],
  ['more than 4 MiB', (file) => writeFileSync(file, 'x'.repeat(4 * 1024 * 1024 + 1))],
]

for (const [what, put] of noTexts) {
  test(`a file replaced by ${what} makes no version and is not overwritten; other work goes on`, async (t) => {
    const room = await options(t)
    const store = await openStore(room)
    unlinkSync(room.file)
    put(room.file)

    const commit = store.mutate((tx) => commitText(tx, '# Ours\n'))
    await assert.rejects(commit, { code: 'conflict', reason: 'substrate_invalid' })
    await store.mutate((tx) => addNote(tx, 1, 'other work'))
    const seen = await store.look()

    assert.deepEqual([seen.version, seen.substrate], [1, 'invalid'])
    assert.equal(await store.read((rows) => rows.documentText()), '# Plan\n')
    rmSync(room.file, { recursive: true })
    writeFileSync(room.file, '# Repaired\n')
    assert.deepEqual(await store.look().then(({ version, substrate }) => [version, substrate]), [2, 'ok'])
    await store.close()
  })
}

test('a document of 4 MiB is taken, one byte more is refused', async (t) => {
  const store = await openStore(await options(t))
  const most = 'x'.repeat(4 * 1024 * 1024)

  const tooLong = store.mutate((tx) => commitText(tx, `${most}x`))
  await assert.rejects(tooLong, { code: 'too_large', reason: 'limit_exceeded' })
  const { bytes } = await store.mutate((tx) => commitText(tx, most))

  assert.equal(bytes, most.length)
  await store.close()
})

test('a commit keeps the mode of the file', async (t) => {
  const room = await options(t)
  writeFileSync(`${room.file}~`, '# Private\n', { mode: 0o640 })
  renameSync(`${room.file}~`, room.file)
  const store = await openStore(room)

  await store.mutate((tx) => commitText(tx, '# Ours\n'))

  assert.equal(statSync(room.file).mode & 0o777, 0o640)
  await store.close()
})

test('a room above 100 MB takes no more content, and everything else goes on', async (t) => {
  const limits = {
    ...JOURNAL_LIMITS,
    idleBytes: Number.POSITIVE_INFINITY,
    forceBytes: Number.POSITIVE_INFINITY,
  }
  const store = await openStore({ ...(await options(t)), limits })
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

/** Counts flushes, and how often somebody began to wait for the disk when nobody was waiting. */
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

test('sixty-four who wait share their flushes, a stored text waits once for the disk, a document three times', async (t) => {
  const { disk, count } = countingDisk()
  const store = await openStore({ ...(await options(t)), disk })
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
  assert.ok(texts.flushes <= 2, `two texts at once took ${texts.flushes} flushes`)
  assert.deepEqual(document, { flushes: 3, waits: 3 })
  assert.equal(long.flushes, 5)
  assert.ok(long.waits <= 4, `${long.waits} waits`)
  await store.close()
})

test('a change too large for one record is refused and leaves nothing', async (t) => {
  const store = await openStore(await options(t))

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
  const room = { ...(await options(t)), limits }
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

test('after 2,500 events the ring holds the newest 2,000 and ids go on after a restart', async (t) => {
  const room = await options(t)
  const store = await openStore(room)
  await Promise.all(Array.from({ length: 2_499 }, (_, id) => store.mutate((tx) => addNote(tx, id, 'x'))))
  const dying = await store.read((rows) => rows.all('events').map((row) => Number(row['event_id'])))
  const again = await openStore(room)

  assert.deepEqual([dying[0], dying.length, dying.at(-1)], [501, 2_000, 2_500])
  assert.equal(await again.mutate((tx) => addNote(tx, 9_999, 'x')), 2_501)
  await again.close()
})

const INTERLEAVINGS = Number(process.env['INTERLEAVINGS'] ?? 150)
const SEED = Number(process.env['SEED'] ?? 20_261_122)

test('whatever edits and commits interleave, every text of both sides is in some version', async (t) => {
  t.diagnostic(`seed ${SEED}, ${INTERLEAVINGS} interleavings`)
  const loaded = await sql()
  const step = fc.record({ by: fc.constantFrom('us', 'editor'), after: fc.nat({ max: 12 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const { missing } = await interleave(loaded, steps)
      assert.deepEqual(missing, [])
    }),
    { numRuns: INTERLEAVINGS, seed: SEED },
  )
})
