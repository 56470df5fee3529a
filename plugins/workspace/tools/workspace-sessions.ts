import * as z from 'zod'
import { inWords } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { sessionsPage } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, LIMIT, NEXT_CURSOR, SESSION } from './shapes.ts'

export function workspaceSessions(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_sessions',
    title: 'List sessions',
    description:
      'Sessions, newest first, without their tokens. Takes live (only those in use), limit, cursor.',
    profile: 'full',
    requires: 'admin',
    input: z.object({
      live: inWords(z.boolean().optional().describe('Only those that may be used now')),
      limit: LIMIT,
      cursor: CURSOR,
    }),
    output: z.object({ sessions: z.array(SESSION.extend({ live: z.boolean() })), next_cursor: NEXT_CURSOR }),
    example: {},
    look: sessionsPage,
    headline: ({ sessions, next_cursor }) => pageHeadline(sessions, 'session', next_cursor),
  })
}
