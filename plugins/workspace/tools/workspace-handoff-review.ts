import { z } from 'zod'
import { reviewHandoff } from '../room/handoffs.ts'
import { changeTool, type RoomAccess } from './room-tool.ts'
import { HANDOFF, KEY } from './shapes.ts'

export function workspaceHandoffReview(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_handoff_review',
    title: 'Review a result',
    description:
      'Approve or reject the result of a handoff; commit: true first commits its approved proposal. Takes idempotency_key.',
    profile: 'full',
    requires: 'approve',
    path: '/handoff/review',
    idempotent: true,
    input: z.object({
      handoff_id: z.string().describe('Handoff'),
      approve: z.boolean().describe('false: reject'),
      reason: z.string().optional().describe('Why'),
      commit: z.boolean().optional().describe('Commit its proposal'),
      idempotency_key: KEY,
    }),
    output: HANDOFF,
    example: { handoff_id: 'ho_0000000000000000', approve: true },
    work: reviewHandoff,
    headline: ({ handoff_id, status }) => `${handoff_id} is ${status}.`,
  })
}
