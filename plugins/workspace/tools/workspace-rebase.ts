import * as z from 'zod'
import type { RoomAccess } from '../connection/room-access.ts'
import { rebase } from '../room/proposals.ts'
import { proposalView } from '../room/views.ts'
import { changeTool } from './room-tool.ts'
import { KEY, PROPOSAL, PROPOSAL_OMITS } from './shapes.ts'

export function workspaceRebase(access: RoomAccess) {
  return changeTool(access, {
    name: 'workspace_rebase',
    title: 'Rebase a proposal',
    description:
      'Create a pending proposal with the same change on the newest version; the old one stays. Overlapping changes fail with merge_conflict and both sides. Takes idempotency_key.',
    profile: 'full',
    requires: 'propose',
    path: '/proposal/rebase',
    input: z.object({
      proposal_id: z.string().describe('Superseded, conflicted or old proposal'),
      idempotency_key: KEY,
    }),
    output: PROPOSAL,
    example: { proposal_id: 'prop_0000000000000000' },
    work: (change, input) => proposalView(rebase(change, input)),
    omits: PROPOSAL_OMITS,
    headline: ({ proposal_id, rebased_from, base_version }) =>
      `${proposal_id} carries ${rebased_from} to version ${base_version}.`,
  })
}
