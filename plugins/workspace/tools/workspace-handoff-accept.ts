import { z } from 'zod'
import { acceptHandoff } from '../room/handoffs.ts'
import { afterAcceptance } from '../room/next-step.ts'
import { changeTool, type RoomAccess } from './room-tool.ts'
import { HANDOFF, KEY, NEXT } from './shapes.ts'

export function workspaceHandoffAccept(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_handoff_accept',
    title: 'Accept a handoff',
    description: 'Accept a handoff that is open or addressed to you. Takes idempotency_key.',
    profile: 'standard',
    requires: 'propose',
    path: '/handoff/accept',
    idempotent: true,
    input: z.object({ handoff_id: z.string().describe('Handoff'), idempotency_key: KEY }),
    output: HANDOFF.extend({ next: NEXT.optional() }),
    example: { handoff_id: 'ho_0000000000000000' },
    work: (change, input) => {
      const handoff = acceptHandoff(change, input)
      return { ...handoff, ...afterAcceptance(change, handoff) }
    },
    headline: ({ handoff_id }) => `${handoff_id} is yours.`,
  })
}
