import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { cancelHandoff } from '../room/handoffs.ts'
import { changeTool } from './room-tool.ts'
import { HANDOFF, KEY } from './shapes.ts'

export function workspaceHandoffCancel(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_handoff_cancel',
    title: 'Cancel a handoff',
    description: 'Cancel a handoff you created or accepted. Takes idempotency_key.',
    profile: 'full',
    path: '/handoff/cancel',
    destructive: true,
    idempotent: true,
    input: z.object({ handoff_id: z.string().describe('Handoff'), idempotency_key: KEY }),
    output: HANDOFF,
    example: { handoff_id: 'ho_0000000000000000' },
    work: cancelHandoff,
    headline: ({ handoff_id, status }) => `${handoff_id} is ${status}.`,
  })
}
