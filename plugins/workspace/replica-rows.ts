/** The refusals between servers of one database, of which one owns the room. */
export const REPLICA_REFUSALS = {
  replica_unreachable: {
    code: 'unavailable',
    message: 'The server {host} owns this room and does not answer this one.',
    next: 'Try again. If it stays so, check workspace.replica_url of that server and the network between the two.',
  },
  pass_refused: {
    code: 'unauthorized',
    message: 'This pass is not valid here.',
    next: 'Join the room first.',
  },
  room_moved: {
    code: 'unavailable',
    message: 'This server does not own the room.',
    next: 'Try again in a moment.',
  },
} as const
