import { z } from 'zod'
import { counted } from '../../../server/plugin.ts'
import { status } from '../room/views.ts'
import { type RoomAccess, readTool } from './room-tool.ts'
import { PARTICIPANT } from './shapes.ts'

export function workspaceStatus(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_status',
    title: 'Room status',
    description:
      'State of the room: version, counts, your capabilities. Call it first, and after a lost connection.',
    profile: 'core',
    requires: 'read',
    input: z.object({}),
    output: z.object({
      workspace_id: z.string(),
      name: z.string(),
      path: z.string().optional(),
      lifecycle: z.enum(['ACTIVE', 'STOPPED']),
      substrate: z.enum(['ok', 'missing', 'invalid']),
      version: z.number(),
      content_hash: z.string(),
      bytes: z.number(),
      updated_at: z.string(),
      staleness: z.enum(['strict', 'section']),
      instance_id: z.string(),
      counts: z.object({
        pending_proposals: z.number(),
        active_leases: z.number(),
        participants: z.number(),
      }),
      you: PARTICIPANT.pick({ participant_id: true, name: true, kind: true, capabilities: true }),
    }),
    example: {},
    look: status,
    headline: ({ name, version, substrate, counts, you }) =>
      `Room "${name}" at version ${version} (file ${substrate}): ${counted(counts.pending_proposals, 'pending proposal')}, ${counted(counts.active_leases, 'lease')}, ${counted(counts.participants, 'participant')}. You are ${you.name}, with ${you.capabilities.join(', ')}.`,
  })
}
