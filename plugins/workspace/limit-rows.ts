/** The refusals of what exceeds a limit: `limit_exceeded`. */
export const LIMIT_REFUSALS = {
  out_of_range: {
    code: 'invalid',
    reason: 'limit_exceeded',
    message: 'The {what} is out of range; it may be {range}.',
  },
  text_too_large: {
    code: 'too_large',
    reason: 'limit_exceeded',
    message: 'The {what} may have at most {limit} bytes.',
  },
  too_many: {
    code: 'rate_limited',
    reason: 'limit_exceeded',
    message: 'Too many {what}; at most {limit} are allowed.',
    next: 'Try again in {seconds} s.',
  },
  too_many_pending: {
    code: 'rate_limited',
    reason: 'limit_exceeded',
    message: 'Too many pending proposals of one participant; at most {limit} are allowed.',
    next: 'Withdraw one, or wait for a review.',
  },
  lease_at_cap: {
    code: 'rate_limited',
    reason: 'limit_exceeded',
    message: 'A lease lasts at most {limit} minutes in all: this one ends at {end} and cannot be renewed.',
    next: 'Release it, then check out the target again.',
  },
} as const
