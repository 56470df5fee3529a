import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { createDatabase } from '../../../server/storage/database.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { startPgvector } from '../../../test/pgvector-server.ts'
import { startPostgres } from '../../../test/postgres-server.ts'
import { embeddingOptions } from '../config.ts'
import { catalogueRows } from '../shared/catalogue-rows.ts'
import { MIGRATIONS } from '../shared/migrations.ts'
import { HEADER, item } from '../testing/store-items.ts'
import { databaseVectors, type VectorPlace } from './database-vectors.ts'
import { openStore } from './open-store.ts'
import type { VectorFilter, VectorItem, VectorStore } from './vector-store.ts'

const SILENT = { debug() {}, info() {}, warn() {}, error() {} }
const LATER = '2026-02-02T00:00:00.000Z'
const SEED = Number(process.env['SEED'] ?? 20_261_126)
const RUNS = Number(process.env['RUNS'] ?? 40)
const DIMS = 24

/** A migrated database with a catalogue. */
async function placeIn(t: TestContext, { url }: { readonly url: string }): Promise<VectorPlace> {
  const schema = () => [{ owner: 'modules', migrations: MIGRATIONS }]
  const database = createDatabase({ url, log: SILENT, now: () => new Date(), schema })
  t.after(() => database.close())
  await database.migrate()
  await catalogueRows(database, 'team').createCatalogue()
  return { database, catalogue: 'team' }
}

async function embeddedIn(t: TestContext, place?: VectorPlace, memory_vectors = 100_000) {
  const folder = await temporaryFolder(t)
  const options = embeddingOptions.parse({ vectordb_path: folder, memory_vectors })
  const store = await openStore(options, folder, { place })
  t.after(() => store.close())
  return store
}

const put = (store: VectorStore, items: readonly VectorItem[], header = HEADER) =>
  store.apply(header, { upsert: items, touch: [], remove: [] })

/** The nearest that pass, as `[id, cosine]`; equally near ones by id. */
async function nearest(store: VectorStore, vector: Float32Array, filter: VectorFilter, count: number) {
  const { cosines, record } = await store.query(vector, filter, count)
  return [...cosines]
    .flatMap((cosine, at) => (Number.isNaN(cosine) ? [] : [[record(at).id, cosine] as const]))
    .sort(([a, near], [b, far]) => far - near || (a < b ? -1 : 1))
    .slice(0, count)
}

test('pgvector stores what the files store: found, filtered, touched, replaced, removed, and of one make', async (t) => {
  const server = await startPgvector(t)
  if (!server) return
  const store = databaseVectors(await placeIn(t, server), 'infra_modules')
  assert.equal(await store.header(), undefined)
  assert.equal(await store.prepare(), true)

  await put(store, [1, 2, 3].map(item))
  await put(store, [item(1)])
  const [first] = await nearest(store, item(2).vector, {}, 1)
  const google = await store.list({ providers: ['google'], latestOnly: true })
  await store.apply(HEADER, {
    upsert: [],
    touch: [{ id: item(1).id, last_updated: LATER, latest: false }],
    remove: [item(3).id],
  })
  const [touched] = await store.list({ repositories: [item(1).metadata.repository] })

  assert.deepEqual(await store.header(), HEADER)
  assert.equal(first?.[0], item(2).id)
  assert.deepEqual(
    google.map(({ id }) => id),
    [item(2).id],
  )
  assert.deepEqual([touched?.metadata.last_updated, touched?.metadata.latest], [LATER, false])
  assert.equal(touched?.document, 'Description: module number 1')
  assert.equal((await store.digests()).get(item(1).id), item(1).metadata.document_sha256)
  assert.equal(await store.count(), 2)
  await assert.rejects(put(store, [item(4)], { ...HEADER, dims: 3 }), { reason: 'embedding_mismatch' })
  await assert.rejects(put(store, [item(4)], { ...HEADER, lexicon_version: '2' }), {
    reason: 'embedding_mismatch',
  })
  await store.replace({ ...HEADER, lexicon_version: '2' }, [item(5)])
  assert.deepEqual([...(await store.digests()).keys()], [item(5).id])
})

test(`pgvector and the files give the same nearest with the same similarity, in ${RUNS} random stores`, async (t) => {
  const server = await startPgvector(t)
  if (!server) return
  const place = await placeIn(t, server)
  const number = fc.integer({ min: -1000, max: 1000 })
  const vector = fc.array(number, { minLength: DIMS, maxLength: DIMS })
  const row = fc.record({ vector, ref: fc.constantFrom('v1', 'v2'), latest: fc.boolean() })
  const known = fc.array(row, { maxLength: 80, size: 'max' })
  const filter = fc.record(
    {
      providers: fc.constant(['google']),
      ref: fc.constantFrom('v1', 'v3'),
      kinds: fc.constantFrom(['root'], ['example']),
      latestOnly: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  t.diagnostic(`seed ${SEED}`)
  let stores = 0

  await fc.assert(
    fc.asyncProperty(
      known,
      vector,
      filter,
      fc.integer({ min: 1, max: 8 }),
      async (rows, asked, which, count) => {
        const items = rows.map(({ vector, ref, latest }, n): VectorItem => {
          const { metadata, ...rest } = item(n)
          return { ...rest, vector: unit(vector), metadata: { ...metadata, ref, latest } }
        })
        const header = { ...HEADER, dims: DIMS }
        const served = databaseVectors(place, `collection-${stores++}`)
        const files = await embeddedIn(t)
        await put(served, items, header)
        await put(files, items, header)

        const [there, here] = [
          await nearest(served, unit(asked), which, count),
          await nearest(files, unit(asked), which, count),
        ]

        assert.deepEqual(there, here)
      },
    ),
    { seed: SEED, numRuns: RUNS },
  )
})

function unit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

test('vectors beyond the bound move to the database, and every machine then finds them there', async (t) => {
  const server = await startPgvector(t)
  if (!server) return
  const place = await placeIn(t, server)
  const rows = databaseVectors(place, 'infra_modules')
  const writer = await embeddedIn(t, place, 3)
  const other = await embeddedIn(t, place, 3)

  await put(writer, [1, 2, 3].map(item))
  const before = [await rows.header(), await other.count()]
  await put(writer, [item(4)])
  const moved = await rows.count()
  await put(writer, [item(5)])
  const late = await embeddedIn(t, place, 3)

  assert.deepEqual(before, [undefined, 0])
  assert.deepEqual([moved, await rows.count(), await late.count()], [4, 5, 5])
  assert.equal((await nearest(late, item(5).vector, {}, 1))[0]?.[0], item(5).id)
  await late.replace({ ...HEADER, lexicon_version: '2' }, [item(6)])
  assert.deepEqual([...(await writer.digests()).keys()], [item(6).id])
})

test('without the extension, or the right to make its table, vectors stay in the files of a machine', async (t) => {
  const server = await startPostgres(t)
  if (!server) return
  const place = await placeIn(t, server)
  const store = await embeddedIn(t, place, 1)

  await put(store, [1, 2, 3].map(item))
  const found = await nearest(store, item(2).vector, {}, 1)
  await server.kill()
  const away = await nearest(store, item(3).vector, {}, 1)

  assert.equal(await (await embeddedIn(t)).count(), 0)
  assert.deepEqual([found[0]?.[0], away[0]?.[0]], [item(2).id, item(3).id])
  assert.equal(await store.count(), 3)
})
