import type { ErrorCode } from './contract/errors.ts'

interface Row {
  readonly http: number
  readonly exit: number
  readonly title: string
}

/** The HTTP status and exit code of each code (surface, section 4). The only place that maps codes to numbers. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, Row>> = {
  invalid: { http: 400, exit: 3, title: 'Invalid request' },
  unauthorized: { http: 401, exit: 6, title: 'Unauthorized' },
  forbidden: { http: 403, exit: 6, title: 'Forbidden' },
  not_found: { http: 404, exit: 4, title: 'Not found' },
  conflict: { http: 409, exit: 5, title: 'Conflict' },
  too_large: { http: 413, exit: 3, title: 'Too large' },
  rate_limited: { http: 429, exit: 7, title: 'Too many requests' },
  unavailable: { http: 503, exit: 7, title: 'Unavailable' },
  cancelled: { http: 499, exit: 130, title: 'Cancelled' },
  internal: { http: 500, exit: 1, title: 'Internal error' },
}

/** Wrong use of the command line: an unknown verb or flag, a missing argument. */
export const USAGE_EXIT = 2

/** Reasons of the transport with a status of their own; their code is `invalid`. */
const TRANSPORT_STATUS: ReadonlyMap<string, number> = new Map([
  ['method_not_allowed', 405],
  ['body_timeout', 408],
  ['head_timeout', 408],
  ['media_type', 415],
  ['head_too_large', 431],
])

/** Returns the status of a transport refusal; undefined for any other reason. */
export function transportStatus(reason: string): number | undefined {
  return TRANSPORT_STATUS.get(reason)
}
