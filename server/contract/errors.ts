/** The closed list of error codes; `server/error-table.ts` maps each to an HTTP status and an exit code. */
export const ERROR_CODES = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'too_large',
  'rate_limited',
  'unavailable',
  'cancelled',
  'internal',
] as const
/** One of `ERROR_CODES`. */
export type ErrorCode = (typeof ERROR_CODES)[number]

/** A tool call that is safe to make next. Never destructive; omitted if the caller cannot see the tool. */
export interface NextStep {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** One error in an input, at a JSON pointer. */
export interface FieldError {
  readonly pointer: string
  readonly message: string
}

/** The wire shape of an error, the same at every door (surface, section 4). */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly reason: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Members of `details` that hold text of other authors: the MCP door cleans and fences them. */
  readonly untrusted?: readonly string[]
  readonly next?: NextStep
}

interface ErrorExtras extends Pick<ErrorBody, 'details' | 'untrusted' | 'next'> {
  readonly cause?: unknown
}

const BRAND = Symbol.for('satchel.error.v1')

/**
 * An error that a caller can act on: `code` from the closed list, a stable `reason` in snake_case, and a
 * `message` with the problem and the next safe step. Callers see any other error as `Internal error` with a
 * log id. The brand is a registered symbol, so that errors from a plugin's own copy of this package match too.
 */
export class SatchelError extends Error {
  readonly [BRAND] = true
  readonly code: ErrorCode
  readonly reason: string
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly untrusted: readonly string[] | undefined
  readonly next: NextStep | undefined

  constructor(code: ErrorCode, reason: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'SatchelError'
    this.code = code
    this.reason = reason
    this.details = extras.details
    const given = { ...this.details }
    this.untrusted = extras.untrusted?.some((name) => name in given) ? extras.untrusted : undefined
    this.next = extras.next
  }
}

/** Reports whether a value is a `SatchelError` of this or another copy of the package. */
export function isSatchelError(thrown: unknown): thrown is SatchelError {
  try {
    return typeof thrown === 'object' && thrown !== null && BRAND in thrown
  } catch {
    return false // a proxy may throw at every look
  }
}

/** Returns the error that `body` describes: the inverse of `errorBody`. */
export function errorFromBody(body: ErrorBody, cause?: unknown): SatchelError {
  return new SatchelError(body.code, body.reason, body.message, { ...body, cause })
}

/** Returns the error as plain data, without stack and cause; absent members are omitted. */
export function errorBody(error: SatchelError): ErrorBody {
  return {
    code: error.code,
    reason: error.reason,
    message: error.message,
    ...(error.details && { details: error.details }),
    ...(error.untrusted && { untrusted: error.untrusted }),
    ...(error.next && { next: error.next }),
  }
}
