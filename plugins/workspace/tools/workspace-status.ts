import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { status } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { FILE_NOTE, PARTICIPANT } from './shapes.ts'

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
      ...FILE_NOTE,
      substrate: z.enum(['ok', 'missing', 'invalid', 'unwritten']),
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
    omits: {
      '/content_hash': 'a hash that no call takes',
      '/instance_id': 'an internal id that no call takes',
    },
    headline: ({ name, version, you }) => `Room ${name} at version ${version}; you are ${you.name}.`,
  })
}
