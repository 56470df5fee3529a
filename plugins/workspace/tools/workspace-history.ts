import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { history } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, LIMIT, NEXT_CURSOR, VERSION } from './shapes.ts'

export function workspaceHistory(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_history',
    title: 'Version history',
    description: 'Every version of the document, newest first: who, when, why. Takes limit, cursor.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      since_version: z.int().min(0).optional().describe('Only newer ones'),
      limit: LIMIT,
      cursor: CURSOR,
    }),
    output: z.object({ versions: z.array(VERSION), next_cursor: NEXT_CURSOR }),
    example: {},
    look: history,
    omits: { '/versions/*/content_hash': 'a hash that no call takes' },
    headline: ({ versions, next_cursor }) => pageHeadline(versions, 'version', next_cursor),
  })
}
