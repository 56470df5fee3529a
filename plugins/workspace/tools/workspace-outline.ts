import * as z from 'zod'
import { counted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { outlinePage } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { SECTION, TRUNCATED } from './shapes.ts'

export function workspaceOutline(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_outline',
    title: 'Outline',
    description:
      'The headings of the document with the targets that lease and proposal tools take, and their sizes.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      max_depth: z.int().min(1).max(6).optional().describe('Deepest heading level, default 6'),
    }),
    output: z.object({
      version: z.number(),
      sections: z.array(SECTION),
      truncated: TRUNCATED.optional(),
    }),
    example: {},
    maxResultChars: 500_000,
    long: true,
    look: (view, { max_depth }) => outlinePage(view, max_depth ?? 6),
    headline: ({ version, sections }) => `${counted(sections.length, 'section')} of version ${version}.`,
  })
}
