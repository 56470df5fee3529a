import { counted } from '../../../server/plugin.ts'
import { newId } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import type { Merge } from '../domain/merge.ts'
import { type Proposal, reviewed, withdrawn } from '../domain/proposal.ts'
import { permissionDenied, tooLarge, tooMany } from '../domain/refusal.ts'
import { firstChars, optionalLine, requiredLine } from '../domain/short-text.ts'
import { readTarget } from '../domain/span.ts'
import { parseTarget } from '../domain/target.ts'
import { refusals } from '../reasons.ts'
import { type ActorChange, actorMay, requireCapability } from './change.ts'
import { existingTarget, isCurrent, regionHash, staleVersion, versionText } from './document.ts'
import { proposals } from './tables.ts'

export interface ProposeInput {
  readonly target?: string | undefined
  readonly base_version: number
  readonly summary: string
  readonly content: string
}

/**
 * Asks for a change to a target of the version the caller read.
 * Errors: `stale_version`, `invalid_region`, `too_large` above 256 KiB, `rate_limited` above 100 pending ones.
 */
export function propose(change: ActorChange, input: ProposeInput): Proposal {
  requireCapability(change.actor, 'propose')
  const { tx } = change
  const summary = requiredLine(input.summary, 'summary', LIMITS.storedSummaryChars)
  refuseLargeContent(input.content)
  parseTarget(input.target ?? 'workspace')
  refuseStaleBase(change, input)
  const target = existingTarget(change, input.target ?? 'workspace')
  refuseTooManyPending(change)
  return create(change, {
    target,
    base_version: input.base_version,
    base_region_hash: regionHash(change, tx.documentText(), target),
    content: input.content,
    summary,
  })
}

/** The base must be the newest version; with `staleness: section` an older one whose section did not change will do. */
function refuseStaleBase(change: ActorChange, { base_version, target = 'workspace' }: ProposeInput): void {
  const { tx, settings } = change
  if (base_version === tx.document.version) return
  const base = settings.staleness === 'section' ? versionText(tx, base_version) : undefined
  if (base === undefined) throw staleVersion(change, { target, base_version })
  const base_region_hash = regionHash(change, base, target)
  if (!isCurrent(change, { target, base_version, base_region_hash })) {
    throw staleVersion(change, { target, base_version })
  }
}

interface Draft {
  readonly target: string
  readonly base_version: number
  readonly base_region_hash: string
  readonly content: string
  readonly summary: string
  readonly rebased_from?: string
}

function create(change: ActorChange, draft: Draft): Proposal {
  const { tx, now, actor, random } = change
  tx.requireSpace()
  const { content, ...facts } = draft
  const proposal: Proposal = {
    proposal_id: newId('prop', random),
    participant_id: actor.participant.participant_id,
    ...facts,
    content_hash: tx.putBody(content),
    content_bytes: Buffer.byteLength(content),
    status: 'pending',
    created_at: now,
  }
  proposals.put(tx, proposal)
  const { proposal_id, target, base_version, rebased_from, summary } = proposal
  change.emit({
    type: 'proposal.created',
    actor: proposal.participant_id,
    payload: { proposal_id, target, base_version, rebased_from, status: 'pending', summary },
  })
  return proposal
}

function refuseLargeContent(content: string): void {
  if (Buffer.byteLength(content) > LIMITS.proposalBytes) throw tooLarge('content', LIMITS.proposalBytes)
}

function refuseTooManyPending({ tx, actor }: ActorChange): void {
  const participant_id = actor.participant.participant_id
  const pending = Number(tx.one('proposal_pending_of', { participant_id })?.['count'])
  const limit = LIMITS.pendingProposalsPerParticipant
  if (pending >= limit) throw tooMany('pending proposals of one participant', limit, 60)
}

/** Approves or rejects; the same decision again changes nothing. Errors: `proposal_conflict`. */
export function review(
  change: ActorChange,
  input: { readonly proposal_id: string; readonly approve: boolean; readonly reason?: string | undefined },
): Proposal {
  requireCapability(change.actor, 'approve')
  const before = proposals.get(change.tx, input.proposal_id)
  const reviewer = change.actor.participant.participant_id
  const reason = optionalLine(input.reason, 'reason', LIMITS.reasonChars)
  const after = reviewed(before, {
    approve: input.approve,
    reviewer,
    at: change.now,
    ...(reason !== undefined && { reason }),
  })
  if (after !== before) settle(change, after, after.status)
  return after
}

/** The author takes a pending proposal back; again changes nothing. Errors: `permission_denied` for another's, `proposal_conflict`. */
export function withdraw(change: ActorChange, input: { readonly proposal_id: string }): Proposal {
  requireCapability(change.actor, 'propose')
  const before = proposals.get(change.tx, input.proposal_id)
  if (before.participant_id !== change.actor.participant.participant_id) throw permissionDenied()
  const after = withdrawn(before, change.now)
  if (after !== before) settle(change, after, 'withdrawn')
  return after
}

function settle(change: ActorChange, proposal: Proposal, status: string): void {
  proposals.put(change.tx, proposal)
  const { proposal_id, target, reviewer_id, summary } = proposal
  change.emit({
    type: proposal.status === 'approved' ? 'proposal.approved' : 'proposal.rejected',
    actor: change.actor.participant.participant_id,
    payload: { proposal_id, target, reviewer_id, status, summary },
  })
}

/**
 * A new pending proposal with the same change on the newest version; the old one stays as it is.
 * Errors: `merge_conflict`, with the overlapping parts for callers with `read`; `version_pruned` when the base text was dropped.
 */
export function rebase(change: ActorChange, input: { readonly proposal_id: string }): Proposal {
  requireCapability(change.actor, 'propose')
  const { tx, analysis } = change
  const old = proposals.get(tx, input.proposal_id)
  const base = versionText(tx, old.base_version)
  const content = tx.body(old.content_hash)
  if (base === undefined || content === undefined) {
    throw refusals.base_pruned()
  }
  refuseTooManyPending(change)
  const target = parseTarget(old.target)
  const existing = existingTarget(change, old.target)
  const current = readTarget(tx.documentText(), target, analysis.outline)
  const merged = analysis.merge(readTarget(base, target, analysis.outline), current, content)
  if (merged.kind === 'conflict') throw mergeConflict(change, old, merged)
  refuseLargeContent(merged.text)
  return create(change, {
    target: existing,
    base_version: tx.document.version,
    base_region_hash: regionHash(change, tx.documentText(), existing),
    content: merged.text,
    summary: old.summary,
    rebased_from: old.proposal_id,
  })
}

const SHOWN_HUNKS = 10
const SHOWN_HUNK_CHARS = 1000

function mergeConflict(
  { tx, actor }: ActorChange,
  old: Proposal,
  { hunks }: Merge & { kind: 'conflict' },
): Error {
  const { version } = tx.document
  const mayRead = actorMay(actor, 'read')
  const shown = hunks.slice(0, SHOWN_HUNKS).map(({ base, current, proposed }) => ({
    base: firstChars(base, SHOWN_HUNK_CHARS),
    current: firstChars(current, SHOWN_HUNK_CHARS),
    proposed: firstChars(proposed, SHOWN_HUNK_CHARS),
  }))
  return refusals.merge_conflict(
    { parts: counted(hunks.length, 'part'), version },
    {
      details: {
        ...(mayRead && { target: old.target, base_version: old.base_version }),
        current_version: version,
        ...(mayRead && { hunks: shown }),
        hunk_count: hunks.length,
      },
    },
  )
}
