/** The closed list of error codes; what each means at a door stands in `server/error-table.ts`. */
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

/** A tool call that is safe to make next. Never destructive; left out for a caller who cannot see the tool. */
export interface NextStep {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** One thing wrong with an input, at a JSON pointer. */
export interface FieldError {
  readonly pointer: string
  readonly message: string
}

interface ErrorExtras {
  readonly details?: Readonly<Record<string, unknown>>
  readonly next?: NextStep
  readonly cause?: unknown
}

/** The wire shape of an error, the same at every door (surface, section 4). */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly reason: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly next?: NextStep
}

const BRAND = Symbol.for('satchel.error.v1')

/**
 * The one error a caller can act on: `code` from the closed list, `reason` stable and snake_case,
 * `message` what was wrong and the next safe step. Everything else that is thrown reaches a caller as
 * `Internal error` with a log id. The brand is a registered symbol, so that an error made by a plugin's
 * own copy of this package is recognised too.
 */
export class SatchelError extends Error {
  readonly [BRAND] = true
  readonly code: ErrorCode
  readonly reason: string
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly next: NextStep | undefined

  constructor(code: ErrorCode, reason: string, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? undefined : { cause: extras.cause })
    this.name = 'SatchelError'
    this.code = code
    this.reason = reason
    this.details = extras.details
    this.next = extras.next
  }
}

/** True for a `SatchelError` of this or any other copy of the package. */
export function isSatchelError(thrown: unknown): thrown is SatchelError {
  return typeof thrown === 'object' && thrown !== null && BRAND in thrown
}

/** The error that `body` describes: the inverse of `errorBody`. */
export function errorFromBody(body: ErrorBody, cause?: unknown): SatchelError {
  return new SatchelError(body.code, body.reason, body.message, { ...body, cause })
}

/** The error as plain data, without stack and cause; absent members are left out. */
export function errorBody(error: SatchelError): ErrorBody {
  return {
    code: error.code,
    reason: error.reason,
    message: error.message,
    ...(error.details && { details: error.details }),
    ...(error.next && { next: error.next }),
  }
}
