import type { z } from 'zod'
import type { Log } from '../context.ts'
import type { Credentials, Principal } from './principal.ts'

/** `open`: anyone; `socket`: the owner of the socket file; the others name where the credential travels. */
export type RouteGuard = 'open' | 'bearer' | 'cookie' | 'bearer-or-cookie' | 'socket'

/** What one request at a plugin's route may know and use. */
export interface RouteContext {
  /** Absent behind the guard `open` when nothing was presented. */
  readonly principal?: Principal
  readonly credentials: Credentials
  readonly signal: AbortSignal
  readonly log: Log
  readonly params: Readonly<Record<string, string>>
  /** The peer's address, for rate limits; never stored. */
  readonly peer: string
}

/** What the API document says of a route, beside its path and guard. */
export interface RouteDocument {
  /** Unique in the document; with a hyphen, which no tool's name has. */
  readonly operationId: `${string}-${string}`
  readonly summary: string
  /** The JSON body it takes; absent: none. */
  readonly body?: z.ZodObject
  /** The JSON it answers; absent: not said. */
  readonly answer?: z.ZodObject
  /** What it answers where that is no JSON, such as `text/markdown`. */
  readonly mediaType?: string
}

/** A route that is no tool: a page, a claim, a well-known file. Every route states its guard. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: `/${string}`
  readonly listeners: readonly string[]
  readonly guard: RouteGuard
  /** Cap of the body in bytes; absent: 1 MiB. */
  readonly maxBodyBytes?: number
  /** Absent: the document shows its path and guard only. */
  readonly document?: RouteDocument
  handle(ctx: RouteContext, request: Request): Promise<Response>
}

/** A place the HTTP door listens at. `mcp: false` keeps `/mcp` off it. */
export interface Listener {
  readonly name: string
  readonly at: { readonly host: string; readonly port: number } | { readonly socket: string }
  readonly mcp: boolean
  /** A busy port moves to the next free one. */
  readonly nextFreePort?: true
  /** Host names accepted beside loopback. */
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
}

/** A listener that is served. Owned by whoever opened it; the host closes what is left when it stops. */
export interface OpenListener {
  readonly name: string
  /** `http://127.0.0.1:4180`, or the socket's path. */
  readonly address: string
  /** Ends its streams, then its sockets. */
  close(): Promise<void>
}
