import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { highest } from '../../../plugins/modules/search/best-first.ts'
import { DENSE_DIMS } from '../../../plugins/modules/search/dense-features.ts'
import { embeddedStore } from '../../../plugins/modules/search/embedded-store.ts'
import { packText } from '../../../plugins/modules/search/packed-text.ts'
import { type StoredVectors, storedVectors } from '../../../plugins/modules/search/stored-vectors.ts'
import { TOKENIZER_VERSION } from '../../../plugins/modules/search/tokens.ts'
import type { StoredRecord } from '../../../plugins/modules/search/vector-record.ts'
import { vectorSegment } from '../../../plugins/modules/search/vector-segments.ts'
import { composeSet } from '../../../plugins/modules/segments/segment-set.ts'
import { configOf, writeManyRecords } from '../../../plugins/modules/testing/many-records.ts'
import { OWN_SUMMARIES } from '../../../plugins/modules/testing/own-corpus.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { cpuMs, leastOf, processMs } from '../timing.ts'
import { measureServer } from './search-server.ts'

const SCANNED = 10_000
const STORED = 1000
const SERVED_MODULES = 1000
const SERVED_REFS = 10
const BEST = 10
const ROUNDS = 5
const COLD_BUDGET_MS = 400
const HYBRID_BUDGET_MS = 50
const DEAF_BUDGET_MS = 200

/** All figures of the search, each the best of some interleaved rounds. Leaves nothing behind. */
export async function measureSearch(options: LabContext): Promise<readonly Figure[]> {
  return await withScratchFolder('satchel-bench', async (dir) => {
    options.note(`scan of ${SCANNED} vectors`)
    const scanned = await measureScan()
    options.note(`${STORED} records`)
    await writeProject(dir, options)
    const small = [scanned, await measureCold(dir, options), await measureLoad(dir)]
    options.note(`${SERVED_MODULES * SERVED_REFS} records in a server`)
    return [...small, ...(await measureServed(join(dir, 'served'), options))]
  })
}

/** Query CPU of the vector stage, filter and records included, against a bare loop that keeps the best rows. */
async function measureScan(): Promise<Figure> {
  const { stored, vectors } = manyVectors(SCANNED)
  const query = vectors.slice(0, DENSE_DIMS)
  const best = await leastOf(ROUNDS * 4, {
    ours: () => cpuMs(() => nearestRecords(stored, query)),
    against: () => cpuMs(() => bareScan(vectors, query)),
  })
  return figureOf({
    name: 'search.scan',
    what: 'CPU of a query of 10,000 x 384',
    unit: 'ms',
    ...best,
    against_what: 'a bare loop',
    goal: 1.5,
  })
}

/** The ten records that are nearest to a query, best first. */
export function nearestRecords(stored: StoredVectors, query: Float32Array): readonly StoredRecord[] {
  const { passing, cosines, record } = stored.nearest(query, {})
  return highest(passing?.matches ?? [], new Float64Array(cosines), BEST).map(record)
}

/** So many vectors of random numbers, equal in every run, alone and as the embedded store has them. */
export function manyVectors(count: number): {
  readonly stored: StoredVectors
  readonly vectors: Float32Array
} {
  const vectors = new Float32Array(count * DENSE_DIMS)
  let state = 1
  for (let at = 0; at < vectors.length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    vectors[at] = state / 2 ** 32 - 0.5
  }
  const include = { description: true, readme: true, variables: true, outputs: true, resource_types: true }
  const made = { strategy: 'vectordb-default', model: '', dims: DENSE_DIMS, lexicon_version: '' }
  const header = { format: 1, ...made, include, tokenizer_version: TOKENIZER_VERSION }
  const metadata = {
    repository: '',
    ref: '',
    path: '.',
    provider: '',
    providers: '',
    tags: '',
    last_updated: '2026-01-01T00:00:00.000Z',
    kind: 'root',
    latest: true,
    document_sha256: '0'.repeat(64),
  }
  const items = Array.from({ length: count }, (_, at) => ({
    id: at.toString(16).padStart(64, '0'),
    document: packText(''),
    metadata,
    vector: vectors.subarray(at * DENSE_DIMS, (at + 1) * DENSE_DIMS),
  }))
  const { added, states } = vectorSegment(items, { layout: 'rows', dims: DENSE_DIMS })
  const stored = storedVectors(composeSet([], added, { meta: { header }, ...states }), 'memory')
  if (!stored) throw new Error('The vectors to be measured have no header.')
  return { stored, vectors }
}

