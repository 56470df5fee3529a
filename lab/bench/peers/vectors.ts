import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DENSE_DIMS } from '../../../plugins/modules/search/dense-features.ts'
import type { LabContext } from '../../context.ts'
import { manyVectors, nearestRecords } from '../search/figures.ts'
import { cpuMs } from '../timing.ts'
import { type Compared, compare, type Metric, type Peer, type Side } from './comparison.ts'
import { NODE_22, type PackageCache } from './package-cache.ts'
import { RIVAL_HEAD, startRival } from './rival-program.ts'

const VECTORS = 10_000
const QUERIES = 30
const ROUNDS = 5
type Name = 'cpu' | 'wall'

const what = `a query for the ten nearest of ${VECTORS} vectors of ${DENSE_DIMS} numbers`
const METRICS: Readonly<Record<Name, Metric>> = {
  cpu: { what: `${what}, processor time of all threads`, unit: 'ms', sense: 'at_most' },
  wall: { what, unit: 'ms', sense: 'at_most' },
}

/** How each engine is filled, and asked; it gives the number of the nearest vector. */
const ENGINES: Readonly<
  Record<string, { readonly packages: readonly string[]; readonly text: string; readonly node?: '22' }>
> = {
  vectra: {
    packages: ['vectra@0.15.0'],
    text: `import { LocalIndex } from 'vectra'
const index = new LocalIndex(folder + '/vectra')
await index.createIndex({ version: 1, deleteIfExists: true })
await index.beginUpdate()
for (let n = 0; n < count; n++) await index.insertItem({ vector: [...vectorOf(n)], metadata: { n } })
await index.endUpdate()
const nearest = async (vector) => (await index.queryItems([...vector], '', 10))[0].item.metadata.n`,
  },
  usearch: {
    packages: ['usearch@2.26.2'],
    text: `import { Index, MetricKind } from 'usearch'
const index = new Index({ metric: MetricKind.Cos, dimensions: dims, connectivity: 16 })
for (let n = 0; n < count; n++) index.add(BigInt(n), vectorOf(n))
const nearest = async (vector) => Number(index.search(vector, 10, 0).keys[0])`,
  },
  'hnswlib-node': {
    packages: ['hnswlib-node@3.0.0'],
    text: `import hnswlib from 'hnswlib-node'
const index = new hnswlib.HierarchicalNSW('cosine', dims)
index.initIndex(count)
for (let n = 0; n < count; n++) index.addPoint([...vectorOf(n)], n)
const nearest = async (vector) => index.searchKnn([...vector], 10).neighbors[0]`,
  },
  lancedb: {
    packages: ['@lancedb/lancedb@0.31.0'],
    text: `import * as lancedb from '@lancedb/lancedb'
const database = await lancedb.connect(folder + '/lancedb')
const rows = Array.from({ length: count }, (_, n) => ({ n, vector: [...vectorOf(n)] }))
const table = await database.createTable('vectors', rows, { mode: 'overwrite' })
const nearest = async (vector) => Number((await table.search([...vector]).limit(10).toArray())[0].n)`,
  },
  'sqlite-vec': {
    packages: ['sqlite-vec@0.1.9'],
    node: '22',
    text: `import { DatabaseSync } from 'node:sqlite'
import * as sqliteVec from 'sqlite-vec'
const database = new DatabaseSync(':memory:', { allowExtension: true })
sqliteVec.load(database)
database.exec('CREATE VIRTUAL TABLE vectors USING vec0(vector float[' + dims + '] distance_metric=cosine)')
const insert = database.prepare('INSERT INTO vectors(rowid, vector) VALUES (?, ?)')
const bytesOf = (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
database.exec('BEGIN')
for (let n = 0; n < count; n++) insert.run(BigInt(n), bytesOf(vectorOf(n)))
database.exec('COMMIT')
const query = database.prepare('SELECT rowid FROM vectors WHERE vector MATCH ? AND k = 10 ORDER BY distance')
const nearest = async (vector) => Number(query.all(bytesOf(vector))[0].rowid)`,
  },
}

const BEGIN = `${RIVAL_HEAD}import { readFileSync } from 'node:fs'
const [folder, dims] = [process.argv[2], Number(process.argv[3])]
const file = readFileSync(folder + '/vectors')
const vectors = new Float32Array(file.buffer, file.byteOffset, file.length / 4)
const count = vectors.length / dims
const vectorOf = (n) => vectors.slice(n * dims, (n + 1) * dims)
`
const END = `
await serve({
  async query({ queries }) {
    const began = performance.now()
    const cpu = await cpuOf(async () => {
      for (let n = 0; n < queries; n++) {
        const found = await nearest(vectorOf(n * 7))
        if (found !== n * 7) throw new Error('Error: the nearest of ' + n * 7 + ' is ' + found)
      }
    })
    return { cpu: cpu / queries, wall: (performance.now() - began) / queries }
  },
})
`

/** A query among vectors in memory, filter and records included, against engines that are installed without scripts. */
export async function compareVectors(
  cache: PackageCache,
  folder: string,
  { signal, note }: LabContext,
): Promise<Compared> {
  const { stored, vectors } = manyVectors(VECTORS)
  await writeFile(join(folder, 'vectors'), new Uint8Array(vectors.buffer))
  const ours: Side<Name> = {
    async measure() {
      const began = performance.now()
      const cpu = await cpuMs(() => {
        for (let n = 0; n < QUERIES; n += 1) {
          const at = n * 7 * DENSE_DIMS
          const [best] = nearestRecords(stored, vectors.subarray(at, at + DENSE_DIMS))
          if (Number.parseInt(best?.id ?? '', 16) !== n * 7)
            throw new Error(`${best?.id} is nearest to ${n * 7}.`)
        }
      })
      return { cpu: cpu / QUERIES, wall: (performance.now() - began) / QUERIES }
    },
  }
  const peers = Object.keys(ENGINES).map((name) => engine(name, cache, folder))
  return await compare({ name: 'peers.vectors', rounds: ROUNDS, metrics: METRICS, ours, peers, signal, note })
}

function engine(name: string, cache: PackageCache, folder: string): Peer<Name> {
  return {
    name,
    async open() {
      const { packages, text, node } = ENGINES[name] ?? { packages: [], text: '' }
      const script = await cache.script(packages, 'query.mjs', BEGIN + text + END)
      const program = node === undefined ? process.execPath : await cache.program(NODE_22, 'node')
      const rival = await startRival([program, script, folder, String(DENSE_DIMS)], folder)
      return {
        async measure() {
          const { cpu, wall } = await rival.order<Record<Name, number>>('query', { queries: QUERIES })
          return { cpu, wall }
        },
        close: () => rival.close(),
      }
    },
  }
}
