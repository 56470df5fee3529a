import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { afterReview } from '../room/next-step.ts'
import { review } from '../room/proposals.ts'
import { proposalView } from '../room/views.ts'
import { changeTool } from './room-tool.ts'
import { KEY, PROPOSAL, PROPOSAL_OMITS } from './shapes.ts'

export function workspaceReview(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_review',
    title: 'Review a proposal',
    description: 'Approve or reject a pending proposal. Takes idempotency_key.',
    profile: 'standard',
    requires: 'approve',
    path: '/proposal/review',
    idempotent: true,
    input: z.object({
      proposal_id: z.string().describe('Pending proposal'),
      approve: z.boolean().describe('false: reject'),
      reason: z.string().optional().describe('Why'),
      idempotency_key: KEY,
    }),
    output: PROPOSAL.extend({ hint: z.string().optional() }),
    example: { proposal_id: 'prop_0000000000000000', approve: true },
    work: (change, input) => {
      const proposal = review(change, input)
      return { ...proposalView(proposal), ...afterReview(change, proposal) }
    },
    omits: PROPOSAL_OMITS,
    headline: ({ proposal_id, status }) => `${proposal_id} is ${status}.`,
  })
}
