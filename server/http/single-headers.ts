import type { IncomingMessage } from 'node:http'
import { refusals } from './refusals.ts'

/** Headers with one value that say who calls, from where, or what is asked for. Lists, as `X-Forwarded-For` is, may be repeated. */
const SINGLE: ReadonlySet<string> = new Set([
  ...['authorization', 'cookie', 'host', 'origin', 'sec-fetch-site'],
  ...['content-type', 'if-match', 'last-event-id', 'x-satchel-expects', 'x-satchel-request'],
  ...['mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'],
])

/**
 * Refuses a request with two lines of such a header, equal or not: a proxy in front may have judged it by the other one.
 * Errors: `invalid`/`bad_request`.
 */
export function requireSingleHeaders({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): void {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at]?.toLowerCase() ?? ''
    if (seen.has(header)) throw refusals.header_repeated({ header }, { details: { header } })
    if (SINGLE.has(header)) seen.add(header)
  }
}
