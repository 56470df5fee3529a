import * as z from 'zod'
import { untrusted } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import { diffVersions } from '../room/views.ts'
import { readTool } from './room-tool.ts'
import { TRUNCATED } from './shapes.ts'

export function workspaceDiff(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_diff',
    title: 'Compare versions',
    description: 'The unified diff between two versions whose texts are still kept.',
    profile: 'full',
    requires: 'read',
    input: z.object({
      from_version: z.int().min(1).describe('Older version'),
      to_version: z.int().min(1).optional().describe('Newer version; absent: the newest'),
    }),
    output: z.object({
      from_version: z.number(),
      to_version: z.number(),
      added: z.number(),
      removed: z.number(),
      diff: untrusted('change of the document'),
      truncated: TRUNCATED.optional(),
    }),
    example: { from_version: 1, to_version: 1 },
    maxResultChars: 500_000,
    long: true,
    look: (view, { from_version, to_version }) => diffVersions(view, from_version, to_version),
    headline: ({ from_version, to_version, added, removed }) =>
      `Version ${from_version} to ${to_version}: +${added} -${removed} lines.`,
  })
}
