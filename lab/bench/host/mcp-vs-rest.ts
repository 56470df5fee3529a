import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { BUILTIN_PLUGINS } from '../../../server/builtin-plugins.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import { type Figure, figureOf } from '../figure.ts'
import { builtProgram, type Child, cpuTicks, startChild } from './child.ts'

const CALLS = 320
const CONNECTIONS = 16
const ROUNDS = 3
const MODULES = 200
/** One tick of `/proc/<pid>/stat` in milliseconds. */
const TICK_MS = 10
/** mcp, section 11: a call over MCP may cost three times the CPU of the same call over REST. */
const GOAL = 3
const VERSION = '2026-07-28'
const RECORD_BYTES = 8_000
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** One tool as both doors take it. */
interface Pair {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
  readonly rest: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: unknown }
}

/**
 * CPU of the server process per call of a tool over Streamable HTTP, against the same call over REST; interleaved, keep-alive x 16.
 * Nothing where the process's CPU cannot be read.
 */
export async function measureMcpAgainstRest(): Promise<readonly Figure[]> {
  return await withScratchFolder('satchel-bench', async (folder) => {
    await prepareModules(folder)
    const server = startChild(
      [builtProgram(), 'serve', '--host', '127.0.0.1', '--port', '0', '--json'],
      folder,
    )
    try {
      const said: { listeners: { address: string }[] } = JSON.parse(await server.line())
      return await compare(server, said.listeners[0]?.address ?? '')
    } finally {
      server.process.kill('SIGTERM')
    }
  })
}

async function compare(server: Child, address: string): Promise<readonly Figure[]> {
  if (cpuTicks(server.pid) === undefined) return []
  const client = createClient(address)
  try {
    const figures: Figure[] = []
    for (const pair of await pairsOf(client)) figures.push(await compareOne(server, client, pair))
    return figures.length > 1 ? [...figures, meanOf(figures)] : figures
  } finally {
    client.close()
  }
}

async function compareOne(server: Child, client: Client, pair: Pair): Promise<Figure> {
  const overMcp = (): Promise<unknown> => client.callTool(pair.tool, pair.args)
  const overRest = (): Promise<unknown> => client.send(pair.rest)
  await manyTimes(overMcp, CALLS / 4)
  await manyTimes(overRest, CALLS / 4)
  const ticks = { mcp: 0, rest: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    ticks.mcp += await ticksOf(server.pid, () => manyTimes(overMcp, CALLS))
    ticks.rest += await ticksOf(server.pid, () => manyTimes(overRest, CALLS))
  }
  const perCall = TICK_MS / (CALLS * ROUNDS)
  return figureOf({
    name: `mcp.rest.${pair.tool}`,
    what: 'server CPU of a call over MCP',
    unit: 'ms',
    ours: ticks.mcp * perCall,
    against: Math.max(1, ticks.rest) * perCall,
    against_what: 'the same call over REST',
    goal: GOAL,
  })
}

async function ticksOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = cpuTicks(pid) ?? 0
  await work()
  return (cpuTicks(pid) ?? 0) - before
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

async function pairsOf(client: Client): Promise<readonly Pair[]> {
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

async function createRecord(client: Client): Promise<string> {
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

/** A repository of many small modules, ingested, where the modules plugin is built in. */
async function prepareModules(folder: string): Promise<void> {
  if (!BUILTIN_PLUGINS.some(({ name }) => name === 'modules')) return
  const repository = join(folder, 'repository')
  for (let at = 0; at < MODULES; at++) {
    const module = join(repository, 'modules', `network-${at}`)
    await mkdir(module, { recursive: true })
    await writeFile(join(module, 'main.tf'), moduleText(at))
  }
  const run = promisify(execFile)
  const git = (...args: string[]): Promise<unknown> =>
    run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: repository })
  await git('init', '-q', '-b', 'main')
  await git('add', '.')
  await git('commit', '-q', '-m', 'modules')
  const config = `repositories:\n  - { url: "file://${repository}", branches: [main], recursive: true }\noutput_dir: ./output\nclone_dir: ./clones\n`
  await writeFile(join(folder, 'satchel.yaml'), config)
  await run(process.execPath, [builtProgram(), 'ingest', 'satchel.yaml', '-q'], { cwd: folder })
}

function moduleText(at: number): string {
  const variables = Array.from(
    { length: 12 },
    (_, index) =>
      `variable "subnet_${index}" {\n  type = string\n  description = "subnet ${index} of network ${at}"\n}\n`,
  )
  return `${variables.join('')}resource "aws_vpc" "main" {}\noutput "id" {\n  value = aws_vpc.main.id\n}\n`
}

interface Client {
  send(rest: Pair['rest'], headers?: Readonly<Record<string, string>>): Promise<unknown>
  callTool(tool: string, args: Pair['args']): Promise<unknown>
  /** Names of the tools that MCP lists. */
  tools(): Promise<readonly string[]>
  close(): void
}

function createClient(address: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const send: Client['send'] = ({ method, path, body }, headers = {}) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const type = text === undefined ? {} : { 'content-type': 'application/json' }
      const sent = request(
        `${address}${path}`,
        { method, agent, headers: { ...type, ...headers } },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => {
            const whole = Buffer.concat(chunks).toString()
            if ((answer.statusCode ?? 500) >= 300)
              reject(new Error(`${method} ${path}: ${answer.statusCode} ${whole}`))
            else resolve(JSON.parse(whole))
          })
        },
      )
      sent.on('error', reject)
      sent.end(text)
    })
  }
  const ask = async (method: string, params: object, name: Readonly<Record<string, string>> = {}) => {
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: ENVELOPE } }
    const headers = {
      accept: 'application/json',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...name,
    }
    const answer = await send({ method: 'POST', path: '/mcp', body }, headers)
    return (answer as { result: { isError?: boolean; tools?: { name: string }[] } }).result // as MCP answers
  }
  return {
    send,
    async callTool(name, args) {
      const result = await ask('tools/call', { name, arguments: args }, { 'mcp-name': name })
      if (result.isError) throw new Error(`${name} failed over MCP: ${JSON.stringify(result)}`)
      return result
    },
    async tools() {
      return (await ask('tools/list', {})).tools?.map(({ name }) => name) ?? []
    },
    close: () => agent.destroy(),
  }
}
