const SAFE = 'Every acknowledged change is stored.'

/** The refusals of the engine: rows of the room's table. */
export const ENGINE_REFUSALS = {
  document_not_found: {
    code: 'not_found',
    message: 'There is no file {file} to open a room on.',
    next: 'Create it, or run satchel workspace open {file} --create.',
  },
  not_a_document: {
    code: 'conflict',
    reason: 'substrate_invalid',
    message: 'A room needs a UTF-8 text file of at most 4 MiB, and this file is not one.',
  },
  substrate_invalid: {
    code: 'conflict',
    message: 'The file is currently not a UTF-8 text of at most 4 MiB.',
    next: 'Repair or restore it, then try again.',
  },
  document_too_large: {
    code: 'too_large',
    reason: 'limit_exceeded',
    message: 'The document would exceed 4 MiB.',
    next: 'Make it shorter.',
  },
  room_full: {
    code: 'too_large',
    reason: 'limit_exceeded',
    message: 'The room holds more than 100 MB.',
    next: 'Start a new room.',
  },
  change_too_large: {
    code: 'too_large',
    reason: 'limit_exceeded',
    message: 'The change is too large for one record.',
    next: 'Make it smaller.',
  },
  unsupported_version: {
    code: 'invalid',
    message: 'A newer release of satchel wrote this room.',
    next: 'Update satchel, then open it again.',
  },
  store_unavailable: {
    code: 'unavailable',
    message: 'The room could not write to its disk; nothing was stored.',
    next: 'Check free space and permissions, then try again.',
  },
  file_not_replaced: {
    code: 'unavailable',
    reason: 'store_unavailable',
    message: 'Version {version} is stored, but could not be written to the file yet.',
    next: 'Check free space and the permissions of the folder.',
  },
  store_damaged: {
    code: 'unavailable',
    message: '{what} Nothing was changed.',
    next: 'Run satchel workspace doctor to see what is readable.',
  },
  store_poisoned: {
    code: 'unavailable',
    message: `The room stopped because its disk failed. ${SAFE}`,
    next: 'Check the disk, then open the room again.',
  },
  ownership_lost: {
    code: 'unavailable',
    reason: 'store_poisoned',
    message: `The room stopped because another process took it over. ${SAFE}`,
    next: 'Call again, or open the room again.',
  },
  database_lost: {
    code: 'unavailable',
    reason: 'store_poisoned',
    message: `The room stopped because its database did not answer. ${SAFE}`,
    next: 'Call again when the database answers.',
  },
  room_in_database: {
    code: 'conflict',
    message: 'This room is kept in the database as {name}.',
    next: 'Set storage.url, and look at it while it is open.',
  },
  database_room_closed: {
    code: 'conflict',
    reason: 'room_in_database',
    message: 'This room is kept in the database as {name}, and no process has it open.',
    next: 'Open it with the same storage.url: satchel serve, or satchel workspace open FILE.md.',
  },
  room_open_at: {
    code: 'conflict',
    reason: 'room_locked',
    message: 'The room {name} of the database is open at {host}, {address}.',
    next: 'Run this there. From here satchel mcp and satchel serve reach a room whose owner announces an address.',
  },
  only_in_files: {
    code: 'invalid',
    reason: 'invalid_request',
    message: '{flag} is for rooms in files only.',
  },
  room_in_files: {
    code: 'conflict',
    message: 'This room is kept in the folder {folder}.',
    next: 'Open it without workspace.database, or start a new room from a copy of its file.',
  },
  other_database_room: {
    code: 'conflict',
    reason: 'room_in_database',
    message: 'This file belongs to the room {name} of the database.',
    next: 'Set workspace.database to what is before the colon.',
  },
  owner_elsewhere: {
    code: 'conflict',
    reason: 'room_locked',
    message: 'The host {host} owns this room, and announces no address for other servers.',
    next: 'Use the room there, or close it there first. Every server serves a room that a satchel serve with workspace.replica_url has.',
  },
  sidecar_moved: {
    code: 'unavailable',
    reason: 'store_poisoned',
    message:
      'The room stopped because its folder {folder} was moved or removed. Every acknowledged change is in that folder.',
    next: 'Move it back, then open the room again.',
  },
  room_closed: {
    code: 'unavailable',
    reason: 'room_not_running',
    message: 'The room was closed.',
    next: 'Open it again.',
  },
  owner_unreachable: {
    code: 'conflict',
    reason: 'room_locked',
    message: 'A process on another host owns the room and cannot be reached.',
    next: 'If it has certainly ended, a person can run satchel workspace open --take-over.',
  },
  socket_folder_unsafe: {
    code: 'forbidden',
    message: 'The folder for the socket of the room belongs to another user or is open to others.',
    next: 'Set XDG_RUNTIME_DIR to a private folder.',
  },
} as const
