import type { SatchelError } from '../errors.ts'

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
