import * as z from 'zod'
import { counted, defineTool, type HttpRoute, untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { found } from '../room/connector.ts'
import { ROOM_LISTENERS } from './room-tool.ts'

const http: HttpRoute = { method: 'GET', path: '/workspace/connector/search', listeners: ROOM_LISTENERS }

/** The search that connectors of assistants expect by this name and shape; offered where `workspace.connector` is on. */
export function connectorSearch(access: RoomAccess) {
  return defineTool({
    name: 'search',
    title: 'Search the room',
    description:
      'Finds what holds every word of the query: sections, versions, proposals and events of the shared document. Read a result with fetch and its id.',
    profile: 'core',
    requires: 'read',
    input: z.object({ query: z.string().min(1).max(500).describe('Words') }),
    output: z.object({
      results: z.array(z.object({ id: z.string(), title: untrusted('text of the room'), url: z.string() })),
    }),
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    example: { query: 'plan' },
    http,
    textIsJson: true,
    handler: (ctx, input) =>
      access.perform(ctx, {
        route: http,
        input,
        async here({ room, sessionId }) {
          await room.look()
          const { results } = await room.read(sessionId, (view) => found(view, input))
          return { results: [...results] }
        },
      }),
    headline: ({ results }) => `${counted(results.length, 'result')}.`,
  })
}
