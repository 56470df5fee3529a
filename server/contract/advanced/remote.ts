/**
 * An MCP server of 2026-07-28 elsewhere that a plugin lends to this user's own pipe: over stdio its tools, resources,
 * prompts and tasks stand beside ours, and its change notifications become ours.
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
   * What is sent as `Authorization: Bearer`; asked at the first request, and once more after it was refused.
   * Errors: what the caller is then told.
   */
  bearer(): Promise<string>
}
