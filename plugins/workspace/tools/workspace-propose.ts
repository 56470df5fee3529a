import { z } from 'zod'
import { afterProposal } from '../room/next-step.ts'
import { propose } from '../room/proposals.ts'
import { proposalView } from '../room/views.ts'
import { changeTool, type RoomAccess } from './room-tool.ts'
import { KEY, NEXT, PROPOSAL, PROPOSAL_OMITS } from './shapes.ts'

export function workspacePropose(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_propose',
    title: 'Propose a change',
    description:
      'Propose new text for a target. After a review, workspace_commit commits it. An old base fails with stale_version and the changes; a newer version supersedes a pending proposal. Takes idempotency_key.',
    profile: 'core',
    requires: 'propose',
    path: '/propose',
    input: z.object({
      target: z.string().optional().describe('workspace, or section:<path> to replace it with its heading'),
      base_version: z.int().describe('Version you read'),
      summary: z.string().describe('Why'),
      content: z.string().describe('Full new text'),
      idempotency_key: KEY,
    }),
    output: PROPOSAL.extend({
      summary: z.string(),
      reviewers: z.array(z.string()),
      next: NEXT.optional(),
    }),
    example: { base_version: 1, summary: 'Say what the plan is', content: '# Plan\n' },
    work: (change, input) => ({ ...proposalView(propose(change, input)), ...afterProposal(change) }),
    omits: { ...PROPOSAL_OMITS, '/summary': 'what the caller sent' },
    headline: ({ proposal_id, target }) => `${proposal_id} for ${target} waits for a review.`,
  })
}
