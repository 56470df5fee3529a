import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { asCallerError } from '../call.ts'
import type { Log } from '../contract/context.ts'
import type { ErrorCode, SatchelError } from '../contract/errors.ts'

/** Code of a refusal for which the protocol has none. */
export const REFUSED = -32000
/** Code for clients before 2026-07-28. The SDK replaces it and the legacy transports restore it. */
export const LEGACY_RESOURCE_NOT_FOUND = -32002
export const INVALID_PARAMS = ProtocolErrorCode.InvalidParams
const INTERNAL = ProtocolErrorCode.InternalError

const CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid: INVALID_PARAMS,
  not_found: INVALID_PARAMS,
  internal: INTERNAL,
}

/** Creates the error of an unknown, foreign or forbidden resource. */
export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Resource not found', { uri })
}

/**
 * Converts any thrown value to the error sent to the client: protocol errors unchanged, a `SatchelError` with its
 * code and reason, an unforeseen error as `Internal error` with a log id.
 */
export function asProtocolError(
  thrown: unknown,
  at: { readonly log: Log; readonly signal: AbortSignal },
  method: string,
): ProtocolError {
  if (ProtocolError.isInstance(thrown)) return thrown
  const error = asCallerError(thrown, at, method)
  if (error.reason === 'internal') return new ProtocolError(INTERNAL, 'Internal error', { ...error.details })
  return refusedAs(error)
}

/** The error of a refusal, with its code and reason. */
export function refusedAs(error: SatchelError): ProtocolError {
  return new ProtocolError(CODES[error.code] ?? REFUSED, error.message, {
    code: error.code,
    reason: error.reason,
    ...(error.details && { details: error.details }),
  })
}
