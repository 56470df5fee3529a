import type { ClientInfo, Principal } from './advanced/principal.ts'

/** Writes one JSON line per entry on stderr. Fields are redacted by type: pass data, never a formatted secret. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** The context of one call. */
export interface CallContext {
  readonly principal: Principal
  /** Aborts when the caller disconnects or cancels, or when the host stops. Pass it to every operation that waits. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly door: 'mcp' | 'http' | 'cli'
  /** Set if the caller is this OS user over stdio or a command; a plugin may map it to a session of its own. */
  readonly localTransport?: 'stdio' | 'cli'
  readonly client?: ClientInfo
  /** True if the caller accepts an MCP task as the answer (the tool has `task: true` and the request declared it). */
  readonly acceptsTask: boolean
  /**
   * Resolves `path` to a real path that this caller may use: any path at the command line, only paths in `http.roots`
   * at the other doors. Relative paths start at the project root.
   * Errors: `forbidden`/`path_refused`.
   */
  resolvePath(path: string): Promise<string>
  /** Reports progress to the caller; never blocks, never throws. `total` in the unit of `done`. */
  progress(done: number, total?: number, message?: string): void
}
