import { z } from 'zod'
import { changesSince } from '../room/catch-up.ts'
import { type RoomAccess, readTool } from './room-tool.ts'
import { TRUNCATED } from './shapes.ts'

const entries = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))

export function workspaceChanges(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_changes',
    title: 'What did I miss?',
    description:
      'What happened since an event id: one entry per object, with its current state. Pass to_event_id next time. gap: events were dropped, so the entries are the current state.',
    profile: 'core',
    requires: 'observe',
    input: z.object({
      since_event_id: z.int().min(0).describe('to_event_id of the last call, or 0'),
      max_tokens: z.int().min(400).max(8000).optional().describe('Default 800'),
    }),
    output: z.object({
      from_event_id: z.number(),
      to_event_id: z.number(),
      latest_event_id: z.number(),
      oldest_event_id: z.number(),
      gap: z.boolean(),
      version: z.object({ from: z.number().optional(), to: z.number() }),
      counts: z.record(z.string(), z.number()),
      document: entries,
      proposals: entries,
      leases: entries,
      participants: z.object({ joined: entries, left: entries }),
      handoffs: entries,
      truncated: TRUNCATED.optional(),
    }),
    example: { since_event_id: 0 },
    look: changesSince,
    headline: ({ from_event_id, to_event_id, gap, version, counts, truncated }) => {
      const what = Object.entries(counts).map(([type, count]) => `${count} ${type}`)
      const lost = gap ? ' Events in between were lost: this is the current state.' : ''
      const cut = truncated ? ' Truncated; read on with workspace_events.' : ''
      return `Events ${from_event_id} to ${to_event_id}, version ${version.to}: ${what.join(', ') || 'nothing new'}.${lost}${cut}`
    },
  })
}
