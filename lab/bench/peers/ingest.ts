import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LabContext } from '../../context.ts'
import { type Figure, figureOf } from '../figure.ts'
import { bestOf } from '../rounds.ts'
import { type Compared, compare, type Metric } from './comparison.ts'
import type { PackageCache } from './package-cache.ts'
import { costOf, outputOf, type RunCost } from './program-output.ts'

const ROUNDS = 3
const TAGS = 20
const GOAL = 0.2
const AGAIN_GOAL = 0.08
const PACKAGES = ['@cdktf/hcl2json@0.21.0']

const what = `ingest of the newest ${TAGS} tags of a real repository`
const METRICS: Readonly<Record<keyof RunCost, Metric>> = {
  wall: { what, unit: 'ms', sense: 'at_most', goal: GOAL },
  cpu: { what: `${what}, processor time`, unit: 'ms', sense: 'at_most', goal: GOAL },
}

/** The usual way: clone, check out each tag, parse the root module, write what it says. */
const CHECKOUT = `import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from '@cdktf/hcl2json'
const [url, folder, count] = process.argv.slice(2)
const git = (args, cwd) => execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
git(['clone', '--quiet', url, folder])
for (const tag of git(['tag', '--sort=-version:refname'], folder).split('\\n').slice(0, Number(count))) {
  git(['checkout', '--quiet', '--detach', tag], folder)
  const module = {}
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.tf')))
    module[name] = await parse(name, readFileSync(folder + '/' + name, 'utf8'))
  writeFileSync(folder + '.' + tag + '.json', JSON.stringify(module))
}
`

interface Remote {
  readonly remote: string
}

/** An ingest of a real repository against clone, checkout and hcl2json, and a second one of ours with nothing changed. */
export async function compareIngest(
  cache: PackageCache,
  folder: string,
  { remote, ...context }: LabContext & Remote,
): Promise<Compared> {
  const { program, env, signal, note } = context
  const run = { cwd: folder, signal, env }
  try {
    await outputOf(['git', 'ls-remote', '--quiet', '--heads', remote], run)
  } catch (thrown) {
    const reason = `${remote} cannot be read: ${String(thrown).split('\n')[0]}`
    return { figures: [], missing: [{ peer: 'checkout-hcl2json', reason }] }
  }
  const settings = {
    repositories: [{ url: remote, include_tags: true, max_tags: TAGS }],
    output_dir: join(folder, 'out'),
    clone_dir: join(folder, 'clones'),
  }
  const config = join(folder, 'ingest.yaml')
  await writeFile(config, JSON.stringify(settings))
  const ingest = () => costOf([...program, 'ingest', config, '--json', '--quiet'], run)
  const first: RunCost[] = []
  const again: RunCost[] = []
  const compared = await compare({
    name: 'peers.ingest',
    rounds: ROUNDS,
    metrics: METRICS,
    ours: {
      async measure() {
        await rm(settings.output_dir, { recursive: true, force: true })
        await rm(settings.clone_dir, { recursive: true, force: true })
        first.push(await ingest())
        again.push(await ingest())
        return first.at(-1) ?? { wall: Number.NaN, cpu: Number.NaN }
      },
    },
    peers: [
      {
        name: 'checkout-hcl2json',
        async open() {
          const script = await cache.script(PACKAGES, 'checkout.mjs', CHECKOUT)
          const clone = join(folder, 'peer')
          return {
            async measure() {
              await rm(clone, { recursive: true, force: true })
              return await costOf([process.execPath, script, remote, clone, String(TAGS)], run)
            },
          }
        },
      },
    ],
    signal,
    note,
  })
  return { ...compared, figures: [...compared.figures, againFigure(first, again)] }
}

function againFigure(first: readonly RunCost[], again: readonly RunCost[]): Figure {
  const wallOf = (runs: readonly RunCost[]) => runs.slice(1).map(({ wall }) => wall) // the first round is a warm-up
  return figureOf({
    ...bestOf({ ours: wallOf(again), against: wallOf(first) }, 'at_most'),
    name: 'peers.ingest.again',
    what: 'a second ingest with nothing changed',
    unit: 'ms',
    against_what: 'the first',
    goal: AGAIN_GOAL,
  })
}
