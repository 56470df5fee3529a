/** What a session may do; `admin` implies all others. */
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
 * The caller. `local` is this OS user, `operator` holds a token of the server, `session` comes from the `authenticate`
 * function of `plugin` and can use only the tools and resources of that plugin.
 */
export interface Principal {
  readonly id: string
  readonly kind: 'local' | 'operator' | 'session'
  readonly plugin?: string
  readonly capabilities: readonly Capability[]
  /** What the token of an `operator` allows, such as `read` or `modules:write`; absent: everything. The host checks it. */
  readonly scopes?: readonly string[]
}

/** Unverified credentials of a request. Their secrets are never logged. */
export interface Credentials {
  readonly transport: 'http' | 'socket' | 'stdio' | 'cli'
  /** The listener's name, for `http` and `socket`. */
  readonly listener?: string
  readonly bearer?: string
  /** The raw `Cookie` header. */
  readonly cookie?: string
  /**
   * What the caller's page was opened for: the header `X-Satchel-Expects`, at a stream the query's `expects`. A plugin that
   * serves something else at this address refuses.
   */
  readonly expects?: string
  readonly client?: ClientInfo
}

/** Name and version that the client claims; not a credential. */
export interface ClientInfo {
  readonly name: string
  readonly version: string
}
