import * as z from 'zod'
import { inWords, untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { afterProposal } from '../room/next-step.ts'
import { propose } from '../room/proposals.ts'
import { proposalView } from '../room/views.ts'
import { changeTool } from './room-tool.ts'
import { KEY, NEXT, PROPOSAL, PROPOSAL_OMITS } from './shapes.ts'

export function workspacePropose(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_propose',
    title: 'Propose a change',
    description:
      'Propose edits; or the full content of target, or a unified diff as patch. After a review, workspace_commit commits it. A later change of its section supersedes it. Takes idempotency_key.',
    profile: 'core',
    requires: 'propose',
    path: '/propose',
    input: z.object({
      base_version: z.int().describe('Version you read'),
      summary: z.string().describe('Why'),
      edits: z
        .array(z.object({ old: z.string(), new: z.string() }))
        .optional()
        .describe('old occurs once'),
      target: z.string().optional().describe('section:<path>'),
      content: inWords(z.string().optional().describe('full new text of the target, heading included')),
      patch: inWords(z.string().optional().describe('unified diff of the target')),
      idempotency_key: KEY,
    }),
    output: PROPOSAL.extend({
      summary: z.string(),
      reviewers: z.array(untrusted('name of a participant', { line: true })),
      hint: z.string().optional(),
      next: NEXT.optional(),
    }),
    example: { base_version: 1, summary: 'Say what the plan is', content: '# Plan\n\nWhat we do.\n' },
    work: (change, input) => {
      const proposal = propose(change, input)
      return { ...proposalView(proposal), ...afterProposal(change, proposal) }
    },
    omits: { ...PROPOSAL_OMITS, '/summary': 'what the caller sent' },
    headline: ({ proposal_id, target }) => `${proposal_id} for ${target} waits for a review.`,
  })
}
