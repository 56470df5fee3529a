import * as z from 'zod'
import { untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import type { Joint } from '../joint.ts'
import { acceptHandoff } from '../room/handoffs.ts'
import { afterAcceptance } from '../room/next-step.ts'
import { changeTool } from './room-tool.ts'
import { HANDOFF, KEY, NEXT } from './shapes.ts'

const RESUMED = z
  .object({
    id: z.string(),
    gate: z.string().optional(),
    brief: untrusted('handoff record').optional(),
    problem: z.string().optional(),
  })
  .describe('the record that the work continues, resumed for this session')

export function workspaceHandoffAccept(access: RoomAccess, joint: Joint) {
  return changeTool(access, {
    name: 'workspace_handoff_accept',
    title: 'Accept a handoff',
    description: 'Accept a handoff that is open or addressed to you. Takes idempotency_key.',
    profile: 'standard',
    requires: 'propose',
    path: '/handoff/accept',
    idempotent: true,
    input: z.object({ handoff_id: z.string().describe('Handoff'), idempotency_key: KEY }),
    output: HANDOFF.extend({ next: NEXT.optional(), resumed: RESUMED.optional() }),
    example: { handoff_id: 'ho_0000000000000000' },
    work: (change, input) => {
      const handoff = acceptHandoff(change, input)
      return { ...handoff, ...afterAcceptance(change, handoff) }
    },
    async nearby(ctx, handoff) {
      const resumed = await joint.resume(ctx, handoff)
      return { ...handoff, ...(resumed && { resumed }) }
    },
    headline: ({ handoff_id }) => `${handoff_id} is yours.`,
  })
}
