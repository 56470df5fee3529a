import { get } from 'node:http'
import { BUILTIN_PLUGINS } from '../../../server/builtin-plugins.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import { percentile } from '../../percentile.ts'
import { type Figure, limitFigure } from '../figure.ts'
import { measureProcess } from '../growth/measured-process.ts'
import { builtProgram, processorMs, residentMib, startChild, startServe, timeToExit } from './child.ts'

const ROUNDS = 5
/** Resident memory that a stdio server may take once its host is loaded: 75 MB (toolchain, section 7). */
const RSS_BUDGET_MIB = 75e6 / 2 ** 20

interface Budget {
  /** Milliseconds that pass. */
  readonly wall: number
  /** Milliseconds of the processor, which do not depend on what else the machine does. */
  readonly cpu?: number
}

/**
 * What a start may cost beyond a bare node, on two cores where that takes 73 ms (toolchain, section 7; mcp, section 11). A
 * slower machine does not get more. A first call waits for the host.
 */
const BUDGETS = {
  help: { wall: 60, cpu: 60 },
  version: { wall: 60, cpu: 60 },
  'light verb': { wall: 100, cpu: 100 },
  'stdio discover': { wall: 30, cpu: 40 },
  'stdio tools/list': { wall: 30, cpu: 40 },
  'stdio first call': { wall: 250, cpu: 250 },
  'rest health': { wall: 350 },
  exit: { wall: 250 },
} as const satisfies Record<string, Budget>

type Start = keyof typeof BUDGETS

/** A request that only the loaded host answers. */
const HOST_METHOD = 'resources/list'
const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

/** Start-up, memory and exit of the built program, each against a bare node of the same rounds. */
export async function measureStartUp({ env }: Pick<LabContext, 'env'>): Promise<readonly Figure[]> {
  const program = builtProgram()
  return await withScratchFolder('satchel-bench', async (folder) => {
    const rounds: Costs[] = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(program, { folder, env }))
    return [
      ...Object.keys(BUDGETS).flatMap((name) => figuresOf(name as Start, rounds)),
      ...(await measureMemory(program, folder)),
    ] // its own keys
  })
}

/** Milliseconds that passed, and those of the processor where they can be read. */
interface Cost {
  readonly wall: number
  readonly cpu: number | undefined
}

/** `reporting` is a bare node that reports what it took, as the verbs do; the servers do not. */
type Bare = 'bare' | 'reporting'
type Costs = Readonly<Record<Start | Bare, Cost>>

/** Every measurement once: they take turns, so that what else the machine does falls on each. */
async function oneRound(
  program: string,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<Costs> {
  const hasHandoff = BUILTIN_PLUGINS.some(({ name }) => name === 'handoff')
  const light = hasHandoff ? ['handoff', 'list'] : ['config', 'show']
  const run = async (...args: readonly string[]): Promise<Cost> => {
    const { wallMs, cpuMs } = await measureProcess([process.execPath, ...args], env, { cwd: folder })
    return { wall: wallMs, cpu: cpuMs }
  }
  return {
    bare: await bareCost(folder),
    reporting: await run('-e', '0'),
    help: await run(program, '--help'),
    version: await run(program, '--version'),
    'light verb': await run(program, ...light),
    ...(await stdioCosts(program, folder)),
    'rest health': { wall: await healthTime(folder), cpu: undefined },
  }
}

async function bareCost(folder: string): Promise<Cost> {
  const child = startChild(['-e', TELL_PROCESSOR_TIME], folder)
  const cpu = Number(await child.line()) / 1000
  await child.end()
  return { wall: await timeToExit(['-e', '0'], folder), cpu }
}

const TELL_PROCESSOR_TIME = 'const { user, system } = process.cpuUsage(); console.log(user + system)'

type Answered = 'stdio discover' | 'stdio tools/list' | 'stdio first call'

async function stdioCosts(
  program: string,
  folder: string,
): Promise<Readonly<Record<Answered | 'exit', Cost>>> {
  const began = performance.now()
  const child = startChild([program, 'mcp'], folder)
  const ask = async (id: number, method: string): Promise<Cost> => {
    child.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: ENVELOPE })}\n`)
    await child.line()
    return { wall: performance.now() - began, cpu: processorMs(child.pid) }
  }
  return {
    'stdio discover': await ask(1, 'server/discover'),
    'stdio tools/list': await ask(2, 'tools/list'),
    'stdio first call': await ask(3, HOST_METHOD),
    exit: { wall: await child.end(), cpu: undefined },
  }
}

async function healthTime(folder: string): Promise<number> {
  const began = performance.now()
  const { server, address } = await startServe(folder)
  await new Promise<void>((resolve, reject) => {
    get(`${address}/health`, (answer) => answer.resume().on('end', resolve)).on('error', reject)
  })
  const took = performance.now() - began
  server.process.kill('SIGTERM')
  return took
}

/** The best of each beyond the best bare node: noise only ever adds. Exit is not a start, and has nothing to take off. */
function figuresOf(name: Start, rounds: readonly Costs[]): readonly Figure[] {
  const budget: Budget = BUDGETS[name]
  return (['wall', 'cpu'] as const).flatMap((clock) => {
    const limit = budget[clock]
    const taken = rounds.flatMap((round) => round[name][clock] ?? [])
    if (limit === undefined || taken.length === 0) return []
    const bare = rounds.map((round) => (name === 'exit' ? 0 : (round[floorOf(name)][clock] ?? 0)))
    const beyond = name === 'exit' ? 'after standard input ended' : 'beyond a bare node'
    const median = percentile(taken, 0.5) - percentile(bare, 0.5)
    return limitFigure({
      name: `start.${name.replaceAll(' ', '.')}${clock === 'cpu' ? '.cpu' : ''}`,
      what: `${name} ${beyond}, ${clock === 'cpu' ? 'processor time' : 'time'}, median ${median.toFixed(0)} ms`,
      unit: 'ms',
      ours: Math.min(...taken) - Math.min(...bare),
      limit,
    })
  })
}

function floorOf(name: Start): Bare {
  return name.startsWith('stdio') || name === 'rest health' ? 'bare' : 'reporting'
}

async function measureMemory(program: string, folder: string): Promise<readonly Figure[]> {
  const child = startChild([program, 'mcp'], folder)
  child.process.stdin.write(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: HOST_METHOD, params: ENVELOPE })}\n`,
  )
  await child.line()
  const mib = residentMib(child.pid)
  await child.end()
  if (mib === undefined) return []
  return [
    limitFigure({
      name: 'memory.stdio',
      what: 'resident memory of a server whose host is loaded',
      unit: 'MiB',
      ours: mib,
      limit: RSS_BUDGET_MIB,
      gate: 1,
    }),
  ]
}
