/** The refusals about sessions that begin and end. */
export const SESSION_REFUSALS = {
  session_expired: {
    code: 'unauthorized',
    message: 'This session has ended.',
    next: 'Join the room again.',
  },
  session_live: {
    code: 'invalid',
    reason: 'invalid_request',
    message: 'This session has not ended: go on with it.',
  },
} as const
