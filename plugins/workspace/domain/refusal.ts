import type { SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'

/** A value outside its range: `invalid`/`limit_exceeded`. `least` absent: only too much is refused. */
export function outOfRange(what: string, limit: number, least?: number): SatchelError {
  const range = least === undefined ? `at most ${limit}` : `${least} to ${limit}`
  return refusals.out_of_range({ what, range }, { details: { limit, ...(least !== undefined && { least }) } })
}

/** A number as asked for, 1 to `limit`. Errors: `invalid`/`limit_exceeded`. */
export function inRange(asked: number, what: string, limit: number): number {
  if (asked < 1 || asked > limit) throw outOfRange(what, limit, 1)
  return asked
}

/** A text that is too large: `too_large`/`limit_exceeded`. */
export function tooLarge(what: string, limitBytes: number): SatchelError {
  return refusals.text_too_large({ what, limit: limitBytes }, { details: { limit: limitBytes } })
}

/** Too many of something: `rate_limited`/`limit_exceeded`, with the seconds after which to try again. */
export function tooMany(what: string, limit: number, seconds: number): SatchelError {
  return refusals.too_many({ what, limit, seconds }, { details: { limit, retry_after_s: seconds } })
}

/** What this caller may not do, with the capability that would allow it. */
export function permissionDenied(capability?: string): SatchelError {
  return capability === undefined ? refusals.permission_denied() : refusals.capability_missing({ capability })
}
