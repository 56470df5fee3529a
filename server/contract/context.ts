/** What a session may do in a room; `admin` implies all others. */
export const CAPABILITIES = [
  'read',
  'observe',
  'propose',
  'checkout',
  'commit',
  'approve',
  'invite',
  'admin',
] as const
/** One of `CAPABILITIES`. */
export type Capability = (typeof CAPABILITIES)[number]

/**
 * Who is calling. `local` is this OS user, `operator` holds the server token, `session` was made by the
 * `authenticate` of `plugin` and reaches that plugin's tools and resources only.
 */
export interface Principal {
  readonly id: string
  readonly kind: 'local' | 'operator' | 'session'
  readonly plugin?: string
  readonly capabilities: readonly Capability[]
}

/** What a caller presented, before anything is known about it. Secrets in here are never logged. */
export interface Credentials {
  readonly transport: 'http' | 'socket' | 'stdio' | 'cli'
  /** The listener's name, for `http` and `socket`. */
  readonly listener?: string
  readonly bearer?: string
  /** The raw `Cookie` header. */
  readonly cookie?: string
  readonly client?: ClientInfo
}

/** What the client calls itself; a claim, not a credential. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}

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
  /** Aborts when the caller is gone, cancels, or the host stops. Pass it on to everything that waits. */
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
  /** A hint for whoever waits; never blocks, never throws. `total` in the unit of `done`. */
  progress(done: number, total?: number, message?: string): void
}
