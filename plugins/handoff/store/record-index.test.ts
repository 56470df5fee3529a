import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Disk, realDisk } from '../../../server/plugin.ts'
import { temporaryFolderSync } from '../../../test/harness/temporary-folder.ts'
import { latestRecord } from '../domain/latest.ts'
import { listRecords } from '../domain/record-list.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { layoutOf } from './layout.ts'
import { createIndex, type RecordIndex } from './record-index.ts'
import { openStore } from './store.ts'

/** A store of samples, and the files that a disk was asked to look at. */
function storeOf(t: TestContext, count: number) {
  const root = temporaryFolderSync(t)
  const layout = layoutOf(root, join(root, '.handoffs'))
  mkdirSync(layout.records, { recursive: true })
  const put = (n: number, title = `Record ${n}`) => {
    const record = sampleRecord(n, 1300)
    const temp = join(root, 'temp')
    writeFileSync(temp, JSON.stringify({ ...record, work: { ...record.work, title } }))
    renameSync(temp, join(layout.records, `${sampleId(n)}.json`))
  }
  for (let n = 0; n < count; n++) put(n)
  const looked: string[] = []
  const disk: Disk = {
    ...realDisk,
    statSync: (path) => {
      looked.push(path)
      return realDisk.statSync(path)
    },
  }
  /** As a process of its own. */
  const fresh = (now = Date.now) => createIndex(disk, layout, now)
  const store = openStore({ disk: realDisk, layout, now: Date.now })
  const segments = () => readdirSync(layout.cache).filter((name) => name.startsWith('segment-'))
  return { root, layout, put, looked, fresh, store, segments }
}

const found = async (index: RecordIndex, query: string) =>
  index.ask(async (table) => (await listRecords(table, { query, limit: 100 })).items.map(({ id }) => id))

const titleOf = (n: number, index: RecordIndex) =>
  index.ask(async (table) => {
    const record = table.find(sampleId(n))
    return record === undefined ? undefined : (await table.load([record]))[0]?.title
  })

/** So long that the folder's time tells a change after it from one before it. */
const settle = (path: string) =>
  utimesSync(path, new Date(Date.now() - 10_000), new Date(Date.now() - 10_000))

test('a change by satchel in another process is found without a look at every file', async (t) => {
  const { layout, fresh, store, looked } = storeOf(t, 3000)
  settle(layout.records)
  assert.equal(await titleOf(7, fresh()), 'Record 7')

  await store.update(sampleId(7), undefined, (current) =>
    current.document?.text.replace('Record 7', 'Changed by another process'),
  )
  looked.length = 0
  const index = fresh()
  const { answer } = await index.askWithin(60_000, (table) => table.find(sampleId(7)))
  assert.equal(await titleOf(7, index), 'Changed by another process')

  assert.notEqual(answer, undefined)
  assert.ok(looked.length > 0 && looked.length < 2100, `${looked.length} files were looked at`)
})

test('a list while a write waits for the disk looks at no other file', async (t) => {
  const { layout, fresh, looked, put } = storeOf(t, 100)
  put(3)
  settle(layout.records)
  const moment = Date.now() // however slow the machine is, no time comes to look at every file
  const index = fresh(() => moment)
  await titleOf(7, index)
  let named = () => {}
  const isNamed = new Promise<void>((resolve) => {
    named = resolve
  })
  let flush = () => {}
  const isFlushed = new Promise<void>((resolve) => {
    flush = resolve
  })
  const slow: Disk = {
    ...realDisk,
    syncDirectory: async (path) => {
      if (path !== layout.records) return
      named()
      await isFlushed
    },
  }
  const store = openStore({ disk: slow, layout, now: Date.now })

  const writing = store.update(sampleId(7), undefined, (current) =>
    current.document?.text.replace('Record 7', 'Not flushed yet'),
  )
  await isNamed
  looked.length = 0
  const title = await titleOf(7, index)
  flush()
  await writing

  assert.equal(title, 'Not flushed yet')
  assert.ok(looked.length < 10, `${looked.length} files were looked at`)
})

test('a record whose note a power cut took is found, also where it took the record of another note', async (t) => {
  const { layout, fresh, put } = storeOf(t, 50)
  settle(layout.records)
  await fresh().view()
  const before = statSync(layout.records).mtimeMs

  put(50)
  const after = statSync(layout.records).mtimeMs
  const lost = { name: `${sampleId(51)}.json`, before, after }
  appendFileSync(join(layout.cache, 'changes'), `${JSON.stringify(lost)}\n`)

  assert.equal(await titleOf(50, fresh()), 'Record 50')
})

