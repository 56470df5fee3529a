import { refusals } from '../reasons.ts'
import type { Moment } from './moment.ts'

export type ProposalStatus = 'pending' | 'approved' | 'rejected' | 'committed' | 'conflicted' | 'superseded'

/** A requested change. Its content is stored as a separate body, named by `content_hash`. */
export interface Proposal {
  readonly proposal_id: string
  readonly participant_id: string
  readonly target: string
  readonly base_version: number
  /** sha256 of the target's text at `base_version`. */
  readonly base_region_hash: string
  readonly content_hash: string
  readonly content_bytes: number
  readonly summary: string
  readonly status: ProposalStatus
  readonly reviewer_id?: string
  readonly reviewed_at?: Moment
  readonly reason?: string
  readonly committed_version?: number
  readonly rebased_from?: string
  readonly created_at: Moment
}

export interface Review {
  readonly approve: boolean
  readonly reviewer: string
  readonly reason?: string
  readonly at: Moment
}

/** Final statuses. */
export const TERMINAL: ReadonlySet<ProposalStatus> = new Set([
  'rejected',
  'committed',
  'conflicted',
  'superseded',
])

/**
 * The proposal after a review; the same object when it already has this decision (then there is nothing to store).
 * Errors: `conflict`/`proposal_conflict` for the opposite decision or a settled proposal.
 */
export function reviewed(proposal: Proposal, review: Review): Proposal {
  const decided = review.approve ? 'approved' : 'rejected'
  if (proposal.status === decided) return proposal
  if (proposal.status !== 'pending') throw proposalConflict(proposal)
  return {
    ...proposal,
    status: decided,
    reviewer_id: review.reviewer,
    reviewed_at: review.at,
    ...(review.reason !== undefined && { reason: review.reason }),
  }
}

/**
 * The pending proposal withdrawn by its author: rejected without a reviewer; the same object when it was withdrawn
 * before. Errors: `conflict`/`proposal_conflict` once it was reviewed or settled.
 */
export function withdrawn(proposal: Proposal, at: Moment): Proposal {
  if (proposal.status === 'rejected' && proposal.reviewer_id === undefined) return proposal
  if (proposal.status !== 'pending') throw proposalConflict(proposal)
  return { ...proposal, status: 'rejected', reviewed_at: at, reason: 'withdrawn' }
}

/** The approved proposal after its commit as `version`. */
export function committed(proposal: Proposal, version: number): Proposal {
  return { ...proposal, status: 'committed', committed_version: version }
}

/** The approved proposal that turned out stale at commit. */
export function conflicted(proposal: Proposal): Proposal {
  return { ...proposal, status: 'conflicted' }
}

/** The pending proposal after a newer version. */
export function superseded(proposal: Proposal): Proposal {
  return { ...proposal, status: 'superseded' }
}

/** The refusal of a step that this proposal's status does not allow. */
export function proposalConflict(proposal: Proposal): Error {
  return refusals.proposal_conflict(
    { status: proposal.status },
    {
      details: { proposal_id: proposal.proposal_id, status: proposal.status },
      next: { tool: 'workspace_proposal', args: { proposal_id: proposal.proposal_id } },
    },
  )
}
