import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { status } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { STATUS } from './shapes.ts'

export function workspaceStatus(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_status',
    title: 'Room status',
    description:
      'State of the room: version, counts, your capabilities. Call it first, and after a lost connection.',
    profile: 'core',
    requires: 'read',
    input: z.object({}),
    output: STATUS,
    example: {},
    look: status,
    omits: {
      '/content_hash': 'a hash that no call takes',
      '/instance_id': 'an internal id that no call takes',
    },
    headline: ({ name, version, you }) => `Room ${name} at version ${version}; you are ${you.name}.`,
  })
}
