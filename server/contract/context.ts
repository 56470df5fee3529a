import type { ClientInfo, Principal } from './advanced/principal.ts'

/** One JSON line per entry on stderr. Fields are redacted by type: pass data, never a formatted secret. */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** What one call may know and use. */
export interface CallContext {
  readonly principal: Principal
  /** Aborts when the caller disconnects or cancels, or the host stops. Pass it on to everything that waits. */
  readonly signal: AbortSignal
  readonly log: Log
  readonly door: 'mcp' | 'http' | 'cli'
  /** Set where the caller is this OS user over stdio or a command: a plugin may know it as a session of its own. */
  readonly localTransport?: 'stdio' | 'cli'
  readonly client?: ClientInfo
  /** True when the caller takes an MCP task as the answer (the tool is `task: true` and the request declared it). */
  readonly acceptsTask: boolean
  /**
   * The real path of `path`, confined to what this caller may touch: anything at the command line, `http.roots` for
   * everyone else. Relative paths start at the project root.
   * Errors: `forbidden`/`path_refused`.
   */
  resolvePath(path: string): Promise<string>
  /** Reports progress to the caller; never blocks, never throws. `total` in the unit of `done`. */
  progress(done: number, total?: number, message?: string): void
}
