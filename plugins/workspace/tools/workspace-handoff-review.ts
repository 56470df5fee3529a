import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import type { Joint } from '../joint.ts'
import { reviewHandoff } from '../room/handoffs.ts'
import { changeTool } from './room-tool.ts'
import { HANDOFF, KEY } from './shapes.ts'

export function workspaceHandoffReview(access: RoomAccess, joint: Joint) {
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
    output: HANDOFF.extend({ hint: z.string().optional() }),
    example: { handoff_id: 'ho_0000000000000000', approve: true },
    before: async (session, { approve, handoff_id }) =>
      approve ? await joint.check(session, handoff_id) : [],
    work: (change, input, checks) => reviewHandoff(change, { ...input, checks }),
    after: async (session, handoff) => ({
      ...handoff,
      ...(await joint.settle(session, handoff.handoff_id)),
    }),
    headline: ({ handoff_id, status }) => `${handoff_id} is ${status}.`,
  })
}
