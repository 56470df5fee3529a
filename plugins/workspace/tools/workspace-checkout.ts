import { z } from 'zod'
import { checkout } from '../room/leases.ts'
import { changeTool, type RoomAccess } from './room-tool.ts'
import { KEY, LEASE } from './shapes.ts'

export function workspaceCheckout(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_checkout',
    title: 'Take a lease',
    description:
      'Lease a target so that nobody else commits to it: 15 minutes unless said, renewed by calling again. After expiry others may take it; a held target answers lease_conflict with the seconds to wait. Takes idempotency_key.',
    profile: 'standard',
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
    digest: ({ lease_id, target, fence, expires_at }) =>
      `${target} is yours until ${expires_at} (${lease_id}, fence ${fence}).`,
  })
}
