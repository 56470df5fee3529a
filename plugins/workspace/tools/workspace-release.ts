import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { release } from '../room/leases.ts'
import { changeTool } from './room-tool.ts'
import { KEY, LEASE } from './shapes.ts'

export function workspaceRelease(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_release',
    title: 'Release a lease',
    description: 'Release a lease. Idempotent. Takes idempotency_key.',
    profile: 'full',
    path: '/release',
    idempotent: true,
    input: z.object({ lease_id: z.string().describe('Lease'), idempotency_key: KEY }),
    output: LEASE,
    example: { lease_id: 'lease_0000000000000000' },
    work: release,
    headline: ({ lease_id, status }) => `${lease_id} is ${status}.`,
  })
}
