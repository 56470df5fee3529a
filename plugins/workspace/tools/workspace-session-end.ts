import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { endSession } from '../room/members.ts'
import { changeTool } from './room-tool.ts'
import { KEY, SESSION } from './shapes.ts'

export function workspaceSessionEnd(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_session_end',
    title: 'End a session',
    description: 'End one of your sessions, or as admin any. Takes idempotency_key.',
    profile: 'full',
    path: '/sessions/{session_id}',
    method: 'DELETE',
    idempotent: true,
    input: z.object({ session_id: z.string().describe('Session'), idempotency_key: KEY }),
    output: SESSION,
    example: { session_id: 'ssn_0000000000000000' },
    work: endSession,
    headline: ({ session_id }) => `${session_id} has ended.`,
  })
}
