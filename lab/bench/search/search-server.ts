import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { OWN_QUERIES } from '../../../plugins/modules/testing/own-corpus.ts'
import { percentile } from '../../percentile.ts'
import { residentMib } from '../host/child.ts'
import { timed } from '../timing.ts'

/** Milliseconds of a search beside those of a question that needs nothing, asked of the same server. */
export interface ServerTimes {
  /** The 95th percentile of searches, and of pings in the same turn. */
  readonly search: number
  readonly ping: number
  /** The first search, which loads everything, and the median of those after it. */
  readonly first: number
  readonly median: number
  /** Memory after the last search; undefined where there is no `/proc`. */
  readonly residentMib: number | undefined
  /** The longest a ping took while the first search loaded everything, and while nothing happened. */
  readonly whileLoading: number
  readonly whileIdle: number
}

const SEARCHES = 200
const PING_EVERY_MS = 5
const IDLE_MS = 1000

/** Starts `satchel mcp`, makes its first search load everything, then asks it question after question. */
export async function measureServer(
  program: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ServerTimes> {
  const server = startServer([...program, 'mcp'], env)
  try {
    await server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'satchel-bench', version: '1' },
    })
    const whileIdle = await longestPing(server, pause(IDLE_MS))
    let first = 0
    const loading = timed(() => search(server, 'private network with subnets')).then(({ ms }) => {
      first = ms
    })
    const whileLoading = await longestPing(server, loading)
    const took: { search: number[]; ping: number[] } = { search: [], ping: [] }
    for (let n = 0; n < SEARCHES; n++) {
      signal.throwIfAborted()
      const { query = '' } = OWN_QUERIES[n % OWN_QUERIES.length] ?? {}
      took.search.push((await timed(() => search(server, query))).ms)
      took.ping.push((await timed(() => server.ask('ping', {}))).ms)
    }
    return {
      first,
      median: percentile(took.search, 0.5),
      residentMib: residentMib(server.pid),
      search: percentile(took.search, 0.95),
      ping: percentile(took.ping, 0.95),
      whileLoading,
      whileIdle,
    }
  } finally {
    server.stop()
  }
}

async function search(server: Server, query: string): Promise<void> {
  const answer = await server.ask('tools/call', { name: 'search_modules_vector', arguments: { query } })
  if (answer['isError'] === true || answer['content'] === undefined)
    throw new Error(`The measured search failed: ${JSON.stringify(answer).slice(0, 300)}`)
}

async function longestPing(server: Server, work: Promise<unknown>): Promise<number> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  let longest = 0
  while (!isOver) {
    longest = Math.max(longest, (await timed(() => server.ask('ping', {}))).ms)
    await pause(PING_EVERY_MS)
  }
  await ended
  return longest
}

interface Server {
  readonly pid: number
  /** The result of a request. */
  ask(method: string, params: object): Promise<Record<string, unknown>>
  stop(): void
}

function startServer([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Server {
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.on('error', () => {}) // told by what is waiting
  const waiting = new Map<number, PromiseWithReject>()
  let id = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id?: number; result?: Record<string, unknown>; error?: unknown }
    const asked = waiting.get(message.id ?? -1)
    waiting.delete(message.id ?? -1)
    if (message.result) asked?.resolve(message.result)
    else asked?.reject(new Error(`The measured server refused: ${JSON.stringify(message.error)}`))
  })
  void once(child, 'exit').then(() => {
    for (const { reject } of waiting.values()) reject(new Error('The measured server ended.'))
  })
  return {
    pid: child.pid ?? 0,
    ask(method, params) {
      const mine = ++id
      return new Promise((resolve, reject) => {
        waiting.set(mine, { resolve, reject })
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: mine, method, params })}\n`)
      })
    },
    stop: () => child.kill(),
  }
}

interface PromiseWithReject {
  resolve(result: Record<string, unknown>): void
  reject(error: Error): void
}
