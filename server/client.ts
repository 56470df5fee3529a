import { SatchelError } from './contract/errors.ts'
import { type OpenApi, type Operation, operationsOf, requestOf } from './http/client-request.ts'
import { parseProblem } from './http/problem.ts'
import { readServerSentEvents } from './http/server-sent-events.ts'
import { refusals } from './refusals.ts'

export { SatchelError }

/** Input and output types by tool name; this default accepts any tool. */
export type ToolTypes = Readonly<Record<string, { readonly input: object; readonly output: object }>>
type AnyTool = Readonly<Record<string, { input: Record<string, unknown>; output: Record<string, unknown> }>>

export interface ClientOptions {
  /** `http://127.0.0.1:8000` */
  readonly baseUrl: string
  /**
   * The token of the server or of a session. Absent: for a server on this machine the token file of this user, if there
   * is one; on Linux a server proves by itself that the client has the same user.
   */
  readonly token?: string
  /** Absent: the global `fetch`. */
  readonly fetch?: typeof fetch
}

export type ResourceEvent =
  | { readonly kind: 'resource'; readonly uri: string }
  /** Events were lost: read the resources again. */
  | { readonly kind: 'resync' }

export interface Client<T extends ToolTypes> {
  /** Calls a tool over REST and returns its output. Errors: the tool's `SatchelError`; `unavailable`/`unreachable`. */
  call<N extends keyof T & string>(
    tool: N,
    input: T[N]['input'],
    signal?: AbortSignal,
  ): Promise<T[N]['output']>
  health(signal?: AbortSignal): Promise<{ readonly status: string; readonly version: string }>
  /** Yields changes from now on, until the signal aborts or the server ends the stream. `topics`: URI prefixes; empty = all. */
  events(topics: readonly string[], signal: AbortSignal): AsyncIterable<ResourceEvent>
}

/**
 * Creates a client of one satchel server. It reads the routes from the server's OpenAPI document at the first call:
 *
 *     const satchel = createClient({ baseUrl: 'http://127.0.0.1:8000' })
 *     const { handoffs } = await satchel.call('handoff_list', { limit: 5 })
 */
export function createClient<T extends ToolTypes = AnyTool>(options: ClientOptions): Client<T> {
  const ask = requester(options)
  let routes: Promise<ReadonlyMap<string, Operation>> | undefined
  const routeOf = async (tool: string): Promise<Operation> => {
    routes ??= ask('/openapi.json').then((document) => operationsOf(document as OpenApi)) // our own server's document
    const known = await routes.catch((thrown) => {
      routes = undefined
      throw thrown
    })
    const operation = known.get(tool)
    if (operation) return operation
    throw refusals.unknown_tool({ tool: tool.slice(0, 80) })
  }
  return {
    async call(tool, input, signal) {
      const request = requestOf(await routeOf(tool), input)
      return ask(request.path, { ...request.init, ...(signal && { signal }) }) as Promise<
        T[typeof tool]['output']
      > // the server checked it against the tool's schema
    },
    health: (signal) =>
      ask('/health', signal ? { signal } : {}) as Promise<{ status: string; version: string }>, // surface: GET /health
    async *events(topics, signal) {
      const query = topics.length > 0 ? `?${new URLSearchParams({ topics: topics.join(',') })}` : ''
      const response = await open(options, `/events${query}`, { signal })
      try {
        for await (const { event, data } of readServerSentEvents(response.body)) {
          if (event === 'resync') yield { kind: 'resync' }
          else if (event === 'resource') yield { kind: 'resource', uri: String(JSON.parse(data).uri) }
        }
      } catch (thrown) {
        if (!signal.aborted) throw thrown
      }
    },
  }
}

type Ask = (path: string, init?: RequestInit) => Promise<unknown>

function requester(options: ClientOptions): Ask {
  return async (path, init) => (await open(options, path, init)).json()
}

async function open(
  { baseUrl, token: given, fetch: send = fetch }: ClientOptions,
  path: string,
  init: RequestInit = {},
) {
  const sendWith = async (token: string | undefined): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
    return send(`${baseUrl.replace(/\/$/, '')}${path}`, { ...init, headers }).catch((cause) => {
      throw (init.signal?.aborted ? refusals.cancelled : refusals.unreachable)({ cause })
    })
  }
  const fromFile = given === undefined ? await localToken(baseUrl) : undefined
  let response = await sendWith(given ?? fromFile)
  if (response.status === 401 && fromFile !== undefined) {
    // Another server left the file; this one may know the caller by the connection.
    await response.body?.cancel()
    response = await sendWith(undefined)
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => undefined)
  throw parseProblem(body) ?? refusals.unexpected_answer({ status: response.status })
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

async function localToken(baseUrl: string): Promise<string | undefined> {
  if (!URL.canParse(baseUrl) || !LOOPBACK.test(new URL(baseUrl).hostname)) return undefined
  const { readLocalToken } = await import('./local-token.ts')
  return readLocalToken(process.env)
}
