import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LabContext } from '../../context.ts'
import { writeSamples } from '../handoff/growth.ts'
import { type Compared, compare, type Metric, type Side } from './comparison.ts'
import type { PackageCache } from './package-cache.ts'
import { costOf, outputOf } from './program-output.ts'

const SIZES = [1000, 10_000] as const
const ROUNDS = 3
const PACKAGES = ['backlog.md@1.52.0']
const WORD = 'callback'

const CALLS = ['create', 'list', 'search'] as const
type Call = (typeof CALLS)[number]
type Name = Call | `${Call}.cpu`

/** Creating, listing and searching records by the command line, as each prints by default, against Backlog.md. */
export async function compareRecords(
  cache: PackageCache,
  folder: string,
  context: LabContext,
): Promise<Compared> {
  const compared: Compared[] = []
  for (const size of SIZES) compared.push(await compareAmong(size, cache, { folder, context }))
  return {
    figures: compared.flatMap(({ figures }) => figures),
    missing: compared.flatMap(({ missing }) => missing),
  }
}

interface Place {
  readonly folder: string
  readonly context: LabContext
}

async function compareAmong(
  size: number,
  cache: PackageCache,
  { folder, context }: Place,
): Promise<Compared> {
  const at = join(folder, `records-${size}`)
  const place = { folder: at, context }
  await mkdir(at, { recursive: true })
  await writeSamples(at, size, context.signal)
  return await compare({
    name: `peers.records.${size}`,
    rounds: ROUNDS,
    metrics: metricsAmong(size),
    ours: handoffs(place),
    peers: [{ name: 'backlog.md', open: () => backlog(size, cache, place) }],
    signal: context.signal,
    note: context.note,
  })
}

function metricsAmong(size: number): Readonly<Record<Name, Metric>> {
  const rows = CALLS.flatMap((call): [Name, Metric][] => [
    [call, { what: `${call} among ${size} records`, unit: 'ms', sense: 'at_most' }],
    [`${call}.cpu`, { what: `${call} among ${size} records, processor time`, unit: 'ms', sense: 'at_most' }],
  ])
  return Object.fromEntries(rows) as Record<Name, Metric> // a row for each name
}

/** The command of each call; `input` goes to its standard input. */
type Commands = Readonly<Record<Call, { readonly command: readonly string[]; readonly input?: string }>>

function calling(commands: Commands, run: Parameters<typeof costOf>[1]): Side<Name> {
  return {
    async measure() {
      const taken: [Name, number][] = []
      for (const call of CALLS) {
        const { command, input = '' } = commands[call]
        const { wall, cpu } = await costOf(command, { ...run, input })
        taken.push([call, wall], [`${call}.cpu`, cpu])
      }
      return Object.fromEntries(taken) as Record<Name, number> // both of each call
    },
  }
}

function handoffs({ folder, context: { program, env, signal } }: Place): Side<Name> {
  const input = JSON.stringify({ title: 'Bench', objective: 'Measure a call', current_state: 'Begun' })
  return calling(
    {
      create: { command: [...program, 'handoff', 'create', '--input', '-'], input },
      list: { command: [...program, 'handoff', 'list'] },
      search: { command: [...program, 'handoff', 'search', WORD] },
    },
    { cwd: folder, signal, env: { ...env, SATCHEL_PROJECT: folder } },
  )
}

/** A project of as many tasks: the first by its own command, the others as copies of its file. */
async function backlog(size: number, cache: PackageCache, { folder, context }: Place): Promise<Side<Name>> {
  const program = [process.execPath, await cache.program(PACKAGES, 'backlog')]
  const run = { cwd: folder, signal: context.signal, env: context.env }
  const options = ['--defaults', '--integration-mode', 'none', '--no-git']
  await outputOf([...program, 'init', 'bench', ...options], run)
  await outputOf([...program, 'task', 'create', `Fix the ${WORD}`, '-d', 'What is known. '.repeat(100)], run)
  const tasks = join(folder, 'backlog', 'tasks')
  const [first = ''] = await readdir(tasks)
  const text = await readFile(join(tasks, first), 'utf8')
  for (let task = 2; task <= size; task += 1) {
    const own = text.replace('TASK-1\n', `TASK-${task}\n`)
    await writeFile(join(tasks, first.replace('task-1 ', `task-${task} `)), own)
  }
  return calling(
    {
      create: { command: [...program, 'task', 'create', 'Bench', '-d', 'Measure a call'] },
      list: { command: [...program, 'task', 'list', '--plain'] },
      search: { command: [...program, 'search', WORD, '--plain'] },
    },
    run,
  )
}
