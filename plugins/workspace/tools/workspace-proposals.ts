import { z } from 'zod'
import { proposalsPage } from '../room/views.ts'
import { lines, type RoomAccess, readTool } from './room-tool.ts'
import { CURSOR, LIMIT, NEXT_CURSOR, PROPOSAL, PROPOSAL_STATUS } from './shapes.ts'

export function workspaceProposals(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_proposals',
    title: 'List proposals',
    description: 'Proposals, newest first, without content. Takes limit, cursor.',
    profile: 'standard',
    requires: 'read',
    input: z.object({
      status: PROPOSAL_STATUS.optional().describe('Filter'),
      limit: LIMIT,
      cursor: CURSOR,
    }),
    output: z.object({ proposals: z.array(PROPOSAL), next_cursor: NEXT_CURSOR }),
    example: { status: 'pending' },
    look: proposalsPage,
    headline: ({ proposals }) =>
      lines(proposals.map((p) => `${p.proposal_id} ${p.status} ${p.target}: ${p.summary.slice(0, 80)}`)) ||
      'No proposals.',
  })
}
