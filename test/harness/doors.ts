import { PassThrough, Writable } from 'node:stream'
import type { TestContext } from 'node:test'
import { assetPath } from '../../server/assets.ts'
import { runProgram } from '../../server/cli/program.ts'
import { loadConfig } from '../../server/config.ts'
import { type ErrorBody, errorBody, isSatchelError } from '../../server/contract/errors.ts'
import type { HttpRoute, Tool } from '../../server/contract/tool.ts'
import { createPump } from '../../server/fanout/pump.ts'
import type { RunningHost } from '../../server/host.ts'
import { type HttpListener, openListener } from '../../server/http/listener.ts'
import { createHttpMount } from '../../server/mcp/http.ts'
import { openStdio } from '../../server/mcp/testing/stdio-client.ts'
import { isJsonObject } from '../../server/platform/json-object.ts'
import { confineTo } from '../../server/platform/paths.ts'
import type { TestHost } from './open-host.ts'

export const DOOR_NAMES = ['memory', 'stdio', 'streamable-http', 'rest', 'cli'] as const
export type DoorName = (typeof DOOR_NAMES)[number]

/** The outcome of a call, the same for every door: the data, or the error's stable parts. */
export type Outcome =
  | { readonly ok: true; readonly data: Record<string, unknown> }
  | { readonly ok: false; readonly error: Pick<ErrorBody, 'code' | 'reason'> & Partial<ErrorBody> }

export interface OpenDoor {
  readonly name: DoorName
  /** Whether the tool can be called here: some have no REST route or no verb. */
  serves(tool: string): boolean
  call(tool: string, input: Readonly<Record<string, unknown>>): Promise<Outcome>
}

/** Opens every door on one host; all are closed after the test. */
export async function openDoors(t: TestContext, opened: TestHost): Promise<readonly OpenDoor[]> {
  const listener = await openHttp(t, opened)
  return [
    memoryDoor(opened),
    stdioDoor(t, opened),
    streamableHttpDoor(opened.host, listener),
    restDoor(opened.host, listener),
    cliDoor(opened),
  ]
}

/** Runs `work` at every door in turn, in the order of `DOOR_NAMES`. */
export async function forEachDoor(
  t: TestContext,
  opened: TestHost,
  work: (door: OpenDoor) => Promise<void>,
): Promise<void> {
  for (const door of await openDoors(t, opened)) await work(door)
}

function memoryDoor(opened: TestHost): OpenDoor {
  return {
    name: 'memory',
    serves: () => true,
    async call(tool, input) {
      try {
        return { ok: true, data: await opened.call(tool, input) }
      } catch (thrown) {
        if (!isSatchelError(thrown)) throw thrown
        return { ok: false, error: errorBody(thrown) }
      }
    },
  }
}

async function openHttp(t: TestContext, opened: TestHost): Promise<HttpListener> {
  const { host } = opened
  const resolvePath = confineTo([opened.projectRoot], opened.projectRoot)
  const mcp = createHttpMount({
    boot: Promise.resolve(host),
    version: '0.0.0',
    log: host.log,
    resolvePath,
    pump: createPump(),
  })
  const listener = await openListener(
    host,
    { name: 'api', at: { host: '127.0.0.1', port: 0 }, mcp: true },
    {
      version: '0.0.0',
      description: 'test',
      allowedHosts: [],
      allowedOrigins: [],
      resolvePath,
      assetPath,
      mcp,
      graceMs: 100,
    },
  )
  t.after(() => listener.close())
  return listener
}

const META = 'io.modelcontextprotocol/'

/** A `tools/call` of protocol 2026-07-28. */
function callMessage(id: number, tool: string, input: unknown) {
  const _meta = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientInfo`]: { name: 'satchel-testing', version: '1.0.0' },
    [`${META}clientCapabilities`]: {},
  }
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, arguments: input, _meta } }
}

/** Only tools that are on MCP are served there. */
function isOffered(host: RunningHost, name: string): boolean {
  const owned = host.registry.tool(name)
  return owned !== undefined && host.offers(owned)
}

interface RpcAnswer {
  readonly id: number
  readonly result?: { readonly isError?: boolean; readonly structuredContent: Record<string, unknown> }
  readonly error?: unknown
}

function outcomeOf({ result, error }: RpcAnswer): Outcome {
  if (!result) throw new Error(`a protocol error instead of a result: ${JSON.stringify(error)}`)
  if (!result.isError) return { ok: true, data: result.structuredContent }
  return { ok: false, error: result.structuredContent['error'] as ErrorBody } // the shape of every error result
}

/** Calls a tool over MCP and reads on until the last page; the pages are joined, without the notes for models. */
async function allPages(
  input: Readonly<Record<string, unknown>>,
  call: (input: Readonly<Record<string, unknown>>) => Promise<Outcome>,
): Promise<Outcome> {
  let joined: Record<string, unknown> | undefined
  for (let asked = input; ; ) {
    const outcome = await call(asked)
    if (!outcome.ok) return outcome
    const { page, untrusted: _, ...data } = outcome.data
    joined = joined ? (joinedData(joined, data) as Record<string, unknown>) : data // objects stay objects
    const next = (page as { next?: { args: Record<string, unknown> } } | undefined)?.next
    if (!next) return { ok: true, data: joined }
    asked = { ...input, ...next.args }
    delete joined['next_cursor'] // that of the page, until the last one
  }
}

/** Lists and cut strings of two pages joined; what every page repeats is kept once. */
function joinedData(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
  if (typeof left === 'string' && typeof right === 'string') return left === right ? left : left + right
  if (!isJsonObject(left) || !isJsonObject(right)) return right
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return Object.fromEntries(
    names.map((name) => [
      name,
      name in left ? (name in right ? joinedData(left[name], right[name]) : left[name]) : right[name],
    ]),
  )
}

/** One served pair of pipes for all calls of the test. */
function stdioDoor(t: TestContext, { host, projectRoot }: TestHost): OpenDoor {
  const client = openStdio(t, host, {
    log: host.log,
    resolvePath: confineTo([projectRoot], projectRoot),
  })
  t.after(() => client.end())
  let last = 0
  return {
    name: 'stdio',
    serves: (tool) => isOffered(host, tool),
    call: (tool, given) =>
      allPages(given, async (input) => {
        const id = ++last
        client.send(callMessage(id, tool, input))
        return outcomeOf((await client.answer(id)) as unknown as RpcAnswer)
      }),
  }
}

function realStdout(stream: PassThrough) {
  return {
    write: (text: string, done?: (error?: Error | null) => void) => stream.write(text, done),
    on: (event: 'drain' | 'error' | 'close', listener: (error?: Error) => void) => stream.on(event, listener),
    isTTY: false,
    columns: undefined,
  }
}

function streamableHttpDoor(host: RunningHost, listener: HttpListener): OpenDoor {
  let last = 0
  return {
    name: 'streamable-http',
    serves: (tool) => isOffered(host, tool),
    call: (tool, given) =>
      allPages(given, async (input) => {
        const response = await fetch(`${listener.address}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': tool,
          },
          body: JSON.stringify(callMessage(++last, tool, input)),
        })
        return outcomeOf((await response.json()) as RpcAnswer)
      }),
  }
}

