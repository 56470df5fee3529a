import { z } from 'zod'
import { participantsPage } from '../room/views.ts'
import { lines, type RoomAccess, readTool } from './room-tool.ts'
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
    headline: ({ participants }) =>
      lines(
        participants.map(
          (p) => `${p.participant_id} ${p.kind} ${p.name}${p.mixed_script ? ' (mixes scripts)' : ''}`,
        ),
      ) || 'No participants.',
  })
}
