import type { NextStep } from '../../../server/plugin.ts'
import { allows } from '../domain/capability.ts'
import type { Handoff } from '../domain/handoff.ts'
import type { Proposal } from '../domain/proposal.ts'
import { type ActorChange, actorMay } from './change.ts'
import { presentParticipants } from './members.ts'

/** The call to make after a change; absent where this session may not make it. */
interface Step {
  readonly next?: NextStep
}

const SHOWN_REVIEWERS = 10

/** Names of participants who may approve a new proposal, and the call that tells how it went. */
export function afterProposal(change: ActorChange): Step & { readonly reviewers: readonly string[] } {
  const reviewers = presentParticipants(change.tx)
    .filter(({ capabilities }) => allows(capabilities, 'approve'))
    .map(({ name }) => name)
  return { reviewers: reviewers.slice(0, SHOWN_REVIEWERS), ...untilChanged(change) }
}

/** What an approved proposal waits for. A call that destroys is never given ready to make. */
export function afterReview({ actor }: ActorChange, { status }: Proposal): { readonly hint?: string } {
  if (status !== 'approved' || !actorMay(actor, 'commit')) return {}
  return { hint: 'Commit it with workspace_commit.' }
}

/** The call that reads an accepted handoff with its record. */
export function afterAcceptance({ actor }: ActorChange, { handoff_id, has_record }: Handoff): Step {
  if (!has_record || !actorMay(actor, 'read')) return {}
  return { next: { tool: 'workspace_handoff_get', args: { handoff_id } } }
}

/** The call that tells what others did after this change. */
export function untilChanged({ tx, actor }: ActorChange): Step {
  if (!actorMay(actor, 'read') || !actorMay(actor, 'observe')) return {}
  return { next: { tool: 'workspace_changes', args: { since_event_id: tx.latestEventId } } }
}
