import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { leasesPage } from '../room/views.ts'
import { pageHeadline, readTool } from './room-tool.ts'
import { CURSOR, LEASE, LIMIT, NEXT_CURSOR } from './shapes.ts'

export function workspaceLeases(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_leases',
    title: 'List leases',
    description: 'Active leases: holder, target and end. Takes limit, cursor.',
    profile: 'full',
    requires: 'read',
    input: z.object({ limit: LIMIT, cursor: CURSOR }),
    output: z.object({ leases: z.array(LEASE), next_cursor: NEXT_CURSOR }),
    example: {},
    look: leasesPage,
    headline: ({ leases, next_cursor }) => pageHeadline(leases, 'active lease', next_cursor),
  })
}
