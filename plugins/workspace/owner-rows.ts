/** What a caller is told whose call lost the process that has the room open. */
export const OWNER_REFUSALS = {
  room_owner_lost: {
    code: 'unavailable',
    message: 'The process that owned the room has ended.',
    next: 'Check the state with workspace_status, then continue.',
    tool: 'workspace_status',
  },
  owner_silent: {
    code: 'unavailable',
    reason: 'room_owner_lost',
    message: '{owner} does not answer; it may be suspended.',
    next: 'Try again when that process runs.',
  },
  owner_silent_change: {
    code: 'unavailable',
    reason: 'room_owner_lost',
    message: '{owner} does not answer; it may be suspended. The call may still take effect.',
    next: 'Look with workspace_status before you repeat it.{again}',
    tool: 'workspace_status',
  },
  remote_lost: {
    code: 'unavailable',
    reason: 'room_owner_lost',
    message: 'The room cannot be reached.',
    next: 'Look at its state before you repeat the call.',
    tool: 'workspace_status',
  },
  owner_closed: { code: 'unavailable', reason: 'room_owner_lost', message: 'The owner closed the room.' },
} as const
