import { z } from 'zod'
import { participantsOf } from '../room/views.ts'
import { lines, type RoomAccess, readTool } from './room-tool.ts'
import { PARTICIPANT } from './shapes.ts'

/** `workspace_participants`: see its description. */
export function workspaceParticipants(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_participants',
    title: 'List members',
    description: 'Members who have not left; membership, not presence.',
    profile: 'full',
    requires: 'read',
    input: z.object({}),
    output: z.object({ participants: z.array(PARTICIPANT) }),
    example: {},
    look: (view) => ({ participants: participantsOf(view) }),
    digest: ({ participants }) =>
      lines(participants.map((p) => `${p.participant_id} ${p.kind} ${p.name}`)) || 'Nobody.',
  })
}
