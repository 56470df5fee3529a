import * as z from 'zod'
import { counted, untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { found } from '../room/connector.ts'
import { readTool } from './room-tool.ts'

/** The search that connectors of assistants expect by this name and shape; offered where `workspace.connector` is on. */
export function connectorSearch(access: RoomAccess) {
  return readTool(access, {
    name: 'search',
    title: 'Search the room',
    description:
      'Finds what holds every word of the query: sections, versions, proposals and events of the shared document. Read a result with fetch and its id.',
    profile: 'core',
    requires: 'read',
    path: '/connector/search',
    input: z.object({ query: z.string().min(1).max(500).describe('Words') }),
    output: z.object({
      results: z.array(z.object({ id: z.string(), title: untrusted('text of the room'), url: z.string() })),
    }),
    example: { query: 'plan' },
    textIsJson: true,
    look: found,
    headline: ({ results }) => `${counted(results.length, 'result')}.`,
  })
}
