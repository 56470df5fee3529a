import * as z from 'zod'
import { inWords } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { participantsPage } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, LIMIT, NEXT_CURSOR, PARTICIPANT } from './shapes.ts'

export function workspaceParticipants(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_participants',
    title: 'List participants',
    description:
      'Participants who have not left, connected or not, and the names behind ids of those who have. Takes left, limit, cursor.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      left: inWords(z.boolean().optional().describe('Only those who have left, newest first')),
      limit: LIMIT,
      cursor: CURSOR,
    }),
    output: z.object({ participants: z.array(PARTICIPANT), next_cursor: NEXT_CURSOR }),
    example: {},
    look: participantsPage,
    headline: ({ participants, next_cursor }) => pageHeadline(participants, 'participant', next_cursor),
  })
}
