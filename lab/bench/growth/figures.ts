import { join } from 'node:path'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { measureServer, type ServerTimes } from '../search/search-server.ts'
import { measureProcess, type PeerCosts, type ProcessCost } from './measured-process.ts'
import { bytesOnDisk, changeRepository, grownModules, REFS, writeSummaries } from './project.ts'

/** Goals for 20,000 modules at three refs; a search of few has less. */
const GOALS = { build: 3, update: 2000, cold: 500, first: 700, warm: 50, rss: 300, kb: 10 }
const FEW = 1000
const COLD_OF_FEW = 250
const ROUNDS = 3
/** More modules take peers minutes to write. */
const MOST_OF_PEERS = 5000
const QUERY = 'private network with subnets'

interface Growth {
  readonly modules: number
  readonly output_dir?: string | undefined
}

/** All figures for one number of modules. Leaves nothing behind. */
export async function measureGrowth(options: LabContext, growth: Growth): Promise<readonly Figure[]> {
  return await withScratchFolder('satchel-bench', async (dir) =>
    figuresOf(growth.modules, await costsOf(dir, options, growth)),
  )
}

interface Costs {
  readonly bare: ProcessCost
  readonly build: ProcessCost
  readonly update: ProcessCost
  readonly search: ProcessCost
  readonly list: ProcessCost
  readonly served: ServerTimes
  readonly peers: PeerCosts
  readonly bytes: { readonly index: number; readonly vectors: number }
}

async function costsOf(dir: string, options: LabContext, growth: Growth): Promise<Costs> {
  options.note(`${growth.modules} modules at ${REFS} refs`)
  const grown = await grownModules(growth.output_dir)
  await writeSummaries(dir, grown, growth.modules)
  // The programs keep the working directory, where their loaders are found.
  const env = { ...options.env, SERVICE_CONFIG: join(dir, 'satchel.yaml') }
  const run = (...args: readonly string[]): Promise<ProcessCost> => {
    options.signal.throwIfAborted()
    options.note(args.slice(0, 2).join(' '))
    return measureProcess([...options.program, ...args], env)
  }
  const bare = await least(() => measureProcess([process.execPath, '-e', '0'], env))
  const build = await run('modules', 'rebuild', '--json')
  const bytes = await bytesOnDisk(dir)
  await run('ingest', '--json')
  await changeRepository(dir, grown)
  const update = await run('ingest', '--json')
  const search = await least(() => run('search', QUERY, '--json'))
  const list = await least(() => run('modules', 'list', QUERY, '--json'))
  const served = await measureServer(options.program, env, options.signal)
  options.note('plain ways to search')
  const { measurePeers } = await import('./peers.lazy.ts')
  const peers = await measurePeers(dir, grown, {
    modules: Math.min(growth.modules, MOST_OF_PEERS),
    query: QUERY,
  })
  if (peers.sqliteVec === undefined)
    options.note('sqlite-vec is left out: it needs Node 22.13 and `npm ci --prefix test/peers`')
  return { bare, build, update, search, list, served, peers, bytes }
}

function figuresOf(
  modules: number,
  { bare, build, update, search, list, served, peers, bytes }: Costs,
): readonly Figure[] {
  const versions = modules * REFS
  const cold = modules <= FEW ? COLD_OF_FEW : GOALS.cold
  const beyond = ({ cpuMs }: ProcessCost): number => Math.max(0, cpuMs - bare.cpuMs)
  const rows: readonly (readonly [string, string, string, number, number])[] = [
    ['build', 'CPU of building everything, per module version', 'ms', beyond(build) / versions, GOALS.build],
    ['update', 'CPU of an ingest after one repository changed', 'ms', beyond(update), GOALS.update],
    ['search', 'CPU of `satchel search` beyond a bare node', 'ms', beyond(search), cold],
    ['list', 'CPU of `satchel modules list` beyond a bare node', 'ms', beyond(list), cold],
    ['first', 'first answer of a server', 'ms', served.first, GOALS.first],
    ['p50', 'median of the later searches of a server', 'ms', served.median, GOALS.warm],
    ['p95', 'p95 of the later searches of a server', 'ms', served.search, GOALS.warm],
    ['rss', 'memory of the server after them', 'MiB', served.residentMib ?? 0, GOALS.rss],
    ['index', 'index on disk per module version', 'kB', bytes.index / versions / 1000, GOALS.kb],
    ['vectors', 'vectors on disk per module version', 'kB', bytes.vectors / versions / 1000, GOALS.kb],
  ]
  const measured = rows.map(([name, what, unit, ours, limit]) =>
    limitFigure({ name: `growth.${modules}.${name}`, what, unit, ours, limit }),
  )
  const beside = (name: string, against: number, against_what: string, goal: number): Figure =>
    figureOf({
      name: `growth.${modules}.${name}`,
      what: 'CPU of `satchel search` beyond a bare node, with both lists',
      unit: 'ms',
      ours: beyond(search),
      against,
      against_what: `${against_what}, ${Math.min(modules, MOST_OF_PEERS)} modules`,
      goal,
    })
  return [
    ...measured,
    beside('minisearch', peers.miniSearch, 'MiniSearch from its JSON, one search', 2),
    beside('vectra', peers.vectra, 'vectra as shipped, one query', 2),
    ...(peers.sqliteVec === undefined
      ? []
      : [beside('sqlite-vec', peers.sqliteVec, 'sqlite-vec from its file, one query', 50)]),
    beside('scan', peers.scan, 'reading vectors and a scan of them', 50),
  ]
}

async function least(measure: () => Promise<ProcessCost>): Promise<ProcessCost> {
  const costs: ProcessCost[] = []
  for (let round = 0; round < ROUNDS; round++) costs.push(await measure())
  return costs.reduce((best, cost) => (cost.cpuMs < best.cpuMs ? cost : best))
}
