import { type ErrorCode, type NextStep, SatchelError } from '../../../server/plugin.ts'

/** The code of each reason (design workspace, section 3); `limit_exceeded` has three, see `outOfRange` and its neighbours. */
export const REASON_CODES = {
  permission_denied: 'forbidden',
  invitation_expired: 'forbidden',
  invitation_revoked: 'forbidden',
  socket_folder_unsafe: 'forbidden',
  document_not_found: 'not_found',
  unknown_tool: 'not_found',
  room_not_found: 'not_found',
  participant_not_found: 'not_found',
  session_not_found: 'not_found',
  proposal_not_found: 'not_found',
  lease_not_found: 'not_found',
  invite_not_found: 'not_found',
  handoff_not_found: 'not_found',
  version_not_found: 'not_found',
  version_pruned: 'not_found',
  invitation_redeemed: 'conflict',
  stale_version: 'conflict',
  stale_fence: 'conflict',
  proposal_conflict: 'conflict',
  merge_conflict: 'conflict',
  lease_conflict: 'conflict',
  lease_not_active: 'conflict',
  handoff_state: 'conflict',
  idempotency_mismatch: 'conflict',
  substrate_invalid: 'conflict',
  room_locked: 'conflict',
  invalid_request: 'invalid',
  invalid_region: 'invalid',
  unsupported_version: 'invalid',
  handoff_record_invalid: 'invalid',
  file_not_created: 'invalid',
  unauthorized: 'unauthorized',
  session_expired: 'unauthorized',
  invitation_unknown: 'unauthorized',
  store_unavailable: 'unavailable',
  store_poisoned: 'unavailable',
  store_damaged: 'unavailable',
  transport_unavailable: 'unavailable',
  room_not_running: 'unavailable',
  room_starting: 'unavailable',
  room_owner_lost: 'unavailable',
  protocol_mismatch: 'unavailable',
} as const satisfies Readonly<Record<string, ErrorCode>>
export type Reason = keyof typeof REASON_CODES

interface Extras {
  readonly details?: Readonly<Record<string, unknown>>
  readonly next?: NextStep
  readonly cause?: unknown
}

/** Where what is missing can be looked for, unless the refusal knows better. */
const LISTED_BY: Partial<Readonly<Record<Reason, string>>> = {
  participant_not_found: 'workspace_participants',
  session_not_found: 'workspace_sessions',
  proposal_not_found: 'workspace_proposals',
  lease_not_found: 'workspace_leases',
  invite_not_found: 'workspace_invites',
  handoff_not_found: 'workspace_handoff_list',
  version_not_found: 'workspace_history',
  version_pruned: 'workspace_history',
}

/** A refusal with the code that belongs to its reason. `message`: what was wrong and the next safe step. */
export function refusal(reason: Reason, message: string, extras: Extras = {}): SatchelError {
  const list = LISTED_BY[reason]
  const next = list === undefined ? {} : { next: { tool: list, args: {} } }
  return new SatchelError(REASON_CODES[reason], reason, message, { ...next, ...extras })
}

/** A value outside its range: `invalid`/`limit_exceeded`. */
export function outOfRange(what: string, limit: number): SatchelError {
  return new SatchelError(
    'invalid',
    'limit_exceeded',
    `The ${what} is out of range; the limit is ${limit}.`,
    {
      details: { limit },
    },
  )
}

/** A text that is too big: `too_large`/`limit_exceeded`. */
export function tooLarge(what: string, limitBytes: number): SatchelError {
  return new SatchelError(
    'too_large',
    'limit_exceeded',
    `The ${what} may have at most ${limitBytes} bytes.`,
    {
      details: { limit: limitBytes },
    },
  )
}

/** Too many of something: `rate_limited`/`limit_exceeded`, with the seconds after which to try again. */
export function tooMany(what: string, limit: number, retryAfterSeconds: number): SatchelError {
  return new SatchelError(
    'rate_limited',
    'limit_exceeded',
    `Too many ${what}; at most ${limit} are allowed.`,
    {
      details: { limit, retry_after_s: retryAfterSeconds },
    },
  )
}

/** The one answer for what this caller may not do. */
export function permissionDenied(capability?: string): SatchelError {
  const what = capability ? ` It needs the capability "${capability}".` : ''
  return refusal('permission_denied', `This session may not do that.${what}`)
}
