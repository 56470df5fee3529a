import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { handoffWithRecord } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { HANDOFF } from './shapes.ts'

export function workspaceHandoffGet(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_handoff_get',
    title: 'Read a handoff',
    description: 'One handoff with its objective, record and result.',
    profile: 'full',
    requires: 'read',
    input: z.object({ handoff_id: z.string().describe('From workspace_handoff_list') }),
    output: HANDOFF.extend({ record: z.record(z.string(), z.unknown()).optional() }),
    example: { handoff_id: 'ho_0000000000000000' },
    maxResultChars: 500_000,
    look: (view, { handoff_id }) => handoffWithRecord(view, handoff_id),
    headline: ({ handoff_id, status }) => `${handoff_id} is ${status}.`,
  })
}
