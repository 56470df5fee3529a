import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { refusals } from '../reasons.ts'
import { invite } from '../room/invitations.ts'
import { changeTool } from './room-tool.ts'
import { INVITE, KEY } from './shapes.ts'

export function workspaceInvite(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_invite',
    title: 'Invite',
    description:
      'Create an invitation with at most your capabilities; its URI holds a secret and is shown once. Takes idempotency_key.',
    profile: 'full',
    requires: 'invite',
    path: '/invite',
    input: z.object({
      capabilities: z.array(z.string()).optional().describe('Default: those of an agent'),
      minutes: z.int().optional().describe('Valid for, default 60, at most 10080'),
      max_uses: z.int().optional().describe('Default 1'),
      unlimited: z.boolean().optional().describe('Unlimited uses'),
      target: z.string().optional().describe('Subject; not enforced'),
      idempotency_key: KEY,
    }),
    output: INVITE.extend({ uri: z.string().optional(), replayed: z.boolean().optional() }),
    example: { minutes: 30 },
    work: (change, { unlimited, ...input }) => {
      if (!unlimited) return invite(change, input)
      if (input.max_uses !== undefined) throw refusals.use_limit()
      return invite(change, { ...input, max_uses: null })
    },
    headline: ({ invite_id, uri, expires_at }) =>
      `${invite_id} is valid until ${expires_at}${uri ? '' : '; its secret was shown before'}.`,
  })
}
