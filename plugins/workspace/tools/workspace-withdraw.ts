import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { withdraw } from '../room/proposals.ts'
import { proposalView } from '../room/views.ts'
import { changeTool } from './room-tool.ts'
import { KEY, PROPOSAL, PROPOSAL_OMITS } from './shapes.ts'

export function workspaceWithdraw(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_withdraw',
    title: 'Withdraw a proposal',
    description: 'Withdraw your own proposal; it counts as rejected. Takes idempotency_key.',
    profile: 'full',
    requires: 'propose',
    path: '/proposal/withdraw',
    idempotent: true,
    input: z.object({ proposal_id: z.string().describe('Your proposal'), idempotency_key: KEY }),
    output: PROPOSAL,
    example: { proposal_id: 'prop_0000000000000000' },
    work: (change, input) => proposalView(withdraw(change, input)),
    omits: PROPOSAL_OMITS,
    headline: ({ proposal_id, status }) => `${proposal_id} is ${status}.`,
  })
}
