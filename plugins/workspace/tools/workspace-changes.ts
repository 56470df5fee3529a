import * as z from 'zod'
import { untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { changesSince, DEFAULT_TOKENS } from '../room/catch-up.ts'
import { readTool } from './room-tool.ts'
import { FILE_NOTE, TRUNCATED } from './shapes.ts'

const MAX_TOKENS = 8000

const entries = z.array(
  z.record(z.string(), z.union([untrusted('text of the room'), z.number(), z.boolean()])),
)

export function workspaceChanges(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_changes',
    title: 'What did I miss?',
    description:
      'What happened since an event id: each object in its current state. Pass to_event_id next time. gap: some events were dropped.',
    profile: 'core',
    requires: 'observe',
    input: z.object({
      since_event_id: z.int().min(0).describe('to_event_id of the last call, or 0'),
      max_tokens: z.int().min(400).max(MAX_TOKENS).optional().describe('Default 800'),
    }),
    output: z.object({
      from_event_id: z.number(),
      to_event_id: z.number(),
      latest_event_id: z.number(),
      oldest_event_id: z.number(),
      gap: z.boolean(),
      version: z.object({ from: z.number().optional(), to: z.number() }),
      counts: z.record(z.string(), z.number()),
      // In the order in which the first page has them: what concerns the caller comes first.
      handoffs: entries,
      proposals: entries,
      document: entries,
      leases: entries,
      participants: z.object({ joined: entries, left: entries }),
      ...FILE_NOTE,
      truncated: TRUNCATED.optional(),
    }),
    example: { since_event_id: 0 },
    look: changesSince,
    answerTokens: DEFAULT_TOKENS,
    uncut: (input) => ({ ...input, max_tokens: MAX_TOKENS }),
    headline: ({ from_event_id, to_event_id, gap, version }) =>
      `Events ${from_event_id} to ${to_event_id}${gap ? ', some of them dropped' : ''}; version ${version.to}.`,
  })
}
