import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { z } from 'zod'
import type { OAuthSettings } from '../config-sections.ts'
import type { Credentials, Principal } from '../contract/advanced/principal.ts'
import type { Listener, RouteGuard } from '../contract/advanced/route.ts'
import type { CallContext, Log } from '../contract/context.ts'
import type { SatchelError } from '../contract/errors.ts'
import type { After } from '../fanout/after.ts'
import type { Pump } from '../fanout/pump.ts'
import type { McpMount } from '../mcp-mount.ts'
import type { Metrics } from '../metrics.ts'
import { backgroundCall } from '../platform/background-call.ts'
import type { LoopDelay } from '../platform/loop-delay.ts'
import { unknownArgument } from '../unknown-key.ts'
import type { KeptServers } from './kept-servers.ts'
import { refusals } from './refusals.ts'

/** Parts of the HTTP door that `run.ts` provides, shared by all listeners of a process. */
export interface HttpOptions {
  readonly version: string
  readonly description: string
  /** The server's token; absent: there is no operator, and only loopback callers need no session. */
  readonly token?: string
  /**
   * The caller with a credential that the host issued or trusts, at a listener of its own; undefined for others.
   * Errors: `unauthorized`, `unavailable`. Absent: there is none.
   */
  recognize?(bearer: string): Promise<Principal | undefined>
  /** The authorization server whose tokens `recognize` accepts, for the metadata; absent: none. */
  readonly oauth?: Pick<OAuthSettings, 'issuer' | 'resource'> | undefined
  /** The token of this user's file, accepted over loopback; absent: the system tells whose a connection is. */
  readonly localToken?: string | undefined
  /** Reports whether the peer of a loopback connection is this OS user; absent: the system is asked. */
  isOwnUser?(socket: Socket): Promise<boolean>
  /** Addresses of proxies that are believed, or ranges of them (`10.0.0.0/8`); absent: none. */
  readonly trustProxy?: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Confines a caller's path to `http.roots`. Errors: `forbidden`/`path_refused`. */
  resolvePath(path: string): Promise<string>
  /** Returns the absolute path of a packaged file, for the docs pages. */
  assetPath(name: string): string
  readonly mcp?: McpMount
  /** Requests a second from one address; absent: no limit. */
  readonly rate?: number | undefined
  /** What the server counts, for `/metrics`; absent: nothing is counted. */
  readonly metrics?: Metrics | undefined
  /** Delays of the event loop, for `/ready`; absent: not measured. */
  loopDelay?(): LoopDelay
  /** Reports whether the server was told to stop and still serves, for `/ready`; absent: never. */
  isDraining?(): boolean
  /** The servers that stay open while this host ends and the next begins; absent: none. */
  readonly kept?: KeptServers
  /** Shared by all streams of the process; absent: one per listener. */
  readonly pump?: Pump
  /** Maximum number of concurrent streams, then 503; absent: as many as the open-file limit allows. */
  readonly maxStreams?: number
  /** Time for a body to arrive; absent: 30 s. */
  readonly bodyLimitMs?: number
  /** Time for calls in flight when the listener closes; absent: 5 s. */
  readonly graceMs?: number
  readonly after?: After
}

/** One request to a listener. */
export interface Exchange {
  readonly listener: Listener
  /** The port of the listener; undefined for a socket. */
  readonly port: number | undefined
  readonly request: Request
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  /** Decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Aborts when the client disconnects, or when the grace period of a closing listener ends. */
  readonly signal: AbortSignal
  readonly log: Log
}

/** The caller of a request that passed its guard. */
export interface Caller {
  readonly principal: Principal | undefined
  readonly credentials: Credentials
}

/**
 * The authentication of an endpoint. `caller`: a bearer token, or none for a local request (surface, section 6).
 * `mount`: the MCP door authenticates the caller. `public`: none, for what tells how to get a credential. The others are
 * the guards that plugins state.
 */
export type EndpointGuard = RouteGuard | 'caller' | 'mount' | 'public'

/** The description of an endpoint other than a tool. */
export interface EndpointOperation {
  /** Absent: derived from method and path. */
  readonly id?: string
  /** OpenAPI parameter objects. */
  readonly parameters?: readonly Readonly<Record<string, unknown>>[]
  readonly body?: z.ZodObject
  readonly answer?: z.ZodObject
  /** Absent: JSON. */
  readonly mediaType?: string
}

/** One method and path of a listener. A listener serves only endpoints. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE' | 'ALL'
  /** `/handoffs/{id}` */
  readonly path: `/${string}`
  readonly guard: EndpointGuard
  /** The plugin that declares it, otherwise `host`. */
  readonly owner: string
  /** One line for the API document. */
  readonly summary: string
  /** Further description in the API document. */
  readonly operation?: EndpointOperation
  /** True for a file that a page loads; omitted from the list of addresses. */
  readonly asset?: true
  /** True for a stream, which does not support HEAD. */
  readonly streams?: true
  serve(exchange: Exchange, caller: Caller): Promise<Response>
  /** The answer to a refused request; absent: a problem document. */
  refuse?(error: SatchelError): Response
}

/** Returns the query of the request's URL. */
export function queryOf(exchange: Exchange): URLSearchParams {
  const { url } = exchange.request
  const at = url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1))
}

/**
 * The value of a parameter that has one; undefined: it is absent. Of two, a proxy in front may have judged the other one.
 * Errors: `invalid`/`bad_request`.
 */
export function onlyParameter(exchange: Exchange, name: string): string | undefined {
  const [value, second] = queryOf(exchange).getAll(name)
  if (second !== undefined) throw refusals.parameter_repeated({ name }, { details: { parameter: name } })
  return value
}

/**
 * Refuses a parameter that a route does not read: misspelt, it would give another answer than was asked for.
 * Errors: `invalid`/`unknown_argument`.
 */
export function requireKnownQuery(exchange: Exchange, known: readonly string[]): void {
  const unknown = [...queryOf(exchange).keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownArgument(unknown, known)
}

/** Creates the call context of an HTTP request. */
export function callContext(exchange: Exchange, principal: Principal, options: HttpOptions): CallContext {
  return backgroundCall({
    principal,
    signal: exchange.signal,
    log: exchange.log,
    door: 'http',
    resolvePath: options.resolvePath,
  })
}
