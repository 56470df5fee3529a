import { REASON_CODES, type Reason } from './domain/refusal.ts'

/** What brought a refusal about, and what to do about it. */
interface Explained {
  readonly cause: string
  readonly next: string
}

const EXPLAINED: Readonly<Record<Reason, Explained>> = {
  permission_denied: { cause: 'the session lacks the capability', next: 'ask a person who may' },
  invitation_expired: { cause: 'the invitation is over', next: 'ask for a new one' },
  invitation_revoked: { cause: 'the invitation was taken back', next: 'ask for a new one' },
  invitation_redeemed: { cause: 'the invitation was used as often as it allows', next: 'ask for a new one' },
  invitation_unknown: { cause: 'no invitation has this secret', next: 'ask for a new one' },
  document_not_found: {
    cause: 'there is no file to open a room on',
    next: 'satchel workspace open FILE.md --create',
  },
  unknown_tool: { cause: 'no tool of a room has this name', next: 'see satchel tools --profile full' },
  room_not_found: {
    cause: 'there is no room around this file, or no longer',
    next: 'satchel workspace open FILE.md',
  },
  participant_not_found: { cause: 'nobody here has this id, or has left', next: 'workspace_participants' },
  session_not_found: { cause: 'no session has this id', next: 'workspace_sessions' },
  proposal_not_found: { cause: 'no proposal has this id', next: 'workspace_proposals' },
  lease_not_found: { cause: 'no lease has this id', next: 'workspace_leases' },
  invite_not_found: { cause: 'no invitation has this id', next: 'workspace_invites' },
  handoff_not_found: { cause: 'no handoff has this id', next: 'workspace_handoff_list' },
  version_not_found: { cause: 'there is no such version', next: 'workspace_history' },
  version_pruned: { cause: 'the text of this version is no longer kept', next: 'workspace_history' },
  stale_version: {
    cause: 'the document moved since the base version',
    next: 'workspace_read, then propose anew',
  },
  stale_fence: { cause: 'the lease of this fence ended', next: 'workspace_checkout' },
  proposal_conflict: {
    cause: 'the proposal is in a state that does not allow this',
    next: 'workspace_proposal',
  },
  merge_conflict: { cause: 'both sides changed the same lines', next: 'workspace_read, then propose anew' },
  lease_conflict: {
    cause: 'another participant holds an overlapping lease',
    next: 'wait retry_after_seconds',
  },
  lease_not_active: { cause: 'the lease was released or has expired', next: 'workspace_checkout' },
  handoff_state: {
    cause: 'the handoff is in a state that does not allow this',
    next: 'workspace_handoff_get',
  },
  idempotency_mismatch: { cause: 'the key was used for another request', next: 'use a fresh key' },
  substrate_invalid: {
    cause: 'the file is no readable UTF-8 text of at most 4 MiB',
    next: 'repair the file',
  },
  room_locked: { cause: 'another listener owns the room', next: 'use the address it names' },
  invalid_request: { cause: 'the request is not in the form asked for', next: 'see the message' },
  invalid_region: { cause: 'the document has no such section', next: 'workspace_outline' },
  unsupported_version: { cause: 'the sidecar was written by a newer release', next: 'use that release' },
  handoff_record_invalid: { cause: 'the record breaks its schema', next: 'see details.errors' },
  file_not_created: { cause: 'the file could not be made', next: 'check its folder' },
  socket_folder_unsafe: { cause: 'the folder for sockets belongs to somebody else', next: 'see the message' },
  unauthorized: { cause: 'no valid session was presented', next: 'join the room' },
  session_expired: { cause: 'the session ended', next: 'join the room again' },
  store_unavailable: { cause: 'the disk did not take the change', next: 'free space, then try again' },
  store_damaged: { cause: 'what was stored cannot be read', next: 'satchel workspace doctor' },
  store_poisoned: {
    cause: 'a flush failed, another process took the room, or its folder was moved or removed',
    next: 'see the message, then satchel workspace doctor',
  },
  transport_unavailable: { cause: 'the room cannot be reached', next: 'ask its owner' },
  room_not_running: { cause: 'nobody has the room open', next: 'satchel workspace open FILE.md' },
  room_starting: { cause: 'the room is being taken over', next: 'try again in a moment' },
  room_owner_lost: { cause: 'the owner went away and nobody took over in time', next: 'workspace_status' },
  protocol_mismatch: { cause: 'the room is run by another release', next: 'use the same release' },
}

/** A reason with three codes: for a value out of range, for a text, for too many of something. */
const LIMIT_EXCEEDED = [
  'invalid` / `too_large` / `rate_limited',
  'a limit of the room was passed; details.limit names it; next: stay within it',
] as const

/** Every reason of the room with its code and what it says, for the documents. */
export const REASONS: Readonly<Record<string, readonly [code: string, when: string]>> = {
  ...Object.fromEntries(
    Object.entries(EXPLAINED).map(([reason, { cause, next }]) => [
      reason,
      [REASON_CODES[reason as Reason], `${cause}; next: ${next}`], // a key of the table
    ]),
  ),
  limit_exceeded: LIMIT_EXCEEDED,
}
