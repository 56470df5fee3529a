import type { Tool } from '../../../server/plugin.ts'
import type { RoomAccess } from '../connection/room-access.ts'
import type { Joint } from '../joint.ts'
import type { RecordCheck } from '../room/handoffs.ts'
import { workspaceChanges } from './workspace-changes.ts'
import { workspaceCheckout } from './workspace-checkout.ts'
import { workspaceCommit } from './workspace-commit.ts'
import { workspaceDiff } from './workspace-diff.ts'
import { workspaceEvents } from './workspace-events.ts'
import { workspaceHandoffAccept } from './workspace-handoff-accept.ts'
import { workspaceHandoffCancel } from './workspace-handoff-cancel.ts'
import { workspaceHandoffCreate } from './workspace-handoff-create.ts'
import { workspaceHandoffGet } from './workspace-handoff-get.ts'
import { workspaceHandoffList } from './workspace-handoff-list.ts'
import { workspaceHandoffResult } from './workspace-handoff-result.ts'
import { workspaceHandoffReview } from './workspace-handoff-review.ts'
import { workspaceHistory } from './workspace-history.ts'
import { workspaceInvite } from './workspace-invite.ts'
import { workspaceInviteRevoke } from './workspace-invite-revoke.ts'
import { workspaceInvites } from './workspace-invites.ts'
import { workspaceLeases } from './workspace-leases.ts'
import { workspaceLeave } from './workspace-leave.ts'
import { workspaceOutline } from './workspace-outline.ts'
import { workspaceParticipants } from './workspace-participants.ts'
import { workspaceProposal } from './workspace-proposal.ts'
import { workspaceProposals } from './workspace-proposals.ts'
import { workspacePropose } from './workspace-propose.ts'
import { workspaceRead } from './workspace-read.ts'
import { workspaceRebase } from './workspace-rebase.ts'
import { workspaceRelease } from './workspace-release.ts'
import { workspaceRenew } from './workspace-renew.ts'
import { workspaceReview } from './workspace-review.ts'
import { workspaceSearch } from './workspace-search.ts'
import { workspaceSessionEnd } from './workspace-session-end.ts'
import { workspaceSessions } from './workspace-sessions.ts'
import { workspaceStatus } from './workspace-status.ts'
import { type Waits, workspaceWait } from './workspace-wait.ts'
import { workspaceWithdraw } from './workspace-withdraw.ts'

const MAKERS: readonly ((access: RoomAccess) => Tool)[] = [
  workspaceChanges,
  workspaceCheckout,
  workspaceCommit,
  workspaceDiff,
  workspaceEvents,
  workspaceHandoffCancel,
  workspaceHandoffGet,
  workspaceHandoffList,
  workspaceHistory,
  workspaceInvite,
  workspaceInviteRevoke,
  workspaceInvites,
  workspaceLeases,
  workspaceLeave,
  workspaceOutline,
  workspaceParticipants,
  workspaceProposal,
  workspaceProposals,
  workspacePropose,
  workspaceRead,
  workspaceRebase,
  workspaceRelease,
  workspaceRenew,
  workspaceReview,
  workspaceSearch,
  workspaceSessionEnd,
  workspaceSessions,
  workspaceStatus,
  workspaceWithdraw,
]

/** Every tool of a room. */
export function roomTools(
  access: RoomAccess,
  check: RecordCheck,
  { joint, ...waits }: Waits & { readonly joint: Joint },
): readonly Tool[] {
  return [
    ...MAKERS.map((make) => make(access)),
    workspaceHandoffCreate(access, check, joint),
    workspaceHandoffAccept(access, joint),
    workspaceHandoffResult(access, joint),
    workspaceHandoffReview(access, joint),
    workspaceWait(access, waits),
  ]
}
