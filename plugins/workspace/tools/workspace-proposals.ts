import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { proposalsPage } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, LIMIT, NEXT_CURSOR, PROPOSAL, PROPOSAL_STATUS } from './shapes.ts'

export function workspaceProposals(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_proposals',
    title: 'List proposals',
    description: 'Proposals, newest first, without content. Takes limit, cursor.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      status: PROPOSAL_STATUS.optional().describe('Filter'),
      limit: LIMIT,
      cursor: CURSOR,
    }),
    output: z.object({ proposals: z.array(PROPOSAL), next_cursor: NEXT_CURSOR }),
    example: { status: 'pending' },
    look: proposalsPage,
    omits: { '/proposals/*/base_region_hash': 'a hash that no call takes' },
    headline: ({ proposals, next_cursor }) => pageHeadline(proposals, 'proposal', next_cursor),
  })
}
