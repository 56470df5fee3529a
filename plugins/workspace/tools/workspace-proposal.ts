import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { proposalWithContent } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { PROPOSAL_OMITS, PROPOSAL_WITH_CONTENT } from './shapes.ts'

export function workspaceProposal(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_proposal',
    title: 'Read a proposal',
    description: 'One proposal with its content and the diff against its base.',
    profile: 'standard',
    requires: 'read',
    input: z.object({ proposal_id: z.string().describe('From workspace_proposals') }),
    output: PROPOSAL_WITH_CONTENT,
    example: { proposal_id: 'prop_0000000000000000' },
    maxResultChars: 500_000,
    look: (view, { proposal_id }) => proposalWithContent(view, proposal_id),
    omits: PROPOSAL_OMITS,
    headline: ({ proposal_id, status, target }) => `${proposal_id} for ${target} is ${status}.`,
  })
}
