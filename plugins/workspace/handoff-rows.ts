/** A request that is malformed although each field has its type. */
const malformed = <const Text extends string>(message: Text) =>
  ({ code: 'invalid', reason: 'invalid_request', message }) as const

/** The refusals about handoffs and what they require. */
export const HANDOFF_REFUSALS = {
  not_the_acceptor: {
    code: 'forbidden',
    reason: 'permission_denied',
    message: 'Only the participant who accepted this handoff may hand in its result.',
    next: 'Ask its creator to cancel it and to create another, which you accept.',
  },
  addressed_to_another: {
    code: 'forbidden',
    reason: 'permission_denied',
    message: 'This handoff is addressed to another participant.',
    next: 'Ask its creator for one that you may accept.',
  },
  requirements_unmet: {
    code: 'conflict',
    message: 'The result does not meet what its handoff requires: {findings}.',
    next: 'Its acceptor can hand in a corrected result.',
  },
  requirement_unknown: malformed('No plugin here checks the requirement "{name}". Known: {names}.'),
  requirement_record: malformed('The requirement fresh needs a record_id.'),
  record_id_unknown: malformed('This is not a handoff record here: {why}'),
  handoff_record_invalid: {
    code: 'invalid',
    message: 'The handoff record breaks its schema in {places}.',
    next: 'See details.errors.',
  },
} as const
