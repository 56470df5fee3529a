import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SatchelError } from '../../../server/plugin.ts'
import { realClock, realRandom } from './clock.ts'
import { realDisk } from './disk.ts'
import { openStore, type StoreOptions } from './room-store.ts'
import type { Sql } from './sql.ts'
import { addNote, commitText, modelContent, rowFaults } from './torture/model.ts'

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
