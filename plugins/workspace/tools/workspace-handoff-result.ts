import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { unmet } from '../domain/handoff.ts'
import type { Joint } from '../joint.ts'
import { handInResult } from '../room/handoffs.ts'
import { changeTool } from './room-tool.ts'
import { HANDOFF, KEY } from './shapes.ts'

export function workspaceHandoffResult(access: RoomAccess, joint: Joint) {
  return changeTool(access, {
    name: 'workspace_handoff_result',
    title: 'Submit a result',
    description: 'Finish a handoff you accepted; its creator reviews it. Takes idempotency_key.',
    profile: 'standard',
    requires: 'propose',
    path: '/handoff/result',
    input: z.object({
      handoff_id: z.string().describe('Handoff'),
      summary: z.string().describe('What was done'),
      proposal_id: z.string().optional().describe('Its proposal'),
      result: z.string().optional().describe('Details'),
      idempotency_key: KEY,
    }),
    output: HANDOFF,
    example: { handoff_id: 'ho_0000000000000000', summary: 'Done' },
    before: (session, input) => joint.check(session, input.handoff_id, input),
    work: (change, input, checks) => handInResult(change, { ...input, checks }),
    headline: ({ handoff_id, requires = [], checks = [] }) => {
      const open = unmet(requires, checks).map(({ requirement }) => requirement)
      const lacks = open.length === 0 ? '' : ` It cannot be approved yet: ${open.join(', ')}.`
      return `${handoff_id} waits for review.${lacks}`
    },
  })
}
