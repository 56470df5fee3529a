import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { HEADER, item } from '../../../plugins/modules/testing/store-items.ts'
import { realDisk } from '../../../server/plugin.ts'
import { startChroma } from '../../../test/chroma-server.ts'
import { bundled } from '../../../test/fixtures/bundled.ts'
import { freePort } from '../../../test/free-port.ts'
import { temporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { lacksPackage } from '../../../test/optional-package.ts'
import { embeddingOptions } from '../config.ts'
import { moduleId } from '../output/module-index.ts'
import { composeSet, openSegmentSet, saveSegmentSet } from '../segments/segment-set.ts'
import { openStore } from './open-store.ts'
import { packText, unpackText } from './packed-text.ts'
import { unpackStore } from './packed-vectors.ts'
import { similarity } from './similarity.ts'
import type { StoreHeader } from './store-header.ts'
import { vectorSegment } from './vector-segments.ts'
import type { VectorFilter, VectorStore } from './vector-store.ts'

const WRITER = await bundled(join(import.meta.dirname, '../testing/store-writer.ts'))
/** How often a writer is killed; a long run sets it to 200. */
const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 12)

function openIn(folder: string, more: object = {}): Promise<VectorStore> {
  return openStore(embeddingOptions.parse({ vectordb_path: folder, ...more }), folder)
}

const LATER = '2026-02-02T00:00:00.000Z'

const put = (store: VectorStore, ids: readonly number[], header = HEADER) =>
  store.apply(header, { upsert: ids.map((n) => item(n)), touch: [], remove: [] })

/** The records that pass, nearest first; equally near ones by id. */
async function hitsOf(store: VectorStore, vector: Float32Array, filter: VectorFilter = {}) {
  const { cosines, record } = await store.query(vector, filter, 10)
  return [...cosines]
    .flatMap((cosine, at) => (Number.isNaN(cosine) ? [] : [{ ...record(at), cosine }]))
    .sort((a, b) => Math.round((b.cosine - a.cosine) * 1e5) || (a.id < b.id ? -1 : 1))
}

test('what was stored is found by its vector, filtered, touched, replaced and removed', async (t) => {
  const store = await openIn(await temporaryFolder(t))
  assert.equal(await store.header(), undefined)
  assert.equal((await store.query(item(1).vector, {}, 10)).cosines.length, 0)

  await put(store, [1, 2, 3])
  await put(store, [1])

  const hits = await hitsOf(store, item(2).vector)
  assert.equal(await store.count(), 3)
  assert.equal(hits[0]?.id, item(2).id)
  assert.ok(Math.abs((hits[0]?.cosine ?? 0) - 1) < 1e-5)
  assert.deepEqual(
    (await store.list({ providers: ['google'] })).map(({ id }) => id),
    [item(2).id],
  )
  assert.equal((await store.digests()).get(item(1).id), item(1).metadata.document_sha256)

  await store.apply(HEADER, {
    upsert: [],
    touch: [{ id: item(1).id, last_updated: LATER, latest: false }],
    remove: [item(3).id],
  })
  assert.equal(await store.count(), 2)
  assert.deepEqual(
    (await store.list({ latestOnly: true })).map(({ id }) => id),
    [item(2).id],
  )
})

test('a store tells the content that its records are of only where nothing else wrote it meanwhile', async (t) => {
  const store = await openIn(await temporaryFolder(t))
  const write = (content?: { from: string | undefined; to: string }) =>
    store.apply(HEADER, { upsert: [item(1)], touch: [], remove: [], ...(content && { content }) })
  const after: (string | undefined)[] = []
  for (const content of [
    { from: undefined, to: 'a' },
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' }, // of a run that looked at the store before the last one wrote it
    { from: undefined, to: 'd' },
    undefined, // of a run with another output directory
  ]) {
    await write(content)
    after.push(await store.content())
  }
  assert.deepEqual(after, ['a', 'b', undefined, 'd', undefined])
  assert.deepEqual(
    [...(await store.digests([item(2).id, item(1).id]))],
    [[item(1).id, item(1).metadata.document_sha256]],
  )
})

