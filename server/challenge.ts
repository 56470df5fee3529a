import type { SatchelError } from './contract/errors.ts'

/** Reasons of refused tokens: the caller sent one, and another may do. */
const INVALID_TOKEN: readonly string[] = [
  'token_unknown',
  'token_expired',
  'access_token_invalid',
  'session_expired',
]

/** Refusals of a token that was sent, whose reason is that of a missing one. */
const refusedTokens = new WeakSet<SatchelError>()

/** Returns the refusal, whose challenge then says `error="invalid_token"`. */
export function asInvalidToken(error: SatchelError): SatchelError {
  refusedTokens.add(error)
  return error
}

/** Returns the header `WWW-Authenticate` of a refusal (RFC 6750); undefined if another credential would not help. */
export function challengeOf(error: SatchelError): string | undefined {
  const { code, reason, details } = error
  const scope = details?.['scope']
  if (reason === 'scope_missing' && typeof scope === 'string') {
    return `Bearer realm="satchel", error="insufficient_scope", scope="${scope}"`
  }
  if (code !== 'unauthorized') return undefined
  return INVALID_TOKEN.includes(reason) || refusedTokens.has(error)
    ? 'Bearer realm="satchel", error="invalid_token"'
    : 'Bearer realm="satchel"'
}
