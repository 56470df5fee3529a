import { blockingLease, isCurrentFence, type Lease, leaseConflict } from '../domain/lease.ts'
import { LIMITS } from '../domain/limits.ts'
import { committed, conflicted, type Proposal, proposalConflict } from '../domain/proposal.ts'
import { permissionDenied, tooLarge } from '../domain/refusal.ts'
import type { Rows } from '../domain/rows.ts'
import { requiredLine } from '../domain/short-text.ts'
import { writeTarget } from '../domain/span.ts'
import { parseTarget } from '../domain/target.ts'
import { refusals } from '../reasons.ts'
import { type ActorChange, actorMay, requireCapability, type StoredRefusal, storedRefusal } from './change.ts'
import {
  addVersion,
  getVersion,
  isCurrent,
  overtakenProposals,
  staleVersion,
  supersede,
  type VersionFacts,
} from './document.ts'
import { expireLeases } from './leases.ts'
import { editFailed } from './proposals.ts'
import { listed, proposals } from './tables.ts'

/** The result of a commit. */
export interface Commit {
  readonly version: number
  readonly content_hash: string
  readonly proposal_id?: string
  readonly superseded: readonly string[]
}

export interface CommitInput {
  readonly proposal_id?: string | undefined
  readonly fence?: number | undefined
  readonly force?: boolean | undefined
  readonly base_version?: number | undefined
  readonly content?: string | undefined
  /** A unified diff of the base, in place of the content: the text may be larger than a request. */
  readonly patch?: string | undefined
  readonly summary?: string | undefined
}

/**
 * Commits an approved proposal, or a text for an admin.
 * Errors: `invalid_request` for both; `edit_failed` for a patch that does not fit; `proposal_conflict`, `lease_conflict`, `stale_fence`, `stale_version` (a stale proposal turns conflicted, which is stored).
 */
export function commit(change: ActorChange, input: CommitInput): Commit | StoredRefusal {
  requireCapability(change.actor, 'commit')
  if (input.proposal_id !== undefined) {
    refuseOtherText(input)
    return commitProposal(change, input.proposal_id, input)
  }
  if (!actorMay(change.actor, 'admin')) throw permissionDenied('admin')
  return commitText(change, input)
}

/** A text sent with a proposal would be ignored, and the caller would believe that it was committed. */
function refuseOtherText({ base_version, content, patch, summary }: CommitInput): void {
  if ([base_version, content, patch, summary].every((field) => field === undefined)) return
  throw refusals.commit_input()
}

function commitText(change: ActorChange, input: CommitInput): Commit {
  const { base_version, content, patch, summary } = input
  const isOneText = (content === undefined) !== (patch === undefined)
  if (base_version === undefined || summary === undefined || !isOneText) throw refusals.commit_input()
  const line = requiredLine(summary, 'summary', LIMITS.storedSummaryChars)
  refuseLargeDocument(content ?? '')
  refuseForeignLease(change, 'workspace', input)
  if (base_version !== change.tx.document.version)
    throw staleVersion(change, { target: 'workspace', base_version })
  const text = content ?? patched(change, patch ?? '')
  return land(change, text, { source: 'commit', target: 'workspace', summary: line }, base_version)
}

function patched({ tx, analysis }: ActorChange, patch: string): string {
  const made = analysis.patched(tx.documentText(), patch)
  if (made.kind !== 'edited')
    throw editFailed(made, { target: 'workspace', base_version: tx.document.version })
  refuseLargeDocument(made.text)
  return made.text
}

function refuseLargeDocument(text: string): void {
  if (Buffer.byteLength(text) > LIMITS.documentBytes) throw tooLarge('document', LIMITS.documentBytes)
}

/** Lands the proposal with this id; see `commit`. */
export function commitProposal(
  change: ActorChange,
  proposalId: string,
  options: Pick<CommitInput, 'fence' | 'force'>,
): Commit | StoredRefusal {
  const { tx, actor, analysis } = change
  const proposal = proposals.get(tx, proposalId)
  if (proposal.status === 'committed') return sameCommit(tx, proposal)
  if (proposal.status !== 'approved') throw proposalConflict(proposal)
  refuseForeignLease(change, proposal.target, options)
  if (!isCurrent(change, proposal)) return settleStale(change, proposal)
  const content = tx.body(proposal.content_hash)
  if (content === undefined) throw refusals.content_unreadable()

  const text = writeTarget(tx.documentText(), parseTarget(proposal.target), content, analysis.outline)
  const { target, summary, base_version } = proposal
  const landed = land(
    change,
    text,
    { source: 'proposal', target, summary, proposal_id: proposal.proposal_id },
    base_version,
  )
  proposals.put(tx, committed(proposal, landed.version))
  change.emit({
    type: 'proposal.committed',
    version: landed.version,
    actor: actor.participant.participant_id,
    payload: settledPayload(proposal, 'committed'),
  })
  return { ...landed, proposal_id: proposal.proposal_id }
}

/** What the commit of this proposal answered. */
function sameCommit(rows: Rows, proposal: Proposal): Commit {
  const version = getVersion(rows, proposal.committed_version ?? 0)
  return {
    version: version.version,
    content_hash: version.content_hash,
    proposal_id: proposal.proposal_id,
    superseded: version.superseded ?? [],
  }
}

function settleStale(change: ActorChange, proposal: Proposal): StoredRefusal {
  proposals.put(change.tx, conflicted(proposal))
  change.emit({
    type: 'proposal.conflicted',
    version: change.tx.document.version,
    actor: change.actor.participant.participant_id,
    payload: settledPayload(proposal, 'conflicted'),
  })
  return storedRefusal(staleVersion(change, proposal))
}

function settledPayload(proposal: Proposal, status: string) {
  const { proposal_id, target, reviewer_id, summary } = proposal
  return { proposal_id, target, reviewer_id, status, summary }
}

function land(
  change: ActorChange,
  text: string,
  facts: Omit<VersionFacts, 'actor_id' | 'superseded'>,
  baseVersion: number,
): Commit {
  change.tx.requireSpace()
  const actor = change.actor.participant.participant_id
  const document = change.tx.setDocument(text)
  const overtaken = overtakenProposals(change)
  const superseded = overtaken.map(({ proposal_id }) => proposal_id)
  addVersion(change, document, { ...facts, actor_id: actor, ...(superseded.length > 0 && { superseded }) })
  const { target, proposal_id, summary } = facts
  change.emit({
    type: 'change.committed',
    version: document.version,
    actor,
    payload: { target, base_version: baseVersion, proposal_id, summary },
  })
  supersede(change, overtaken, document.version)
  return { version: document.version, content_hash: document.hash, superseded }
}

function refuseForeignLease(
  change: ActorChange,
  target: string,
  options: Pick<CommitInput, 'fence' | 'force'>,
): void {
  expireLeases(change)
  const { tx, actor, now } = change
  const active = listed<Lease>(tx, 'lease_active')
  const me = actor.participant.participant_id
  const blocking = blockingLease(active, me, target)
  const forced = options.force === true && actorMay(actor, 'admin')
  if (blocking && !forced) throw leaseConflict(blocking, now)
  if (options.fence !== undefined && !isCurrentFence(active, me, target, options.fence)) {
    throw refusals.stale_fence({ details: { fence: options.fence } })
  }
}
