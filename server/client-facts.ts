import type { Channel } from './answer/bounds.ts'
import clients from './clients.json' with { type: 'json' }

/** Limits of a client; an absent one is unknown. */
export interface ClientLimits {
  readonly description_chars?: number
  readonly instructions_chars?: number
  /** Length of `mcp__server__tool` or of the client's own form of the name. */
  readonly qualified_name_chars?: number
  readonly tools?: number
  readonly result_tokens?: number
  readonly startup_ms?: number
  readonly call_ms?: number
}

export interface ClientAnswers {
  readonly channel: Channel
  /** Names in `initialize`; a last `*` matches any end. */
  readonly client_info: readonly string[]
  readonly as_of: string
  readonly source: string
}

/** Facts about one release of a client, with source and date. */
export interface ClientFacts {
  readonly client: string
  readonly as_of: string
  readonly source: string
  readonly limits: ClientLimits
  /** What the client hands to its model of a tool result; absent: unknown. */
  readonly answers?: ClientAnswers
  readonly config: Readonly<Record<string, unknown>>
  readonly quirks: readonly string[]
}

export const CLIENT_FACTS: readonly ClientFacts[] = clients.clients as readonly ClientFacts[] // a test checks the file against this shape

export function clientFacts(name: string): ClientFacts | undefined {
  return CLIENT_FACTS.find(({ client }) => client === name)
}

export function clientNames(): readonly string[] {
  return CLIENT_FACTS.map(({ client }) => client)
}