test('equal documents and equal vectors are kept once; a version that is not the latest is found when it is asked for', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await openIn(folder)
  const versions = (count: number) =>
    Array.from({ length: count }, (_, n) => {
      const { repository } = item(1).metadata
      const metadata = { ...item(1).metadata, ref: `v${n}`, latest: n === 0 }
      const document = packText('x y z '.repeat(2000))
      return { ...item(1), id: moduleId(repository, `v${n}`, '.'), metadata, document }
    })
  const bytes = async (): Promise<number> => {
    const names = await readdir(join(folder, 'infra_modules'))
    const facts = await Promise.all(names.map((name) => stat(join(folder, 'infra_modules', name))))
    return facts.reduce((sum, { size }) => sum + size, 0)
  }

  await store.apply(HEADER, { upsert: versions(1), touch: [], remove: [] })
  const one = await bytes()
  await store.apply(HEADER, { upsert: versions(50), touch: [], remove: [] })

  assert.ok((await bytes()) < one + 50 * 800, `${await bytes()} bytes`)
  assert.equal((await hitsOf(store, item(1).vector, { latestOnly: true })).length, 1)
  assert.equal((await hitsOf(store, item(1).vector, { ref: 'v7' })).length, 1)
  assert.equal((await hitsOf(store, item(1).vector)).length, 50)
})

test('a store of version 0.1.0 is read as it is, and the first update takes its records over', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'infra_modules/index.json')
  await mkdir(join(folder, 'infra_modules'))
  const items = [1, 2].map((n) => {
    const { id, document, metadata, vector } = item(n)
    return { id, metadata: { ...metadata, document: unpackText(document) }, vector: [...vector], norm: 1 }
  })
  await writeFile(file, JSON.stringify({ version: 1, metadata_config: {}, satchel: HEADER, items }))
  const store = await openIn(folder)

  assert.deepEqual(await store.header(), { ...HEADER, format: 2 })
  assert.equal((await hitsOf(store, item(2).vector))[0]?.id, item(2).id)
  assert.deepEqual(await readdir(join(folder, 'infra_modules')), ['index.json'])
  await put(store, [3])

  assert.equal(await (await openIn(folder)).count(), 3)
  assert.ok(!(await readdir(join(folder, 'infra_modules'))).includes('index.json'))
  assert.equal((await hitsOf(store, item(1).vector))[0]?.document, unpackText(item(1).document))
})

test('vectors that an earlier version wrote one after the other are read beside those by column', async (t) => {
  const folder = await temporaryFolder(t)
  const dims = 16
  const header = { ...HEADER, dims }
  const wide = (n: number) => ({
    ...item(n),
    vector: Float32Array.from({ length: dims }, (_, at) => Math.sin(n * at + n)),
  })
  const items = [1, 2, 3, 4, 5, 6].map(wide)
  const { added, states } = vectorSegment(items, { layout: 'rows', dims })
  const earlier = composeSet([], added, { meta: { header }, ...states })
  await saveSegmentSet(join(folder, 'infra_modules'), earlier, added, realDisk)
  const store = await openIn(folder)
  assert.deepEqual(await store.header(), header)

  await store.apply(header, { upsert: [wide(7)], touch: [], remove: [] })

  const few = Float32Array.from({ length: dims }, (_, at) => (at === 5 ? 1 : 0))
  for (const query of [few, wide(3).vector]) {
    const hits = await hitsOf(await openIn(folder), query)
    const right = [...items, wide(7)].map(({ id, vector }) => ({
      id,
      cosine: Math.fround(similarity(vector, 0, query)),
    }))
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)
    assert.deepEqual(hits.map(({ id, cosine }) => ({ id, cosine })).sort(byId), right.sort(byId))
  }
  const set = openSegmentSet(join(folder, 'infra_modules'), realDisk) ?? assert.fail('there is no store')
  assert.deepEqual(
    set.segments.map(({ file }) => file.lengthOf('columns') > 0),
    [false, true],
  )
})

