import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { LocalIndex } from 'vectra/lib/LocalIndex.js'
import { DENSE_DIMS } from '../../../plugins/modules/search/dense-features.ts'
import { keywordDocument } from '../../../plugins/modules/search/keyword-document.ts'
import { cpuMs } from '../timing.ts'
import type { GrownModules } from './grown-modules.ts'
import type { PeerCosts } from './measured-process.ts'
import { measureSqliteVec } from './sqlite-vec-peer.ts'

const FIELDS = ['name', 'description', 'readme', 'variables', 'outputs', 'resources']

/** Writes each peer's files below `dir`, then measures what a new process would do with them. */
export async function measurePeers(
  dir: string,
  grown: GrownModules,
  { modules, query }: { readonly modules: number; readonly query: string },
): Promise<PeerCosts> {
  const vectors = randomVectors(modules)
  const folder = join(dir, 'peers')
  await mkdir(folder, { recursive: true })
  await writeMiniSearch(join(folder, 'minisearch.json'), grown, modules)
  await writeVectra(join(folder, 'vectra'), vectors, modules)
  await writeFile(join(folder, 'vectors'), new Uint8Array(vectors.buffer))
  const wanted = vectors.slice(0, DENSE_DIMS)
  const sqliteVec = await measureSqliteVec(join(folder, 'sqlite-vec.db'), vectors)
  return {
    miniSearch: await cpuMs(async () => {
      const text = await readFile(join(folder, 'minisearch.json'), 'utf8')
      return MiniSearch.loadJSON(text, { fields: FIELDS }).search(query)
    }),
    vectra: await cpuMs(() => new LocalIndex(join(folder, 'vectra')).queryItems([...wanted], '', 10)),
    scan: await cpuMs(async () => {
      const { buffer, byteOffset, length } = await readFile(join(folder, 'vectors'))
      return bestRow(new Float32Array(buffer, byteOffset, length / 4), wanted)
    }),
    ...(sqliteVec !== undefined && { sqliteVec }),
  }
}

async function writeMiniSearch(file: string, grown: GrownModules, modules: number): Promise<void> {
  const engine = new MiniSearch({ fields: FIELDS })
  for (let n = 0; n < modules; n++) engine.add(keywordDocument(String(n), grown.summary(n, 0)))
  await writeFile(file, JSON.stringify(engine))
}

async function writeVectra(folder: string, vectors: Float32Array, modules: number): Promise<void> {
  const index = new LocalIndex(folder)
  await index.createIndex()
  await index.beginUpdate()
  for (let n = 0; n < modules; n++) {
    const vector = [...vectors.subarray(n * DENSE_DIMS, (n + 1) * DENSE_DIMS)]
    await index.insertItem({ id: String(n), vector, metadata: { module: n } })
  }
  await index.endUpdate()
}

function randomVectors(count: number): Float32Array {
  let state = 1
  return Float32Array.from({ length: count * DENSE_DIMS }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state / 2 ** 32 - 0.5) / Math.sqrt(DENSE_DIMS / 12)
  })
}

function bestRow(vectors: Float32Array, query: Float32Array): number {
  let best = -1
  let most = Number.NEGATIVE_INFINITY
  for (let row = 0; row * DENSE_DIMS < vectors.length; row++) {
    let a = 0
    let b = 0
    let c = 0
    let d = 0
    for (let at = 0; at < DENSE_DIMS; at += 4) {
      const from = row * DENSE_DIMS + at
      a += (vectors[from] ?? 0) * (query[at] ?? 0)
      b += (vectors[from + 1] ?? 0) * (query[at + 1] ?? 0)
      c += (vectors[from + 2] ?? 0) * (query[at + 2] ?? 0)
      d += (vectors[from + 3] ?? 0) * (query[at + 3] ?? 0)
    }
    if (a + b + c + d <= most) continue
    most = a + b + c + d
    best = row
  }
  return best
}