/** What a scan costs at least: one dot product per row in four sums, which do not wait for one another; the best rows kept. */
function bareScan(vectors: Float32Array, query: Float32Array): { row: number; score: number }[] {
  const best: { row: number; score: number }[] = []
  for (let row = 0; row * DENSE_DIMS < vectors.length; row++) {
    const score = dotProduct(vectors, row * DENSE_DIMS, query)
    const least = best.at(-1)
    if (best.length === BEST && least && score <= least.score) continue
    if (best.length === BEST) best.pop()
    best.push({ row, score })
    best.sort((a, b) => b.score - a.score)
  }
  return best
}

function dotProduct(vectors: Float32Array, start: number, query: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0]
  for (let at = 0, from = start; at < DENSE_DIMS; at += 4, from += 4) {
    a += (vectors[from] ?? 0) * (query[at] ?? 0)
    b += (vectors[from + 1] ?? 0) * (query[at + 1] ?? 0)
    c += (vectors[from + 2] ?? 0) * (query[at + 2] ?? 0)
    d += (vectors[from + 3] ?? 0) * (query[at + 3] ?? 0)
  }
  return a + b + c + d
}

/** Summaries of 1,000 modules with index, keyword index and vectors, made by the program's own rebuild. */
async function writeProject(dir: string, options: LabContext): Promise<void> {
  await mkdir(join(dir, 'out'))
  for (let n = 0; n < STORED; n++) {
    const sample = OWN_SUMMARIES[n % OWN_SUMMARIES.length]
    const repository = `https://example.test/acme-${n}/terraform-sample-${n}`
    await writeFile(join(dir, 'out', `sample-${n}.json`), JSON.stringify({ ...sample, repository }))
  }
  await writeFile(join(dir, 'satchel.yaml'), JSON.stringify(configOf(dir)))
  await processMs([...options.program, 'modules', 'rebuild', '--json'], { env: envOf(dir, options) })
}

/** The programs keep the working directory, where their loaders are found; the configuration comes by its variable. */
function envOf(dir: string, { env }: LabContext): NodeJS.ProcessEnv {
  return { ...env, SERVICE_CONFIG: join(dir, 'satchel.yaml') }
}

async function measureCold(dir: string, options: LabContext): Promise<Figure> {
  const env = envOf(dir, options)
  const search = [...options.program, 'search', 'private network with subnets', '--json']
  const { cold, bare } = await leastOf(ROUNDS, {
    cold: () => {
      options.signal.throwIfAborted()
      return processMs(search, { env })
    },
    bare: () => processMs([process.execPath, '-e', '0'], { env }),
  })
  return limitFigure({
    name: 'search.cold',
    what: '`satchel search` of 1,000 records as a new process, beyond a bare node',
    unit: 'ms',
    ours: cold - bare,
    limit: COLD_BUDGET_MS,
  })
}

/** CPU of a first query, which loads the vectors, against reading the files they are in. */
async function measureLoad(dir: string): Promise<Figure> {
  const folder = join(dir, 'vectors', 'infra_modules')
  const query = new Float32Array(DENSE_DIMS).fill(1 / Math.sqrt(DENSE_DIMS))
  const open = () => embeddedStore(folder, (_folder, work) => work())
  const names = await readdir(folder)
  const best = await leastOf(ROUNDS * 6, {
    ours: () => cpuMs(() => open().query(query, { latestOnly: true }, BEST)),
    against: () => cpuMs(() => Promise.all(names.map((name) => readFile(join(folder, name))))),
  })
  return figureOf({
    name: 'search.load',
    what: 'CPU of the first query of 1,000 vectors',
    unit: 'ms',
    ...best,
    against_what: 'reading their files',
    goal: 10,
  })
}

/** A server with 10,000 records of 1,000 modules: its searches, and how long it is deaf while it loads them. */
async function measureServed(dir: string, options: LabContext): Promise<Figure[]> {
  await writeManyRecords(dir, SERVED_MODULES, SERVED_REFS)
  const times = await measureServer(options.program, envOf(dir, options), options.signal)
  return [
    limitFigure({
      name: 'search.hybrid',
      what: 'p95 of a search of 10,000 records of 1,000 modules in a server, beyond a ping',
      unit: 'ms',
      ours: Math.max(0, times.search - times.ping),
      limit: HYBRID_BUDGET_MS,
    }),
    limitFigure({
      name: 'search.deaf',
      what: 'longest ping while a server loads 10,000 records, beyond an idle one',
      unit: 'ms',
      ours: Math.max(0, times.whileLoading - times.whileIdle),
      limit: DEAF_BUDGET_MS,
    }),
  ]
}