test('a change by another program is found, among changes by satchel too', async (t) => {
  const { layout, fresh, store, put } = storeOf(t, 50)
  settle(layout.records)
  const index = fresh()
  assert.equal(await titleOf(7, index), 'Record 7')

  put(7, 'Pulled')
  await store.update(sampleId(8), undefined, (current) => current.document?.text.replace('Record 8', 'Ours'))
  put(9, 'Pulled too')
  rmSync(join(layout.records, `${sampleId(10)}.json`))

  for (const one of [index, fresh()]) {
    const titles = await Promise.all([7, 8, 9, 10].map((n) => titleOf(n, one)))
    assert.deepEqual(titles, ['Pulled', 'Ours', 'Pulled too', undefined])
    assert.equal((await one.view()).rows.length, 49)
  }
})

test('damage in any place of a segment costs that segment, never an answer', async (t) => {
  const { layout, fresh, segments, put } = storeOf(t, 200)
  put(3, 'A needle among others')
  await fresh().view()
  const [name = ''] = segments()
  const file = join(layout.cache, name)
  const whole = readFileSync(file)
  const expected = await found(fresh(), 'needle')
  assert.equal(expected.length, 1)

  for (let part = 0; part < 8; part++) {
    const at = Math.floor((whole.length * part) / 8)
    const damaged = Buffer.from(whole)
    damaged[at] = (damaged[at] ?? 0) ^ 0xff
    for (const bytes of [damaged, whole.subarray(0, at)]) {
      const [present = name] = segments()
      writeFileSync(join(layout.cache, present), bytes)
      const index = fresh()
      assert.deepEqual(await found(index, 'needle'), expected, `byte ${at} of ${bytes.length}`)
      assert.deepEqual(await found(index, '"needle among"'), expected)
      assert.equal((await index.view()).rows.length, 200)
    }
    for (const present of segments()) rmSync(join(layout.cache, present))
    writeFileSync(file, whole)
    await fresh().view()
  }
})

test('many small changes leave few segments, and what was removed stays removed', async (t) => {
  const { layout, fresh, segments, put } = storeOf(t, 100)
  let ms = Date.now()
  const index = createIndex(realDisk, layout, () => ms)
  await index.view()
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < 20; n++) put(100 + round * 20 + n, `Round ${round}`)
    rmSync(join(layout.records, `${sampleId(round)}.json`))
    ms += 6000
    await index.view()
  }

  assert.ok(readdirSync(layout.cache).includes('index.json'))
  const { rows } = await fresh().view()
  assert.equal(rows.length, 100 + 240 - 12)
  assert.equal(await titleOf(5, fresh()), undefined)
  assert.equal((await found(fresh(), 'title:round')).length, 100)
  const named = JSON.parse(readFileSync(join(layout.cache, 'index.json'), 'utf8').split('\n')[1] ?? '')
  assert.ok(named.segments.length <= 8, `${named.segments.length} segments`)
  assert.ok(segments().length <= 20)
})

test('notes of changes that are damaged, foreign or missing cost a look at every file', async (t) => {
  const { layout, fresh, put } = storeOf(t, 60)
  await fresh().view()
  const notes = join(layout.cache, 'changes')
  for (const text of [
    'garbage\n',
    '{"name":"../x","before":0,"after":1e99}\n',
    '{"name":1}\n',
    '\0'.repeat(100),
  ]) {
    appendFileSync(notes, text)
    put(3, `After ${text.length}`)

    assert.equal(await titleOf(3, fresh()), `After ${text.length}`)
  }
  rmSync(notes)
  put(4, 'Without notes')
  assert.equal(await titleOf(4, fresh()), 'Without notes')
})

test('a store whose cache cannot be written answers from memory', async (t) => {
  const { layout, put } = storeOf(t, 60)
  const refuse = () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
  const index = createIndex({ ...realDisk, create: refuse }, layout, Date.now)

  assert.equal((await found(index, 'record')).length, 60)
  put(3, 'Later')
  assert.equal(await titleOf(3, index), 'Later')
  const latest = await index.ask((table) => table.id(latestRecord(table, Date.now()) ?? 0))
  assert.equal(latest, sampleId(59))
})

test('a file that is noted and due is one record', async (t) => {
  const { fresh, store } = storeOf(t, 3)
  await fresh().view()
  await store.update(sampleId(1), undefined, (current) => current.document?.text.replace('Record 1', 'Once'))

  const { rows } = await fresh().view()

  assert.deepEqual(
    rows.map(({ title }) => title),
    ['Record 0', 'Once', 'Record 2'],
  )
})

