import type { Route } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { roomView } from '../room/views.ts'
import { ROOM_LISTENERS } from '../tools/room-tool.ts'
import { json, sessionOfRequest } from './json-route.ts'

/** `GET /workspace/room`, which the page reloads on a resync and every 30 seconds while its stream is down. */
export function roomRoute(connection: RoomConnection): Route {
  return {
    method: 'GET',
    path: '/workspace/room',
    listeners: ROOM_LISTENERS,
    guard: 'bearer-or-cookie',
    document: { operationId: 'workspace-room', summary: 'Everything the owner page shows, in one look' },
    async handle(ctx) {
      const sessionId = sessionOfRequest(ctx)
      const room = await connection.visit(sessionId)
      await room.look()
      return json(await room.readInTurn(sessionId, roomView))
    },
  }
}