function restDoor(host: RunningHost, listener: HttpListener): OpenDoor {
  const routeOf = (name: string): HttpRoute | undefined => {
    const routes = [host.registry.tool(name)?.tool.http ?? []].flat() as HttpRoute[]
    return routes.find(({ listeners }) => listeners === undefined || listeners.includes('api'))
  }
  return {
    name: 'rest',
    serves: (tool) => routeOf(tool) !== undefined,
    async call(tool, input) {
      const route = routeOf(tool)
      if (!route) throw new Error(`${tool} has no route`)
      const defaults = host.registry.tool(tool)?.tool.input.safeParse(input).data ?? {}
      const response = await fetch(...restRequest(listener.address, route, input, defaults))
      const body = (await response.json()) as Record<string, unknown>
      if (response.ok) return { ok: true, data: body }
      return { ok: false, error: body as unknown as ErrorBody } // problem+json carries code, reason, details
    },
  }
}

function restRequest(
  address: string,
  route: HttpRoute,
  input: Readonly<Record<string, unknown>>,
  defaults: Readonly<Record<string, unknown>>,
): [string, RequestInit] {
  const rest = new Map(Object.entries(input))
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest.get(name) ?? defaults[name]
    rest.delete(name)
    return encodeURIComponent(String(value ?? ''))
  })
  if (route.method !== 'GET') {
    const headers = { 'content-type': 'application/json' }
    return [
      `${address}${path}`,
      { method: route.method, headers, body: JSON.stringify(Object.fromEntries(rest)) },
    ]
  }
  const query = new URLSearchParams()
  for (const [name, value] of rest) for (const one of [value].flat()) query.append(name, String(one))
  return [`${address}${path}?${query}`, { method: 'GET' }]
}

/** The tool's first verb without fixed input, given its whole input as JSON on standard input. */
function verbOf(tool: Tool | undefined): string | undefined {
  return [tool?.cli ?? []].flat().find(({ preset }) => preset === undefined)?.verb
}

function cliDoor({ host, projectRoot }: TestHost): OpenDoor {
  const shared: RunningHost = { ...host, start: async () => {}, stop: async () => {} }
  return {
    name: 'cli',
    serves: (tool) => verbOf(host.registry.tool(tool)?.tool) !== undefined,
    async call(tool, input) {
      const verb = verbOf(host.registry.tool(tool)?.tool) ?? ''
      const argv = [...verb.split(' '), '--input', '-', '--json']
      const { text, code } = await runCaptured(argv, JSON.stringify(input), projectRoot, shared)
      if (text === '') throw new Error(`satchel ${argv.join(' ')} printed nothing and exited ${code}`)
      const document = JSON.parse(text) as Record<string, unknown>
      const error = document['error'] as ErrorBody | undefined
      return error?.code !== undefined && code !== 0 ? { ok: false, error } : { ok: true, data: document }
    },
  }
}

async function runCaptured(argv: readonly string[], input: string, cwd: string, host: RunningHost) {
  const stdin = Object.assign(new PassThrough(), { isTTY: false })
  stdin.end(input)
  const stdout = new PassThrough()
  let text = ''
  stdout.on('data', (chunk) => {
    text += chunk
  })
  const unused = () => Promise.reject(new Error('the test kit opens no such door from the command line'))
  const code = await runProgram(
    argv,
    {
      stdin,
      stdout: realStdout(stdout),
      stderr: new Writable({ write: (_chunk, _encoding, done) => done() }),
      env: {},
      cwd,
      onSignal: () => () => {},
      onIdle: () => () => {},
    },
    {
      loadConfig: (_line, flags = {}, defaults = {}) => loadConfig({ cwd, env: {}, flags, defaults }),
      log: () => host.log,
      setUpHost: async () => host,
      openHost: async () => host,
      findProjectRoot: async () => cwd,
      now: host.now,
      serveStdio: unused,
      serveHttp: unused,
      hostOf: unused,
      ownerOfVerb: unused,
      catalog: unused,
    },
  )
  return { text, code }
}
