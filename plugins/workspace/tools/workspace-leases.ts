import { z } from 'zod'
import { leasesOf } from '../room/views.ts'
import { lines, type RoomAccess, readTool } from './room-tool.ts'
import { LEASE } from './shapes.ts'

/** `workspace_leases`: see its description. */
export function workspaceLeases(access: RoomAccess) {
  return readTool(access, {
    name: 'workspace_leases',
    title: 'List leases',
    description: 'Who has checked out what, and until when.',
    profile: 'full',
    requires: 'read',
    input: z.object({}),
    output: z.object({ leases: z.array(LEASE) }),
    example: {},
    look: (view) => ({ leases: leasesOf(view) }),
    digest: ({ leases }) =>
      lines(leases.map((l) => `${l.lease_id} ${l.target} by ${l.participant_id} until ${l.expires_at}`)) ||
      'No leases.',
  })
}
