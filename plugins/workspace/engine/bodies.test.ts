import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bytesOfContent } from '../../../server/platform/disk.ts'
import { realDisk } from '../../../server/plugin.ts'
import { addDraft, commitText, lostTexts, pruneTexts } from '../testing/model.ts'
import { longText, storeOptions } from '../testing/store-options.ts'
import { sha256Of } from './bodies.ts'
import { JOURNAL_LIMITS } from './generations.ts'
import { openStore, type StoreOptions } from './room-store.ts'

function filedTexts(room: StoreOptions): readonly string[] {
  return readdirSync(join(room.sidecar, 'versions')).sort()
}

test('a text is in the journal at first, survives a crash there, and a clean stop makes it a file', async (t) => {
  const room = await storeOptions(t)
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
  const room = await storeOptions(t)
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
    ...(await storeOptions(t)),
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

test('a damaged newest text that the file still holds is written again', async (t) => {
  const room = await storeOptions(t)
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
  const room = await storeOptions(t)
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

test('a long commit that a full disk refused half way leaves no text of it behind', async (t) => {
  let isFull = false
  const createSync: typeof realDisk.createSync = (path, content, mode) => {
    // The text, too long for a record, has its place already; the file's own replacement gets half way.
    const fits = !isFull || mode === 0o600
    realDisk.createSync(path, fits ? content : bytesOfContent(content).subarray(0, 5), mode)
    if (!fits) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' })
  }
  const create: typeof realDisk.create = async (...file) => createSync(...file)
  const disk = { ...realDisk, create, createSync }
  const room = { ...(await storeOptions(t)), disk }
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
