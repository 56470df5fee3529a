import type { z } from 'zod'
import type { Log } from '../context.ts'
import type { Credentials, Principal } from './principal.ts'

/** `open`: anyone; `socket`: the owner of the socket file; the others name where the credential travels. */
export type RouteGuard = 'open' | 'bearer' | 'cookie' | 'bearer-or-cookie' | 'socket'

/** The context of one request to a plugin's route. */
export interface RouteContext {
  /** Absent behind the guard `open` if the request has no credentials. */
  readonly principal?: Principal
  readonly credentials: Credentials
  readonly signal: AbortSignal
  readonly log: Log
  readonly params: Readonly<Record<string, string>>
  /** The peer's address, or the caller's as a trusted proxy states it, for rate limits; never stored. */
  readonly peer: string
}

/** The description of a route in the API document, in addition to its path and guard. */
export interface RouteDocument {
  /** Unique in the document; contains a hyphen, unlike the names of tools. */
  readonly operationId: `${string}-${string}`
  readonly summary: string
  /** Schema of the JSON body; absent: no body. */
  readonly body?: z.ZodObject
  /** Schema of the JSON answer; absent: not described. */
  readonly answer?: z.ZodObject
  /** Media type of an answer other than JSON, such as `text/markdown`. */
  readonly mediaType?: string
}

/** A route other than a tool: a page, a claim, a well-known file. Every route states its guard. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: `/${string}`
  readonly listeners: readonly string[]
  readonly guard: RouteGuard
  /** Cap of the body in bytes; absent: 1 MiB. */
  readonly maxBodyBytes?: number
  /** Absent: the document shows only path and guard. */
  readonly document?: RouteDocument
  handle(ctx: RouteContext, request: Request): Promise<Response>
}

/** An address at which the HTTP door listens. `mcp: false` omits `/mcp`. */
export interface Listener {
  readonly name: string
  readonly at: { readonly host: string; readonly port: number } | { readonly socket: string }
  readonly mcp: boolean
  /** If the port is busy, use the next free one. */
  readonly nextFreePort?: true
  /** Host names accepted in addition to loopback. */
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
  /** A page of this listener calls it, with a bearer: its own origin is accepted although it serves MCP. */
  readonly servesPage?: true
}

/** An open listener. Owned by the code that opened it; the host closes the remaining ones when it stops. */
export interface OpenListener {
  readonly name: string
  /** `http://127.0.0.1:4180`, or the socket's path. */
  readonly address: string
  /** Ends its streams, then its sockets. */
  close(): Promise<void>
}
