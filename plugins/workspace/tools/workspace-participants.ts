import { z } from 'zod'
import { counted } from '../../../server/plugin.ts'
import { participantsPage } from '../room/views.ts'
import { type RoomAccess, readTool } from './room-tool.ts'
import { CURSOR, LIMIT, NEXT_CURSOR, PARTICIPANT } from './shapes.ts'

export function workspaceParticipants(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_participants',
    title: 'List participants',
    description: 'Participants who have not left, connected or not. Takes limit, cursor.',
    profile: 'full',
    requires: 'read',
    input: z.object({ limit: LIMIT, cursor: CURSOR }),
    output: z.object({ participants: z.array(PARTICIPANT), next_cursor: NEXT_CURSOR }),
    example: {},
    look: participantsPage,
    headline: ({ participants, next_cursor }) =>
      `${counted(participants.length, 'participant')}${next_cursor === undefined ? '' : ', and there are more'}.`,
  })
}
