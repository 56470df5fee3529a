import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { addTo, isJsonObject, parsedJson } from '../../../server/plugin.ts'
import { type Child, processorMs, residentMib, startChild } from '../host/child.ts'

const START_LIMIT_MS = 60_000
const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
}

/** What an MCP server took from its start until it had listed its tools. */
export interface ServerStart {
  /** Milliseconds. */
  readonly wall: number
  /** Milliseconds of the processor, of the server and of what it started. */
  readonly cpu: number
  /** Resident MiB of the same. */
  readonly rss: number
  /** Bytes of the list. */
  readonly bytes: number
}

/** Starts a server over stdio as a client does, asks for its tools and ends it. Errors: a server that does not answer. */
export async function measureServerStart(args: readonly string[], cwd: string): Promise<ServerStart> {
  const began = performance.now()
  const child = startChild(args, cwd, START_LIMIT_MS)
  try {
    send(child, { id: 1, method: 'initialize', params: INITIALIZE })
    await answerOf(child, 1)
    send(child, { method: 'notifications/initialized' })
    send(child, { id: 2, method: 'tools/list' })
    const bytes = Buffer.byteLength(await answerOf(child, 2))
    const wall = performance.now() - began
    return { wall, ...usageOf(await treeOf(child.pid)), bytes }
  } finally {
    await endTree(child)
  }
}

function send({ process: { stdin } }: Child, message: object): void {
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

async function answerOf(child: Child, id: number): Promise<string> {
  for (;;) {
    const line = await child.line()
    const message = parsedJson(line) // some servers greet on stdout; what is not JSON is passed over, as clients do
    if (!isJsonObject(message) || message['id'] !== id) continue
    if (message['error'] !== undefined) throw new Error(`answered ${line.slice(0, 200)}`)
    return line
  }
}

async function endTree(child: Child): Promise<void> {
  const tree = await treeOf(child.pid)
  const { exitCode, signalCode } = child.process
  const ended = exitCode === null && signalCode === null ? once(child.process, 'exit') : undefined
  for (const pid of tree) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {} // it ended by itself
  }
  await ended
}

/** A process and everything it started, as the system knows them now. Only itself where there is no `/proc`. */
async function treeOf(pid: number): Promise<readonly number[]> {
  const children = new Map<number, number[]>()
  for (const name of numbersIn('/proc')) {
    const stat = await readFile(`/proc/${name}/stat`, 'latin1').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    addTo(children, parent, name)
  }
  const tree = [pid]
  for (let at = 0; at < tree.length; at += 1) tree.push(...(children.get(tree[at] ?? 0) ?? []))
  return tree
}

/** Processor milliseconds and resident MiB of these processes together. */
function usageOf(pids: readonly number[]): { readonly cpu: number; readonly rss: number } {
  const sum = (values: readonly (number | undefined)[]): number =>
    values.reduce<number>((total, value) => total + (value ?? 0), 0)
  return { cpu: sum(pids.map(processorMs)), rss: sum(pids.map(residentMib)) }
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    return []
  }
}
