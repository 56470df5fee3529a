import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { test } from 'node:test'
import type { Disk, SatchelError } from '../../../server/plugin.ts'
import { realDisk } from '../../../server/plugin.ts'
import { addNote, commitText } from '../testing/model.ts'
import { storeOptions } from '../testing/store-options.ts'
import { openStore } from './room-store.ts'

test('a commit replaces the file and an edit from outside becomes the next version', async (t) => {
  const room = await storeOptions(t)
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
  const room = await storeOptions(t)
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

test('a file that cannot be replaced keeps the version stored, says so, and is written by a later look', async (t) => {
  let refusing = true
  const plain = await storeOptions(t)
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
  assert.equal(await store.read((rows) => rows.document.substrate), 'unwritten')
  refusing = false
  assert.equal((await store.look()).substrate, 'ok')

  assert.equal(readFileSync(room.file, 'utf8'), '# Stored\n')
  const sources = await store.read((rows) => rows.all('versions').map((row) => row['source']))
  assert.deepEqual(sources, ['bootstrap', 'commit'])
  assert.equal((await store.mutate((tx) => commitText(tx, '# Next\n'))).version, 3)
  await store.close()
})

test('every way to save a file becomes one version; our own writing and a touch become none', async (t) => {
  const room = await storeOptions(t)
  const store = await openStore(room)
  const version = async (): Promise<number> => (await store.look()).version

  writeFileSync(room.file, 'written in place')
  assert.equal(await version(), 2)
  writeFileSync(`${room.file}~`, 'renamed over')
  renameSync(`${room.file}~`, room.file)
  assert.equal(await version(), 3)
  unlinkSync(room.file)
  assert.deepEqual(await store.look().then(({ substrate }) => substrate), 'missing')
  writeFileSync(room.file, 'deleted and made again')
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
  const room = await storeOptions(t)
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
    const room = await storeOptions(t)
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

test('a file that could not be read is a document again as soon as its mode allows it', async (t) => {
  const plain = await storeOptions(t)
  // Root may read everything; to everyone else the mode says what they may.
  const allowed =
    <T>(read: (path: string) => T) =>
    (path: string): T => {
      if (path === plain.file && (statSync(path).mode & 0o400) === 0)
        throw Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'open' })
      return read(path)
    }
  const disk: Disk = {
    ...realDisk,
    readFileSync: allowed(realDisk.readFileSync),
    openToReadSync: allowed(realDisk.openToReadSync),
  }
  const anHourAgo = new Date(Date.now() - 3_600_000)
  utimesSync(plain.file, anHourAgo, anHourAgo)
  const store = await openStore({ ...plain, disk })
  const seen = async (mode: number) => {
    chmodSync(plain.file, mode)
    return (await store.look()).substrate
  }

  const states = [await seen(0o000), await seen(0o600), await seen(0o000), await seen(0o644)]

  assert.deepEqual(states, ['invalid', 'ok', 'invalid', 'ok'])
  await store.close()
})

test('a commit keeps the mode of the file', async (t) => {
  const room = await storeOptions(t)
  writeFileSync(`${room.file}~`, '# Private\n', { mode: 0o640 })
  renameSync(`${room.file}~`, room.file)
  const store = await openStore(room)

  await store.mutate((tx) => commitText(tx, '# Ours\n'))

  assert.equal(statSync(room.file).mode & 0o777, 0o640)
  await store.close()
})