test('a large folder is counted once after a change, and a file that came unnoticed beside ours is found', async (t) => {
  const { root, layout, fresh, store, put } = storeOf(t, 2100)
  settle(layout.records)
  let listings = 0
  const counting: Disk = {
    ...realDisk,
    list: (path) => {
      if (path === layout.records) listings += 1
      return realDisk.list(path)
    },
  }
  const listingsOf = async () => {
    listings = 0
    await createIndex(counting, layout, Date.now).ask((table) => table.records.length)
    return listings
  }
  await fresh().view()

  const untouched = await listingsOf()
  await store.update(sampleId(7), undefined, (current) => current.document?.text.replace('Record 7', 'Ours'))
  settle(root)
  await new Promise((resolve) => setTimeout(resolve, 50)) // past the tick of the folder's time
  const afterOurs = await listingsOf()
  const again = await listingsOf()
  const within = createIndex(counting, layout, Date.now)
  listings = 0
  await within.askWithin(60_000, () => undefined)
  // What another program puts there while ours is written is in no note, and the notes explain the folder's time.
  put(5000, 'Beside ours')
  const { mtimeMs } = statSync(layout.records)
  const line = { name: `${sampleId(7)}.json`, before: 0, after: mtimeMs }
  appendFileSync(join(layout.cache, 'changes'), `${JSON.stringify(line)}\n`)

  assert.deepEqual([untouched, afterOurs, again, listings], [0, 1, 0, 0])
  assert.equal(await titleOf(5000, fresh()), 'Beside ours')
})

test('a word is found in every block of words, whole and by its beginning', async (t) => {
  const { fresh, put } = storeOf(t, 5)
  const words = Array.from({ length: 700 }, (_, n) => `zw${String(n * 7).padStart(4, '0')}x`)
  for (const [n, word] of words.entries())
    if (n % 100 !== 50) put(n % 5, `${word} ${words.slice(0, 400).join(' ')}`)
  put(6, words.slice(300).join(' '))
  const index = fresh()

  for (const word of [words[300], words[350], words[699]]) {
    assert.ok((await found(index, word ?? '')).includes(sampleId(6)), word)
    assert.ok((await found(index, `${word?.slice(0, -1)}*`)).includes(sampleId(6)), word)
  }
  assert.equal((await found(index, 'zw*')).length, 6)
  assert.deepEqual(await found(index, 'zw0000'), [])
  assert.deepEqual(await found(index, 'zzzzzz*'), [])
})

test('an index of another version, or one whose marks do not fit, is made again', async (t) => {
  const { layout, fresh, put } = storeOf(t, 40)
  const file = join(layout.cache, 'index.json')
  await fresh().view()
  put(3, 'Changed')
  await fresh().view()
  const [head = '', body = ''] = readFileSync(file, 'utf8').split('\n')
  const named = JSON.parse(body)
  assert.ok(named.segments[0].replaced, body)
  const signed = (text: string) =>
    `${JSON.stringify({ version: 6, sha256: createHash('sha256').update(text).digest('hex') })}\n${text}`
  assert.equal(signed(body), `${head}\n${body}`)

  for (const text of [
    `${head.replace('"version":6', '"version":4')}\n${body}`,
    `${head.replace('"version":6', '"version":7')}\n${body}`,
    signed(body.replace(/"replaced":"[^"]*"/, '"replaced":"AA=="')),
    signed(body.replace(/"replaced":"[^"]*"/, '"replaced":7')),
    signed(body.replace(/"file":"[^"]*"/, '"file":"../x"')),
    body.slice(0, 40),
    '',
  ]) {
    writeFileSync(file, text)
    const { rows } = await fresh().view()
    assert.equal(rows.length, 40, text.slice(0, 120))
    assert.equal(rows.filter(({ title }) => title === 'Changed').length, 1, text.slice(0, 120))
  }
})

test('callers that come during a look at the folder share the next one, which sees what was written before them', async (t) => {
  const { layout, put } = storeOf(t, 20)
  let looks = 0
  let passing: Promise<void> = Promise.resolve()
  const disk: Disk = {
    ...realDisk,
    async stat(path) {
      if (path === layout.records) looks += 1
      const looked = await realDisk.stat(path)
      await passing
      return looked
    },
  }
  const index = createIndex(disk, layout, Date.now)
  await index.view()
  let go = (): void => undefined
  passing = new Promise((resolve) => {
    go = resolve
  })
  looks = 0

  const first = titleOf(7, index)
  while (looks === 0) await new Promise((resolve) => setImmediate(resolve))
  put(7, 'Written meanwhile')
  const later = Array.from({ length: 30 }, () => titleOf(7, index))
  go()

  await first
  assert.deepEqual(new Set(await Promise.all(later)), new Set(['Written meanwhile']))
  assert.equal(looks, 2)
})
