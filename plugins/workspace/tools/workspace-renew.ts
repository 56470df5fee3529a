import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { renew } from '../room/leases.ts'
import { changeTool } from './room-tool.ts'
import { KEY, LEASE } from './shapes.ts'

export function workspaceRenew(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_renew',
    title: 'Renew a lease',
    description: 'Extend your lease, to at most 120 minutes after it began. Takes idempotency_key.',
    profile: 'full',
    requires: 'checkout',
    path: '/renew',
    input: z.object({
      lease_id: z.string().describe('Your lease'),
      minutes: z.int().optional().describe('From now'),
      idempotency_key: KEY,
    }),
    output: LEASE,
    example: { lease_id: 'lease_0000000000000000' },
    work: renew,
    headline: ({ lease_id, expires_at }) => `${lease_id} now ends ${expires_at}.`,
  })
}