test('another strategy, model, size or lexicon is refused, and the file stays as it was', async (t) => {
  const folder = await temporaryFolder(t)
  const store = await openIn(folder)
  await put(store, [1])
  const file = join(folder, 'infra_modules/current')
  const before = await readFile(file)

  for (const change of [
    { strategy: 'hosted-a' },
    { model: 'x' },
    { dims: 3 },
    { lexicon_version: '9' },
    { tokenizer_version: 9 },
  ]) {
    await assert.rejects(
      put(store, [2], { ...HEADER, ...change } as StoreHeader),
      (error: Error & { reason: string }) => {
        assert.equal(error.reason, 'embedding_mismatch')
        assert.doesNotMatch(error.message, /\b(delete|rm|force)\b/i)
        return true
      },
    )
  }
  assert.deepEqual(await readFile(file), before)
})

test('a damaged store is named and left alone, wherever the damage is', async (t) => {
  const folder = await temporaryFolder(t)
  await put(await openIn(folder), [1, 2])
  const inside = join(folder, 'infra_modules')
  for (const name of await readdir(inside)) {
    const whole = await readFile(join(inside, name))
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 12)) {
      const broken = Buffer.from(whole)
      broken[at] = (broken[at] ?? 0) ^ 0x20
      for (const content of [broken, whole.subarray(0, at)]) {
        await writeFile(join(inside, name), content)
        const found = await hitsOf(await openIn(folder), item(1).vector).catch((thrown: unknown) => thrown)
        if (Array.isArray(found))
          assert.deepEqual(
            found.map(({ id }) => id),
            [item(1).id, item(2).id],
          )
        else
          assert.equal((found as { reason?: string }).reason, 'store_damaged', `${name} at ${at}: ${found}`)
        assert.deepEqual(await readFile(join(inside, name)), content)
      }
    }
    await writeFile(join(inside, name), whole)
  }
  assert.throws(() => unpackStore('{"__proto__": {"satchel": 1}}', 'x'), { reason: 'store_damaged' })
})

test('a damaged store of version 0.1.0 is named and left alone', async (t) => {
  const folder = await temporaryFolder(t)
  const file = join(folder, 'infra_modules/index.json')
  await mkdir(join(folder, 'infra_modules'))
  const { id, document, metadata, vector } = item(1)
  const one = { id, metadata: { ...metadata, document: unpackText(document) }, vector: [...vector], norm: 1 }
  const whole = { version: 1, metadata_config: {}, satchel: HEADER, items: [one] }
  const damages: Record<string, string> = {
    empty: '',
    truncated: JSON.stringify(whole).slice(0, -40),
    headerless: JSON.stringify({ ...whole, satchel: undefined }),
    'another size': JSON.stringify({ ...whole, items: [{ ...one, vector: [1, 2] }] }),
    'no numbers': JSON.stringify({ ...whole, items: [{ ...one, vector: ['a', null, {}, []] }] }),
    'no metadata': JSON.stringify({ ...whole, items: [{ ...one, metadata: 7 }] }),
    'a list': '[]',
  }
  for (const [name, text] of Object.entries(damages)) {
    await writeFile(file, text)
    const store = await openIn(folder)
    await assert.rejects(store.count(), { code: 'conflict', reason: 'store_damaged' }, name)
    await assert.rejects(put(store, [3]), { reason: 'store_damaged' }, name)
    assert.equal(await readFile(file, 'utf8'), text)
  }
})

test('a folder in the place of a file of a store is damage', async (t) => {
  const folder = await temporaryFolder(t)
  const inside = join(folder, 'infra_modules')
  await put(await openIn(folder), [1])
  for (const name of [...(await readdir(inside)), 'index.json']) {
    await rm(join(inside, name), { force: true })
    await mkdir(join(inside, name))
    if (name === 'index.json') await rm(join(inside, 'current'), { recursive: true })
    await assert.rejects(hitsOf(await openIn(folder), item(1).vector), { reason: 'store_damaged' }, name)
  }
})

test('a collection name that is a path is refused', async (t) => {
  const folder = await temporaryFolder(t)
  for (const name of ['../x', 'a/b', '.', 'x'.repeat(600), '', 'a..b']) {
    await assert.rejects(
      openIn(folder, { collection_name: name }),
      { code: 'invalid', reason: 'options_invalid' },
      name,
    )
  }
})

test('two writers with twenty updates each lose nothing', async (t) => {
  const folder = await temporaryFolder(t)
  const writers = [0, 1].map((n) => writer(t, folder, n * 20, 20))

  const exits = await Promise.all(writers.map((child) => once(child, 'exit')))
  assert.deepEqual(exits, [
    [0, null],
    [0, null],
  ])

  assert.equal(await (await openIn(folder)).count(), 40)
})

