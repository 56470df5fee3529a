import { writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { BUILTIN_PLUGINS } from '../../../server/builtin-plugins.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import { type Figure, figureOf, limitFigure } from '../figure.ts'
import { builtProgram, residentMib, startChild, timeToExit } from './child.ts'

/** `node -e 0` on the quiet machine on which the budgets were set (mcp, section 11). */
const QUIET_BARE_MS = 65
const ROUNDS = 5
/** Resident memory that a stdio server may take once its host is loaded: 75 MB (toolchain, section 7). */
const RSS_BUDGET_MIB = 75e6 / 2 ** 20
const EXIT_BUDGET_MS = 250

/** What a start may cost beyond a bare node (toolchain, section 7; mcp, section 11). A first call waits for the host. */
const BUDGETS_MS = {
  help: 60,
  version: 60,
  'light verb': 120,
  'stdio discover': 30,
  'stdio tools/list': 30,
  'stdio first call': 250,
  'rest health': 350,
} as const

type Start = keyof typeof BUDGETS_MS

/** A request that only the loaded host answers. */
const HOST_METHOD = 'resources/list'
const ENVELOPE = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}

/** Start-up, memory and exit of the built program, each against a bare node of the same round. */
export async function measureStartUp(): Promise<readonly Figure[]> {
  const program = builtProgram()
  return await withScratchFolder('satchel-bench', async (folder) => {
    await writeFile(join(folder, 'record.json'), '{}')
    const best = await bestRounds(program, folder)
    const memory = await measureMemory(program, folder)
    return [...startFigures(best), exitFigure(best), ...memory]
  })
}

type Times = Readonly<Record<Start | 'bare' | 'exit', number>>

/** The best of each over interleaved rounds: noise only ever adds. */
async function bestRounds(program: string, folder: string): Promise<Times> {
  const best = { ...(await oneRound(program, folder)) }
  for (let round = 1; round < ROUNDS; round++) {
    const times = await oneRound(program, folder)
    for (const name of Object.keys(times) as (keyof Times)[]) best[name] = Math.min(best[name], times[name]) // its own keys
  }
  return best
}

async function oneRound(program: string, folder: string): Promise<Times> {
  const hasHandoff = BUILTIN_PLUGINS.some(({ name }) => name === 'handoff')
  const light = hasHandoff ? ['handoff', 'validate', 'record.json', '--level', 'schema'] : ['config', 'show']
  return {
    bare: await timeToExit(['-e', '0'], folder),
    help: await timeToExit([program, '--help'], folder),
    version: await timeToExit([program, '--version'], folder),
    'light verb': await timeToExit([program, ...light], folder),
    ...(await stdioTimes(program, folder)),
    'rest health': await healthTime(program, folder),
  }
}

async function stdioTimes(
  program: string,
  folder: string,
): Promise<Readonly<Record<'stdio discover' | 'stdio tools/list' | 'stdio first call' | 'exit', number>>> {
  const began = performance.now()
  const child = startChild([program, 'mcp'], folder)
  const ask = (id: number, method: string): void => {
    child.process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params: ENVELOPE })}\n`)
  }
  ask(1, 'server/discover')
  await child.line()
  const discovered = performance.now() - began
  ask(2, 'tools/list')
  await child.line()
  const listed = performance.now() - began
  ask(3, HOST_METHOD)
  await child.line()
  const called = performance.now() - began
  return {
    'stdio discover': discovered,
    'stdio tools/list': listed,
    'stdio first call': called,
    exit: await child.end(),
  }
}

async function healthTime(program: string, folder: string): Promise<number> {
  const began = performance.now()
  const child = startChild([program, 'serve', '--host', '127.0.0.1', '--port', '0', '--json'], folder)
  const said: { listeners: { address: string }[] } = JSON.parse(await child.line())
  const [listener] = said.listeners
  await new Promise<void>((resolve, reject) => {
    get(`${listener?.address}/health`, (answer) => answer.resume().on('end', resolve)).on('error', reject)
  })
  const took = performance.now() - began
  child.process.kill('SIGTERM')
  return took
}

function startFigures(best: Times): Figure[] {
  return Object.entries(BUDGETS_MS).map(([name, budget]) =>
    figureOf({
      name: `start.${name.replaceAll(' ', '.')}`,
      what: `start to end or first answer beyond a bare node, ${name}`,
      unit: 'ms',
      ours: Math.max(0, best[name as Start] - best.bare), // a key of the table
      against: best.bare,
      against_what: 'node -e 0',
      goal: budget / QUIET_BARE_MS,
    }),
  )
}

function exitFigure({ exit, bare }: Times): Figure {
  return figureOf({
    name: 'exit.stdin.end',
    what: 'exit after standard input ended',
    unit: 'ms',
    ours: exit,
    against: bare,
    against_what: 'node -e 0',
    goal: EXIT_BUDGET_MS / QUIET_BARE_MS,
  })
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
