import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { filesBelow } from '../../../test/harness/files-below.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { layoutOf } from './layout.ts'
import { storedProjectId } from './project-identity.ts'
import { createIndex } from './record-index.ts'
import { loadSessions } from './sessions.ts'
import { openStore } from './store.ts'

const FIXTURE = join(import.meta.dirname, '../testing/testdata/formats/0.1.0/store')
const PARENT = '01a2042a-ab07-729b-b845-786403c8e0d8'
const DRAFT = '01a2042a-bc9a-7947-a603-105d90f85969'
const HIDDEN = ['cache', 'locks', 'gitignore']

/** A copy of the store that release 0.1.0 wrote; it was killed while it held the lock of the draft. */
function storeOf010(t: TestContext) {
  const root = temporaryFolderSync(t)
  const folder = join(root, '.handoffs')
  for (const name of readdirSync(FIXTURE)) {
    const target = HIDDEN.includes(name) ? `.${name}` : name
    cpSync(join(FIXTURE, name), join(folder, target), { recursive: true })
  }
  const lock = join(folder, '.locks', `${DRAFT}.1`)
  writeFileSync(lock, readFileSync(lock, 'utf8').replace('former-host', hostname()))
  const layout = layoutOf(root, folder)
  return { folder, layout, store: openStore({ disk: realDisk, layout, now: Date.now }) }
}

test('a store of release 0.1.0 is read whole: records, index, project and sessions', async (t) => {
  const { folder, layout, store } = storeOf010(t)
  const before = filesBelow(join(folder, 'records'))

  const { rows, problems } = await createIndex(realDisk, layout, Date.now).view()

  assert.deepEqual(await store.ids(), [PARENT, DRAFT])
  assert.deepEqual(
    rows.map(({ id, status, title }) => [id, status, title]),
    [
      [PARENT, 'ready', 'Validate the callback'],
      [DRAFT, 'draft', 'Añadir la prueba ✓'],
    ],
  )
  assert.deepEqual(problems, [])
  assert.equal(await storedProjectId(realDisk, layout), 'p-faf8b74c-0449-47d5-a743-71f88efffc48')
  assert.equal((await loadSessions(realDisk, layout)).length, 1)
  assert.deepEqual(filesBelow(join(folder, 'records')), before)
})

test('a store of release 0.1.0 is written to: also where a released lock and one of a dead process are', async (t) => {
  const { folder, store } = storeOf010(t)

  for (const id of [PARENT, DRAFT]) {
    await store.update(id, undefined, (current) => current.document?.text.replace('Begun', 'Done'))
  }

  assert.match(readFileSync(join(folder, 'records', `${DRAFT}.json`), 'utf8'), /"current_state": "Done"/)
  const locks = readdirSync(join(folder, '.locks')).filter((name) => !/^key-|^\.gitignore$/.test(name))
  assert.deepEqual(locks.sort(), [`${PARENT}.4`, `${DRAFT}.2`])
})

test('a lock that a running process of release 0.1.0 holds is respected', async (t) => {
  const { folder, store } = storeOf010(t)
  const ready = readFileSync(join(folder, 'records', `${DRAFT}.json`), 'utf8')
  // That release knew no nonce, no boot and no namespace.
  writeFileSync(join(folder, '.locks', `${DRAFT}.7`), JSON.stringify({ pid: process.ppid, host: hostname() }))

  await assert.rejects(
    store.update(DRAFT, undefined, (current) => current.document?.text.replace('Begun', 'Done')),
    { code: 'conflict', reason: 'locked' },
  )

  assert.equal(readFileSync(join(folder, 'records', `${DRAFT}.json`), 'utf8'), ready)
})

test('a record of a newer schema version is read, garbage is listed as a problem; their bytes stay', async (t) => {
  const { folder, layout, store } = storeOf010(t)
  const parent = join(folder, 'records', `${PARENT}.json`)
  writeFileSync(
    parent,
    readFileSync(parent, 'utf8').replace('"schema_version": "0.1"', '"schema_version": "9.0"'),
  )
  writeFileSync(join(folder, 'records', `${DRAFT}.json`), Buffer.from([0, 0xff, 0xfe]))
  const before = filesBelow(join(folder, 'records'))

  const { rows, problems } = await createIndex(realDisk, layout, Date.now).view()
  await store.read(PARENT)

  assert.deepEqual(
    rows.map(({ id }) => id),
    [PARENT],
  )
  assert.deepEqual(
    problems.map(({ reason }) => reason),
    ['not_utf8'],
  )
  assert.deepEqual(filesBelow(join(folder, 'records')), before)
})

test('an index of a newer version and garbage in derived files are read past', async (t) => {
  const { folder, layout } = storeOf010(t)
  const index = join(folder, '.cache/index.json')
  const newer = readFileSync(index, 'utf8').replace('"version":1', '"version":2')
  for (const content of [newer, '\0garbage', '']) {
    writeFileSync(index, content)
    mkdirSync(join(folder, '.local'), { recursive: true })
    writeFileSync(join(folder, '.local/sessions.json'), content)

    const { rows, problems } = await createIndex(realDisk, layout, Date.now).view()

    assert.deepEqual([rows.length, problems.length], [2, 0])
    assert.deepEqual(await loadSessions(realDisk, layout), [])
  }
})
