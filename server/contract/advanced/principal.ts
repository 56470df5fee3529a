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