test(`a writer killed ${KILLS} times leaves the old or the new file, and the next one goes on`, async (t) => {
  const folder = await temporaryFolder(t)
  await put(await openIn(folder), [9999])
  let least = 1
  for (let round = 0; round < KILLS; round++) {
    const child = writer(t, folder, round * 50, 50)
    const ended = once(child, 'exit') // it may be done before it is killed
    await Promise.race([once(child, 'message'), ended.then(() => assert.fail('it ended without a word'))])
    await pause(5 + ((round * 37) % 60))
    child.kill('SIGKILL')
    await ended

    const count = await (await openIn(folder)).count()
    assert.ok(count >= least, `${count} after ${least}`)
    least = count
  }
  await put(await openIn(folder), [7777])
})

function writer(t: TestContext, folder: string, from: number, count: number): ChildProcess {
  const child = fork(WRITER, [folder, String(from), String(count)], { execArgv: [] })
  t.after(() => child.kill('SIGKILL'))
  return child
}

test('a real ChromaDB server stores, replaces, filters, removes, survives a kill and refuses another make', async (t) => {
  const folder = await temporaryFolder(t)
  const port = await freePort()
  const first = await startChroma(t, join(folder, 'chroma'), port)
  if (!first) return
  const open = () => openIn(folder, { vectordb_host: '127.0.0.1', vectordb_port: port })
  const store = await open()
  assert.equal(await store.header(), undefined)
  assert.equal(await store.count(), 0)

  await put(store, [1, 2, 3, 4])
  await put(store, [1, 2, 3, 4])
  assert.equal(await store.count(), 4)
  assert.deepEqual(await store.header(), HEADER)

  const embedded = await openIn(folder)
  await put(embedded, [1, 2, 3, 4])
  const order = async (from: VectorStore) => (await hitsOf(from, item(2).vector)).map(({ id }) => id)
  assert.deepEqual(await order(store), await order(embedded))
  assert.deepEqual(
    (await store.list({ providers: ['google'], latestOnly: true })).map(({ id }) => id).sort(),
    [item(2).id, item(4).id].sort(),
  )
  const filter = { repositories: [item(3).metadata.repository] }
  assert.equal((await hitsOf(store, item(1).vector, filter)).length, 1)

  await store.apply(HEADER, {
    upsert: [],
    touch: [{ id: item(1).id, last_updated: LATER, latest: false }],
    remove: [item(4).id],
  })
  const [touched] = await store.list({ repositories: [item(1).metadata.repository] })
  assert.equal(touched?.metadata.last_updated, LATER)
  assert.equal(touched?.document, unpackText(item(1).document))

  await assert.rejects(put(store, [5], { ...HEADER, strategy: 'hosted-b' }), { reason: 'embedding_mismatch' })
  await Promise.all([put(await open(), [10, 11]), put(await open(), [12, 13])])
  assert.equal(await store.count(), 7)

  first.kill('SIGKILL')
  await once(first, 'exit')
  await assert.rejects(store.count(), { code: 'unavailable', reason: 'vector_store_unreachable' })
  if (!(await startChroma(t, join(folder, 'chroma'), port))) return
  assert.equal(await (await open()).count(), 7)
})

test('a server that is not there is named with host and port', async (t) => {
  if (await lacksPackage(t, 'chromadb')) return
  const port = await freePort()
  const store = await openIn(await temporaryFolder(t), { vectordb_host: '127.0.0.1', vectordb_port: port })

  await assert.rejects(store.header(), {
    reason: 'vector_store_unreachable',
    details: { host: '127.0.0.1', port },
  })
})

test('a lock left by a dead process does not stop the next writer', async (t) => {
  const folder = await temporaryFolder(t)
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'infra_modules.lock'),
    JSON.stringify({ pid: 2 ** 22, host: 'x', nonce: 'y' }).replace(
      '"x"',
      JSON.stringify((await import('node:os')).hostname()),
    ),
  )

  const store = await openIn(folder)
  await put(store, [1])

  assert.equal(await store.count(), 1)
})
