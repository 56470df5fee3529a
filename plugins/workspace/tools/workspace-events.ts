import { z } from 'zod'
import { eventsAfter } from '../room/views.ts'
import { lines, type RoomAccess, readTool } from './room-tool.ts'
import { EVENT, LIMIT } from './shapes.ts'

export function workspaceEvents(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_events',
    title: 'List events',
    description: 'Stored events after an id, oldest first; gap: older ones were dropped. Takes limit.',
    profile: 'standard',
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
    }),
    example: { since_event_id: 0 },
    maxResultChars: 500_000,
    look: eventsAfter,
    headline: ({ events, latest_event_id, gap }) =>
      `${gap ? 'Older events were dropped. ' : ''}Latest event ${latest_event_id}.\n${lines(events.map((e) => `${e.event_id} ${e.event_type}`))}`,
  })
}
