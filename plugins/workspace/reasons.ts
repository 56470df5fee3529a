import { defineRefusals } from '../../server/plugin.ts'
import { ENGINE_REFUSALS } from './engine/refusal-rows.ts'
import { HANDOFF_REFUSALS } from './handoff-rows.ts'
import { LIMIT_REFUSALS } from './limit-rows.ts'
import { OWNER_REFUSALS } from './owner-rows.ts'
import { REPLICA_REFUSALS } from './replica-rows.ts'
import { SESSION_REFUSALS } from './session-rows.ts'

const INVITATION_NEXT = 'Ask for a new invitation.'
const CHECKOUT_NEXT = 'Check out the target again.'
const NOT_RUNNING = { code: 'unavailable', reason: 'room_not_running' } as const
const LOCKED = { code: 'conflict', reason: 'room_locked' } as const

/** A request that is malformed although each field has its type. */
const malformed = <const Text extends string>(message: Text) =>
  ({ code: 'invalid', reason: 'invalid_request', message }) as const

/** What an id does not name, and the tool that lists what there is. */
const absent = (what: string, tool: string) =>
  ({ code: 'not_found', message: `There is no such ${what} in this room.`, tool }) as const

/** Every refusal of a room. Several rows may share a reason. */
export const refusals = defineRefusals({
  ...ENGINE_REFUSALS,
  ...SESSION_REFUSALS,
  ...REPLICA_REFUSALS,
  ...OWNER_REFUSALS,
  ...LIMIT_REFUSALS,

  permission_denied: { code: 'forbidden', message: 'This session may not do that.' },
  capability_missing: {
    code: 'forbidden',
    reason: 'permission_denied',
    message: 'This session lacks the capability "{capability}".',
  },
  unauthorized: {
    code: 'unauthorized',
    message: 'This needs a session of the room.',
    next: 'Join the room first.',
  },
  session_not_stored: {
    code: 'unauthorized',
    reason: 'unauthorized',
    message: 'No session of this room is stored.',
    next: 'Start with --invite URI, or run satchel workspace join URI.',
  },
  cookie_repeated: {
    code: 'invalid',
    reason: 'bad_request',
    message: 'The browser sends the cookie {name} more than once: another page of this address has set one.',
    next: 'Remove the cookies of this address in the browser, then create another link: satchel workspace owner-link.',
  },
  owner_link_used: {
    code: 'unauthorized',
    reason: 'unauthorized',
    message: 'This link was used before, or it is too old.',
    next: 'Create another one: satchel workspace owner-link.',
  },
  origin_not_allowed: {
    code: 'forbidden',
    message: 'Only the page of this server may claim its link.',
  },

  invitation_unknown: {
    code: 'unauthorized',
    message: 'This room has no such invitation.',
    next: INVITATION_NEXT,
  },
  invitation_expired: { code: 'forbidden', message: 'This invitation has expired.', next: INVITATION_NEXT },
  invitation_revoked: { code: 'forbidden', message: 'This invitation was revoked.', next: INVITATION_NEXT },
  invitation_redeemed: {
    code: 'conflict',
    message: 'This invitation has no uses left.',
    next: INVITATION_NEXT,
  },
  invitation_malformed: malformed('This is not an invitation (satchel://join/…), or not a whole one.'),

  participant_not_found: absent('participant', 'workspace_participants'),
  participant_left: {
    code: 'not_found',
    reason: 'participant_not_found',
    message: 'This participant has left the room.',
    tool: 'workspace_participants',
  },
  session_not_found: absent('session', 'workspace_sessions'),
  proposal_not_found: absent('proposal', 'workspace_proposals'),
  lease_not_found: absent('lease', 'workspace_leases'),
  invite_not_found: absent('invitation', 'workspace_invites'),
  handoff_not_found: absent('handoff', 'workspace_handoff_list'),
  task_not_found: {
    code: 'not_found',
    reason: 'handoff_not_found',
    message: 'There is no such task.',
    tool: 'workspace_handoff_list',
  },
  version_not_found: {
    code: 'not_found',
    message: 'There is no such version.',
    tool: 'workspace_history',
  },
  version_pruned: {
    code: 'not_found',
    message: 'The text of this version is no longer kept.',
    tool: 'workspace_history',
  },
  base_pruned: {
    code: 'not_found',
    reason: 'version_pruned',
    message: 'The text that this proposal is based on is no longer kept.',
    next: 'Propose the change again.',
    tool: 'workspace_history',
  },
  resource_not_found: { code: 'not_found', message: 'There is no such resource.' },
  unknown_tool: { code: 'not_found', message: 'The room has no tool called {name}.{hint}' },

  stale_version: {
    code: 'conflict',
    message: 'Version {base} is stale; the document is at {current}.',
    next: 'Read it again with workspace_read.',
    tool: 'workspace_read',
    untrusted: ['changes', 'diff'],
  },
  version_ahead: {
    code: 'conflict',
    reason: 'stale_version',
    message: 'There is no version {base} yet; the document is at {current}.',
    next: 'Read it again with workspace_read.',
    tool: 'workspace_read',
  },
  stale_fence: {
    code: 'conflict',
    message: 'This fence is not current: its lease has ended or belongs to another participant.',
    next: CHECKOUT_NEXT,
    tool: 'workspace_leases',
  },
  proposal_conflict: {
    code: 'conflict',
    message: 'This proposal is {status}.',
    next: 'Read it before the next step.',
  },
  merge_conflict: {
    code: 'conflict',
    message: '{parts} changed on both sides.',
    next: 'Read version {version}, then propose again.',
    tool: 'workspace_read',
    untrusted: ['hunks'],
  },
  lease_conflict: {
    code: 'conflict',
    message: 'Another participant holds a lease on {target}.',
    next: 'Try again in {seconds} s or after its release.',
    tool: 'workspace_leases',
  },
  lease_not_active: {
    code: 'conflict',
    message: 'This lease is {status}.',
    next: CHECKOUT_NEXT,
    tool: 'workspace_leases',
  },
  handoff_state: { code: 'conflict', message: 'This handoff is {status}; it cannot become {to}.' },
  idempotency_mismatch: {
    code: 'conflict',
    message: 'This idempotency_key was used for another request.',
    next: 'Use a new key.',
  },

  invalid_region: {
    code: 'invalid',
    message: 'The document has no such section.',
    next: 'Use "workspace" or "section:<heading path>"; details.targets, if given, names some.',
    tool: 'workspace_outline',
    untrusted: ['targets'],
  },
  edit_failed: {
    code: 'conflict',
    message: 'The old text of edit {edit} {found} in {target} of version {version}.',
    next: 'Send text that occurs once, exactly as workspace_read gives it.',
  },
  patch_unfit: {
    code: 'conflict',
    reason: 'edit_failed',
    message: 'The patch does not fit {target} of version {version}.',
    next: 'Send a unified diff of exactly what workspace_read gives.',
  },
  no_change: {
    code: 'conflict',
    message: 'This proposal changes nothing: the target has this text.',
  },
  ...HANDOFF_REFUSALS,
  text_empty: malformed('The {what} is empty.'),
  capabilities_unknown: malformed('Capabilities are some of {names}, or *.'),
  commit_input: malformed(
    'A commit takes either proposal_id, or base_version, summary and one of content and patch.',
  ),
  query_empty: malformed('The query has no words.'),
  wait_input: malformed('Wait for exactly one of since_event_id, proposal_id and handoff_id.'),
  propose_input: malformed('A proposal takes exactly one of content, edits and patch.'),
  edits_empty: malformed('Edits are one or more, each with a text to replace.'),
  half_character: malformed('The argument {field} is not valid Unicode: it has half of a surrogate pair.'),
  result_without_proposal: malformed('This result names no proposal to commit.'),
  page_cursor: malformed('This room did not return this cursor. Start without one.'),
  event_cursor: malformed('The cursor must be an event id, in since_event_id or Last-Event-ID.'),
  max_tokens: malformed('max_tokens must be 1 or more. Omit it for the whole text.'),
  idempotency_key: malformed('An idempotency_key is 1 to 128 visible ASCII characters.'),
  use_limit: malformed('Send max_uses or unlimited, not both.'),
  task_kind: malformed('"kind" must be "get", "cancel", or "update" with "responses".'),
  participant_kind: malformed('"kind" must be "human" or "agent".'),
  field_not_text: malformed('"{field}" must be a string.'),
  body_not_object: malformed('The body must be a JSON object.'),
  input_not_object: {
    code: 'invalid',
    reason: 'invalid_arguments',
    message: 'The input must be a JSON object.',
  },
  media_type: { code: 'invalid', message: 'The body has the wrong type.', next: 'Send application/json.' },
  change_missing: malformed('The argument "change" is empty.'),
  room_address: malformed('The address of a remote room must use https, or http on this machine.'),

  room_not_found: {
    code: 'not_found',
    message: 'There is no room around this file yet.',
    next: 'Open one: satchel workspace open {file}.',
  },
  folder_not_found: {
    code: 'not_found',
    reason: 'room_not_found',
    message: 'The folder of this file does not exist.',
    next: 'Check the path.',
  },
  sidecar_removed: {
    code: 'not_found',
    reason: 'room_not_found',
    message: 'The folder {folder} of this room was moved or removed while the room was open.',
    next: 'Move it back, or start a new room: satchel workspace open {file}.',
  },
  file_exists: {
    code: 'conflict',
    message: '{file} exists, and no export of this room wrote it.',
    next: 'Name another folder.',
  },
  file_not_created: { code: 'invalid', message: '{file} cannot be created ({cause}).' },
  room_not_running: {
    ...NOT_RUNNING,
    message: 'No process has this room open.',
    next: 'Open it: satchel workspace open {file}.',
  },
  room_not_named: {
    ...NOT_RUNNING,
    message: 'No room is configured.',
    next: 'Name one with --room FILE, workspace.file or satchel workspace join.',
  },
  not_owner: { ...NOT_RUNNING, message: 'Another process owns this room.' },
  page_not_served: {
    ...NOT_RUNNING,
    message: 'This room serves no owner page.',
    next: 'Run satchel workspace open FILE.md.',
  },
  room_locked: { ...LOCKED, message: 'This room is already open: {address}.' },
  room_open: { ...LOCKED, message: 'This room is already open.' },
  room_copied: {
    ...LOCKED,
    message: 'This folder was copied while its room was open, and names the owner of the original.',
    next: 'Close the original room, then open this one.',
  },
  room_starting: {
    code: 'unavailable',
    message: 'Another process is taking over the room.',
    next: 'Try again in a moment.',
  },
  stopping: {
    code: 'unavailable',
    message: 'This process is closing the room.',
    next: 'Try again in a moment.',
  },
  invitation_unreachable: {
    code: 'unavailable',
    reason: 'transport_unavailable',
    message: 'No address of this invitation can be reached.',
    next: 'Ask its owner to open the room, then try again.',
  },
  transport_unavailable: {
    code: 'unavailable',
    message: 'The room at {address} cannot be reached.',
    next: 'Ask its owner to open it, then try again.',
  },
  protocol_mismatch: {
    code: 'unavailable',
    message: 'The room runs another release of satchel.',
    next: 'Use the same release.',
  },
  not_a_room: {
    code: 'unavailable',
    reason: 'protocol_mismatch',
    message: 'The service at this address is not a satchel room.',
  },
  store_not_ready: {
    code: 'unavailable',
    reason: 'store_unavailable',
    message: 'The room is not set up yet.',
  },
  content_unreadable: {
    code: 'unavailable',
    reason: 'store_unavailable',
    message: 'The content of this proposal cannot be read.',
  },
})
