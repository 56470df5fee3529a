/** The refusals about sessions that begin and end, and about what a connector asks for. */
export const SESSION_REFUSALS = {
  session_expired: {
    code: 'unauthorized',
    message: 'This session has ended.',
    next: 'Join the room again.',
  },
  other_room: {
    code: 'conflict',
    message: 'This address now serves another room. Nothing was changed.',
    next: 'Open a new link to the room.',
  },
  session_live: {
    code: 'invalid',
    reason: 'invalid_request',
    message: 'This session has not ended: go on with it.',
  },
  connector_id: {
    code: 'invalid',
    reason: 'invalid_request',
    message: 'This is not an id of a search result.',
    next: 'Take the id of a result, or document.',
  },
} as const
