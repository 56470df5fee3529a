import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { checkout } from '../room/leases.ts'
import { changeTool } from './room-tool.ts'
import { KEY, LEASE } from './shapes.ts'

export function workspaceCheckout(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_checkout',
    title: 'Check out a target',
    description:
      'Lease a target so that no one else commits to it, for 15 minutes by default; call again to renew. A target that another holds fails with lease_conflict and the seconds to wait. Takes idempotency_key.',
    profile: 'full',
    requires: 'checkout',
    path: '/checkout',
    input: z.object({
      target: z.string().describe('workspace or section:<path>'),
      minutes: z.int().optional().describe('1-120'),
      idempotency_key: KEY,
    }),
    output: LEASE,
    example: { target: 'workspace' },
    work: checkout,
    headline: ({ lease_id, target, fence, expires_at }) =>
      `${target} is yours until ${expires_at} (${lease_id}, fence ${fence}).`,
  })
}
