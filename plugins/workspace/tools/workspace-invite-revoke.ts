import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { revokeInvitation } from '../room/invitations.ts'
import { changeTool } from './room-tool.ts'
import { INVITE, KEY } from './shapes.ts'

export function workspaceInviteRevoke(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_invite_revoke',
    title: 'Revoke an invitation',
    description: 'Revoke an invitation. Its sessions continue unless end_sessions. Takes idempotency_key.',
    profile: 'full',
    requires: 'invite',
    path: '/invite/revoke',
    destructive: true,
    idempotent: true,
    input: z.object({
      invite_id: z.string().describe('Invitation'),
      end_sessions: z.boolean().optional().describe('End its sessions too'),
      idempotency_key: KEY,
    }),
    output: INVITE,
    example: { invite_id: 'inv_0000000000000000' },
    work: revokeInvitation,
    headline: ({ invite_id }) => `${invite_id} is revoked.`,
  })
}
