import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { leave } from '../room/members.ts'
import { changeTool } from './room-tool.ts'
import { KEY, PARTICIPANT } from './shapes.ts'

export function workspaceLeave(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_leave',
    title: 'Leave the room',
    description:
      'Leave the room, or as admin remove a participant: leases are released, sessions end. Takes idempotency_key.',
    profile: 'full',
    path: '/leave',
    idempotent: true,
    input: z.object({ participant_id: z.string().optional().describe('Default: you'), idempotency_key: KEY }),
    output: PARTICIPANT,
    example: {},
    work: leave,
    headline: ({ name }) => `${name} has left.`,
  })
}
