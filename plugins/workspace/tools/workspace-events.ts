import * as z from 'zod'
import { counted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { eventsAfter } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { EVENT, LIMIT, NEXT } from './shapes.ts'

export function workspaceEvents(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_events',
    title: 'List events',
    description: 'Stored events after an id, oldest first; gap: older ones were dropped. Takes limit.',
    profile: 'full',
    requires: 'observe',
    input: z.object({
      since_event_id: z.int().min(0).describe('0 for all kept'),
      limit: LIMIT,
    }),
    output: z.object({
      events: z.array(EVENT),
      latest_event_id: z.number(),
      oldest_event_id: z.number(),
      gap: z.boolean(),
      next: NEXT.optional(),
    }),
    example: { since_event_id: 0 },
    maxResultChars: 500_000,
    look: eventsAfter,
    omits: {
      '/events/*/schema_version': 'the same in every event',
      '/events/*/workspace_id': 'the same in every event; workspace_status says it',
    },
    headline: ({ events, latest_event_id, gap }) =>
      `${counted(events.length, 'event')}; the latest is ${latest_event_id}${gap ? ', and older ones were dropped' : ''}.`,
  })
}
