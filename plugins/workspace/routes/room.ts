import * as z from 'zod'
import type { Route } from '../../../server/plugin.ts'
import type { RoomConnection } from '../connection/room-connection.ts'
import { roomView } from '../room/views.ts'
import { ROOM_LISTENERS } from '../tools/room-tool.ts'
import {
  EVENT,
  HANDOFF,
  INVITE,
  LEASE,
  NEXT_CURSOR,
  PARTICIPANT,
  PROPOSAL,
  SECTION,
  STATUS,
} from '../tools/shapes.ts'
import { json, sessionOfRequest } from './json-route.ts'

const ROOM = z.object({
  status: STATUS,
  document: z.object({ version: z.number(), outline: z.array(SECTION), excerpt: z.string() }),
  participants: z.array(PARTICIPANT),
  left: z.array(PARTICIPANT.pick({ participant_id: true, kind: true, name: true })),
  leases: z.array(LEASE),
  proposals: z.array(PROPOSAL),
  handoffs: z.array(HANDOFF.omit({ result: true })),
  invites: z.array(INVITE).optional().describe('With the capability invite'),
  next_cursors: z
    .object({ proposals: NEXT_CURSOR, handoffs: NEXT_CURSOR, invites: NEXT_CURSOR })
    .optional()
    .describe('Where the tool of a list goes on that is not all here'),
  events: z.array(EVENT).optional().describe('The newest, with the capability observe'),
  latest_event_id: z.number(),
  oldest_event_id: z.number(),
})

/** `GET /workspace/room`, which the page reloads on a resync and every 30 seconds while its stream is down. */
export function roomRoute(connection: RoomConnection): Route {
  return {
    method: 'GET',
    path: '/workspace/room',
    listeners: ROOM_LISTENERS,
    guard: 'bearer-or-cookie',
    document: {
      operationId: 'workspace-room',
      summary: 'Everything the owner page shows, in one look',
      answer: ROOM,
    },
    async handle(ctx) {
      const sessionId = sessionOfRequest(ctx)
      const room = await connection.visit(sessionId)
      await room.look()
      return json(await room.readInTurn(sessionId, roomView))
    },
  }
}
