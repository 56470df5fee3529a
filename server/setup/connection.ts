import { type LineProcess, startLineProcess } from '../platform/line-process.ts'
import { priceOf } from '../tool-prices.ts'
import type { ConfiguredServer, ServerCommand } from './entries.ts'

/** What came of a start of the configured server. */
export type Connection =
  | { readonly kind: 'connected'; readonly tools: number; readonly tokens: number; readonly ms: number }
  | { readonly kind: 'failed'; readonly fault: string }
  /** It was not started, as its client would not start it. `by`: because of what in the configuration. */
  | { readonly kind: 'disabled'; readonly by: string }

export interface ConnectionOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The client in whose name the server is asked. */
  readonly client: string
  readonly limitMs?: number
  readonly signal?: AbortSignal
}

const LIMIT_MS = 30_000 // as long as the most patient clients wait for a server
const GRACE_MS = 2_000
const PROTOCOL = '2025-11-25'
const MAX_PAGES = 100

/** Starts a server as a client would, asks for its tools, and ends it. `ms`: from its start to its list of tools. */
export async function connect(command: ConfiguredServer, options: ConnectionOptions): Promise<Connection> {
  const { cwd, env, limitMs = LIMIT_MS, signal } = options
  if (command.disabledBy !== undefined) return { kind: 'disabled', by: command.disabledBy }
  if (command.command === '') return failed('its entry names no program that could be started')
  const started = performance.now()
  const server = startLineProcess(command.command, command.args, { cwd, env: { ...env, ...command.env } })
  const limit = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])])
  try {
    const listed = await Promise.race([toolsOf(server, options.client), aborted(limit)])
    if (listed === 'late') return failed(`no list of tools within ${limitMs / 1000} s`)
    if (listed === 'ended') return failed(endOf(server, command))
    if ('refused' in listed) return failed(`the server answered: ${listed.refused}`)
    const tokens = listed.reduce((sum, tool) => sum + priceOf(tool).tokens, 0)
    return { kind: 'connected', tools: listed.length, tokens, ms: Math.round(performance.now() - started) }
  } finally {
    await server.close(GRACE_MS)
  }
}

function failed(fault: string): Connection {
  return { kind: 'failed', fault }
}

function aborted(signal: AbortSignal): Promise<'late'> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }))
}

function endOf(server: LineProcess, { command }: ServerCommand): string {
  if (!server.wasStarted()) return `there is no program ${command}`
  const [said = ''] = server.complaint().trim().split('\n').slice(-1)
  return `${command} ended before it answered${said === '' ? '' : `: ${said}`}`
}

type Descriptor = Readonly<Record<string, unknown>>
type Answer = {
  readonly result?: Descriptor
  readonly error?: { readonly message?: unknown }
  readonly id?: unknown
}

async function toolsOf(
  server: LineProcess,
  client: string,
): Promise<readonly Descriptor[] | 'ended' | { readonly refused: string }> {
  const answers = server.lines[Symbol.asyncIterator]()
  const ask = async (id: number, method: string, params: object): Promise<Answer | 'ended'> => {
    server.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    for (;;) {
      const { value, done } = await answers.next()
      if (done) return 'ended'
      const message = messageOf(value)
      if (message?.id === id) return message
    }
  }
  const clientInfo = { name: client, version: '0' }
  const opened = await ask(0, 'initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo })
  if (opened === 'ended') return 'ended'
  if (!opened.result) return { refused: refusalOf(opened) }
  server.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  const tools: Descriptor[] = []
  let cursor: unknown
  for (let page = 1; page <= MAX_PAGES; page++) {
    const listed = await ask(page, 'tools/list', cursor === undefined ? {} : { cursor })
    if (listed === 'ended') return 'ended'
    if (!Array.isArray(listed.result?.['tools'])) return { refused: refusalOf(listed) }
    tools.push(...listed.result['tools'])
    cursor = listed.result['nextCursor']
    if (cursor === undefined) break
  }
  return tools
}

function messageOf(line: string): Answer | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined // a server may print something else first
  }
}

function refusalOf({ error }: Answer): string {
  return typeof error?.message === 'string' ? error.message : 'something that is not a list of tools'
}
