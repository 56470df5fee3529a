import { withScratchFolder } from '../../../server/plugin.ts'
import { type Figure, figureOf } from '../figure.ts'
import { bestOf, inTurns } from '../rounds.ts'
import { type Child, processorMs, startServe } from './child.ts'
import { type DoorClient, openDoorClient, type Pair } from './door-client.ts'
import { ingestNetworks } from './network-modules.ts'

const CALLS = 320
const CONNECTIONS = 16
const ROUNDS = 9
/**
 * Calls at each door before the first round. A server compiles a door once: with 80 calls the figure was that of the
 * compiler, for which MCP has more code, and half of what any later call takes.
 */
const WARM_UP = 2000
/** How often the processor time of the same call over REST a call over MCP may take. */
const GOAL = 1.3
const RECORD_BYTES = 8_000

/**
 * CPU of the server process per call of a tool over Streamable HTTP, against the same call over REST; interleaved, keep-alive x 16.
 * Nothing where the process's CPU cannot be read.
 */
export async function measureMcpAgainstRest(): Promise<readonly Figure[]> {
  return await withScratchFolder('satchel-bench', async (folder) => {
    await ingestNetworks(folder)
    const { server, address } = await startServe(folder)
    try {
      return await compare(server, address)
    } finally {
      server.process.kill('SIGTERM')
    }
  })
}

async function compare(server: Child, address: string): Promise<readonly Figure[]> {
  if (processorMs(server.pid) === undefined) return []
  const client = openDoorClient(address, CONNECTIONS)
  try {
    const figures: Figure[] = []
    for (const pair of await pairsOf(client)) figures.push(await compareOne(server, client, pair))
    return figures.length > 1 ? [...figures, meanOf(figures)] : figures
  } finally {
    client.close()
  }
}

async function compareOne(server: Child, client: DoorClient, pair: Pair): Promise<Figure> {
  const overMcp = (): Promise<unknown> => client.callTool(pair.tool, pair.args)
  const overRest = (): Promise<unknown> => client.send(pair.rest)
  await manyTimes(overMcp, WARM_UP)
  await manyTimes(overRest, WARM_UP)
  const rounds = await inTurns(ROUNDS, {
    ours: () => msPerCall(server.pid, overMcp),
    against: () => msPerCall(server.pid, overRest),
  })
  return figureOf({
    ...bestOf(rounds, 'at_most'),
    name: `mcp.rest.${pair.tool}`,
    what: 'server CPU of a call over MCP',
    unit: 'ms',
    against_what: 'the same call over REST',
    goal: GOAL,
  })
}

async function msPerCall(pid: number, call: () => Promise<unknown>): Promise<number> {
  const before = processorMs(pid) ?? 0
  await manyTimes(call, CALLS)
  return ((processorMs(pid) ?? 0) - before) / CALLS
}

async function manyTimes(call: () => Promise<unknown>, times: number): Promise<void> {
  let left = times
  const one = async (): Promise<void> => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, one))
}

/** The geometric mean: what the goal is about. */
function meanOf(figures: readonly Figure[]): Figure {
  const mean = (pick: (figure: Figure) => number): number =>
    Math.exp(figures.reduce((sum, figure) => sum + Math.log(pick(figure)), 0) / figures.length)
  return figureOf({
    name: 'mcp.rest.mean',
    what: `geometric mean over ${figures.length} tools`,
    unit: 'ms',
    ours: mean(({ ours }) => ours),
    against: mean(({ against }) => against),
    against_what: 'REST',
    goal: GOAL,
  })
}

async function pairsOf(client: DoorClient): Promise<readonly Pair[]> {
  const pairs: Pair[] = []
  const tools = await client.tools()
  if (tools.includes('handoff_get')) {
    const id = await createRecord(client)
    pairs.push({ tool: 'handoff_get', args: { id }, rest: { method: 'GET', path: `/handoffs/${id}` } })
  }
  if (tools.includes('search_modules') && tools.includes('get_module')) {
    const query = { query: 'network', limit: 10 }
    const found = (await client.send({ method: 'POST', path: '/search', body: query })) as {
      results: { id: string }[]
    }
    const id = found.results[0]?.id ?? ''
    pairs.push(
      { tool: 'search_modules', args: query, rest: { method: 'POST', path: '/search', body: query } },
      { tool: 'get_module', args: { id }, rest: { method: 'GET', path: `/modules/${id}` } },
    )
  }
  return pairs
}

async function createRecord(client: DoorClient): Promise<string> {
  const record = (await client.send({
    method: 'POST',
    path: '/handoffs',
    body: {
      title: 'A record to read',
      objective: 'Read it often',
      current_state: 'word '.repeat(RECORD_BYTES / 5),
      capture_git: false,
    },
  })) as { id: string }
  return record.id
}
