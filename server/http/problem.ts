import { challengeOf } from '../challenge.ts'
import {
  type ErrorCode,
  errorBody,
  errorFromBody,
  type NextStep,
  type SatchelError,
} from '../contract/errors.ts'
import { ERROR_TABLE, transportStatus } from '../error-table.ts'
import { isJsonObject, isTextList } from '../platform/json-object.ts'
import { retryAfterOf } from '../retry-after.ts'

/** Returns the HTTP status of an error. Some refusals of the transport have their own (surface, section 4). */
function statusOf(error: Pick<SatchelError, 'code' | 'reason'>): number {
  const own = error.code === 'invalid' ? transportStatus(error.reason) : undefined
  return own ?? ERROR_TABLE[error.code].http
}

/** Returns the headers of an error: the credentials that would help, allowed methods, time to retry. */
export function headersOf(error: SatchelError): Record<string, string> {
  const status = statusOf(error)
  const allow = error.details?.['allow']
  const challenge = challengeOf(error)
  return {
    ...(challenge !== undefined && { 'www-authenticate': challenge }),
    ...(status === 405 && Array.isArray(allow) && { allow: allow.join(', ') }),
    ...((status === 408 || status === 413) && { connection: 'close' }),
    ...((status === 429 || status === 503) && { 'retry-after': retryAfterOf(error) }),
  }
}

/** Returns the error as `application/problem+json` (RFC 9457) with `code`, `reason`, `details`, `untrusted`, `next` and `errors`. */
export function problem(error: SatchelError): Response {
  const { text, ...head } = problemParts(error)
  return new Response(text, head)
}

/** Returns the parts of the same answer. */
export function problemParts(error: SatchelError) {
  const { message, ...rest } = errorBody(error)
  const status = statusOf(error)
  const errors = error.details?.['errors']
  const body = {
    type: 'about:blank',
    title: ERROR_TABLE[error.code].title,
    status,
    detail: message,
    ...rest,
    ...(Array.isArray(errors) && { errors }),
  }
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(text)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headersOf(error),
  }
  return { text, status, headers }
}

/** Parses a body that `problem` wrote. Undefined for any other body. */
export function parseProblem(body: unknown): SatchelError | undefined {
  if (!isJsonObject(body)) return undefined
  const { code, reason, detail, details, untrusted, next } = body
  if (!isErrorCode(code) || typeof reason !== 'string') return undefined
  return errorFromBody({
    code,
    reason,
    message: String(detail ?? ''),
    ...(isJsonObject(details) && { details }),
    ...(isTextList(untrusted) && { untrusted }),
    ...(isNextStep(next) && { next }),
  })
}

function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_TABLE, value)
}

function isNextStep(value: unknown): value is NextStep {
  return isJsonObject(value) && typeof value['tool'] === 'string' && isJsonObject(value['args'])
}
