import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { invitesPage } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, INVITE, LIMIT, NEXT_CURSOR } from './shapes.ts'

export function workspaceInvites(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_invites',
    title: 'List invitations',
    description: 'Invitations, newest first, without their secrets. Takes limit, cursor.',
    profile: 'full',
    requires: 'invite',
    input: z.object({ limit: LIMIT, cursor: CURSOR }),
    output: z.object({ invites: z.array(INVITE), next_cursor: NEXT_CURSOR }),
    example: {},
    look: invitesPage,
    headline: ({ invites, next_cursor }) => pageHeadline(invites, 'invitation', next_cursor),
  })
}
