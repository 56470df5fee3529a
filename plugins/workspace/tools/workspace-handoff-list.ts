import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { handoffsPage } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, HANDOFF, HANDOFF_STATUS, LIMIT, NEXT_CURSOR } from './shapes.ts'

export function workspaceHandoffList(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_handoff_list',
    title: 'List handoffs',
    description: 'Handoffs in the room, newest first, without result. Takes limit, cursor.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      status: HANDOFF_STATUS.optional().describe('Filter'),
      mine: z.boolean().optional().describe('Only mine'),
      limit: LIMIT,
      cursor: CURSOR,
    }),
    output: z.object({ handoffs: z.array(HANDOFF.omit({ result: true })), next_cursor: NEXT_CURSOR }),
    example: {},
    look: handoffsPage,
    headline: ({ handoffs, next_cursor }) => pageHeadline(handoffs, 'handoff', next_cursor),
  })
}
