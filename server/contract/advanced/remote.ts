import type { SatchelError } from '../errors.ts'

/** A tool that waits until something happened, or its time is up. */
export interface WaitingTool {
  readonly name: string
  /** Input field with the seconds to wait; a whole number. */
  readonly secondsField: string
  readonly defaultSeconds: number
  readonly maxSeconds: number
  /** The longest that one request of the link waits. */
  readonly turnSeconds: number
  /** Field of the answer: false means that the time was up. */
  readonly doneField: string
}

/**
 * A remote MCP server of 2026-07-28 that a plugin adds to this user's stdio connection. The host lists its tools,
 * resources, prompts and tasks with its own and forwards its change notifications.
 */
export interface RemoteMcp {
  /** `https://…/mcp`; `http:` only on loopback, because the bearer travels with every request. */
  readonly url: string
  /** Only tools with this name prefix are used. */
  readonly toolPrefix: string
  /** Input field that makes a repeated call of a writing tool idempotent; absent: a writing call is sent only once. */
  readonly keyField?: string
  /** Called again and again until its time is up, also while the server starts again; absent: no tool waits. */
  readonly waitingTool?: WaitingTool
  /** Only resources with one of these URI prefixes are used. */
  readonly uriPrefixes: readonly string[]
  /** Only these prompts are used. */
  readonly prompts: readonly string[]
  /**
   * Returns the bearer token. Called at the first request, and once more if the server refuses the token.
   * `client`: the name that the client of this connection gave itself.
   * Errors: passed on to the caller.
   */
  bearer(client?: string): Promise<string>
  /** The errors for callers, in the words of the plugin. */
  readonly errors: {
    /** The server is unreachable or the connection broke; a writing call may have taken effect. */
    lost(cause: unknown): SatchelError
    /** The server also refused the second token. */
    sessionEnded(): SatchelError
    /** The answer is not from an MCP server. */
    mismatch(): SatchelError
  }
}
