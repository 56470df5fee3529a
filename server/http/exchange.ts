import type { IncomingMessage, ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { Credentials, Principal } from '../contract/advanced/principal.ts'
import type { Listener, RouteGuard } from '../contract/advanced/route.ts'
import type { CallContext, Log } from '../contract/context.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { After } from '../fanout/after.ts'
import type { Pump } from '../fanout/pump.ts'
import type { McpMount } from '../mcp-mount.ts'
import { backgroundCall } from '../platform/background-call.ts'

/** What `run.ts` lends the HTTP door; the same for every listener of a process. */
export interface HttpOptions {
  readonly version: string
  readonly description: string
  /** The server's own token; absent: nobody is the operator, and only loopback callers come in without a session. */
  readonly token?: string
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Confines a caller's path to `http.roots`. Errors: `forbidden`/`path_refused`. */
  resolvePath(path: string): Promise<string>
  /** The absolute path of a packaged file, for the docs pages. */
  assetPath(name: string): string
  readonly mcp?: McpMount
  /** Shared by every stream of the process; absent: one per listener. */
  readonly pump?: Pump
  /** Streams at once above which 503 is answered; absent: as many as the open-file limit leaves. */
  readonly maxStreams?: number
  /** Time for a body to arrive; absent: 30 s. */
  readonly bodyLimitMs?: number
  /** Time for calls in flight when the listener closes; absent: 5 s. */
  readonly graceMs?: number
  readonly after?: After
}

/** One request on its way through a listener. */
export interface Exchange {
  readonly listener: Listener
  /** The port it listens at; undefined for a socket. */
  readonly port: number | undefined
  readonly request: Request
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Aborts when the client is gone, or when the listener closes and its grace is over. */
  readonly signal: AbortSignal
  readonly log: Log
}

/** Who stands behind a request, once its guard let it pass. */
export interface Caller {
  readonly principal: Principal | undefined
  readonly credentials: Credentials
}

/**
 * Who may pass. `caller`: a bearer, or nobody's credential where a local request needs none (surface, section 6).
 * `mount`: the MCP door asks for itself. The others as a plugin states them.
 */
export type EndpointGuard = RouteGuard | 'caller' | 'mount'

/** How an endpoint that is no tool is called and answered. */
export interface EndpointOperation {
  /** Absent: made of method and path. */
  readonly id?: string
  /** As OpenAPI has them. */
  readonly parameters?: readonly Readonly<Record<string, unknown>>[]
  readonly body?: z.ZodObject
  readonly answer?: z.ZodObject
  /** Absent: JSON. */
  readonly mediaType?: string
}

/** One method and path of a listener. Nothing is served that is not an endpoint. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'ALL'
  /** `/handoffs/{id}` */
  readonly path: `/${string}`
  readonly guard: EndpointGuard
  /** The plugin that lent it, else `host`. */
  readonly owner: string
  /** One line for a reader of the API's documents. */
  readonly summary: string
  /** What the API document says beside that. */
  readonly operation?: EndpointOperation
  /** A file that a page loads: no address for a person. */
  readonly asset?: true
  /** Its answer goes on: it takes no HEAD. */
  readonly streams?: true
  serve(exchange: Exchange, caller: Caller): Promise<Response>
  /** The answer to a refused request; absent: a problem document. */
  refuse?(error: SatchelError): Response
}

/** The query of the request's URL. */
export function queryOf(exchange: Exchange): URLSearchParams {
  const { url } = exchange.request
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}

/** What a tool or stream may know of a call that came over HTTP. */
export function callContext(exchange: Exchange, principal: Principal, options: HttpOptions): CallContext {
  return backgroundCall({
    principal,
    signal: exchange.signal,
    log: exchange.log,
    door: 'http',
    resolvePath: options.resolvePath,
  })
}
