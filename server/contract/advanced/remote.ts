import type { SatchelError } from '../errors.ts'

/**
 * A remote MCP server of 2026-07-28 that a plugin adds to this user's stdio connection: its tools, resources, prompts and
 * tasks are listed beside ours, and its change notifications are passed on.
 */
export interface RemoteMcp {
  /** `https://…/mcp`; `http:` only on loopback, because the bearer travels with every request. */
  readonly url: string
  /** Only tools whose names start so are taken. */
  readonly toolPrefix: string
  /** The field by which each of its changing tools does a repeated call once; absent: a changing call is sent once. */
  readonly keyField?: string
  /** Only resources whose URIs start with one of these are taken. */
  readonly uriPrefixes: readonly string[]
  /** Only these prompts are taken. */
  readonly prompts: readonly string[]
  /**
   * Sent as `Authorization: Bearer`; asked at the first request, and once more after it was refused.
   * Errors: passed on to the caller.
   */
  bearer(): Promise<string>
  /** What callers are told, in the plugin's own words. */
  readonly errors: {
    /** The server cannot be reached, or the connection broke; a changing call may have been done. */
    lost(cause: unknown): SatchelError
    /** The server refused the second bearer too. */
    sessionEnded(): SatchelError
    /** The answer is not one of an MCP server. */
    mismatch(): SatchelError
  }
}
