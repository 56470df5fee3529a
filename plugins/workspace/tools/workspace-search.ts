import * as z from 'zod'
import { counted, untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { searched } from '../room/search.ts'
import { readTool } from './room-tool.ts'

export function workspaceSearch(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_search',
    title: 'Search the room',
    description:
      'Lines of the document, then versions and proposals (summaries and kept texts) and events, that hold every word of the query. A line of an older version counts where the next version lost it. ref is what workspace_read, workspace_proposal or workspace_events take.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      query: z.string().min(1).max(500).describe('Words'),
      limit: z.int().min(1).max(100).optional().describe('Default 20'),
    }),
    output: z.object({
      version: z.number(),
      matches: z.array(
        z.object({
          kind: z.enum(['document', 'version', 'proposal', 'event']),
          ref: z.string(),
          line: z.number().optional(),
          text: untrusted('text of the room'),
        }),
      ),
      more: z.boolean(),
      unsearched: z
        .object({ version: z.number().optional(), proposal_id: z.string().optional() })
        .optional()
        .describe('The texts of these and of older ones were not searched: 1 MiB of each kind is'),
    }),
    example: { query: 'plan' },
    look: searched,
    headline: ({ matches, more, unsearched }) =>
      `${counted(matches.length, 'match', 'matches')}${more ? ', and more' : ''}${unsearched ? '; not all texts were searched' : ''}.`,
  })
}
