import { counted } from '../../../server/plugin.ts'
import type { Edit, Edited } from '../domain/edit.ts'
import { newId } from '../domain/identity.ts'
import { LIMITS } from '../domain/limits.ts'
import { withLineEndsLike, withMarkOf } from '../domain/line-ends.ts'
import type { Merge } from '../domain/merge.ts'
import { type Proposal, reviewed, withdrawn } from '../domain/proposal.ts'
import { outOfRange, permissionDenied, tooLarge } from '../domain/refusal.ts'
import { firstChars, optionalLine, requiredLine } from '../domain/short-text.ts'
import { narrowedTo, readTarget, type TargetText } from '../domain/span.ts'
import { parseTarget } from '../domain/target.ts'
import { refusals } from '../reasons.ts'
import { type ActorChange, actorMay, requireCapability } from './change.ts'
import {
  existingTarget,
  isCurrent,
  readingOf,
  regionHash,
  staleVersion,
  targetText,
  versionText,
  wantedTarget,
} from './document.ts'
import { proposals } from './tables.ts'

export interface ProposeInput {
  /** Absent: the whole document, or with edits the smallest section that holds them. */
  readonly target?: string | undefined
  readonly base_version: number
  readonly summary: string
  /** The full new text of the target, or what changes of it: exactly one of the three. */
  readonly content?: string | undefined
  readonly edits?: readonly Edit[] | undefined
  readonly patch?: string | undefined
}

/**
 * Asks for a change to a target of the version the caller read.
 * Errors: `stale_version`, `invalid_region`, `edit_failed`, `no_change`, `too_large` above 256 KiB, `rate_limited` above
 * 100 pending ones.
 */
export function propose(change: ActorChange, input: ProposeInput): Proposal {
  requireCapability(change.actor, 'propose')
  const { tx } = change
  const { base_version } = input
  const summary = requiredLine(input.summary, 'summary', LIMITS.storedSummaryChars)
  wantedTarget(change, input.target ?? 'workspace')
  const wanted = wantedText(change, input)
  refuseLargeContent(wanted.content)
  refuseStaleBase(change, { base_version, target: wanted.target })
  const target = existingTarget(change, wanted.target)
  const document = tx.documentText()
  const replaced = targetText(change, document, target)
  const content =
    input.content === undefined
      ? wanted.content
      : withMarkOf(replaced, withLineEndsLike(replaced.includes('\n') ? replaced : document, wanted.content))
  refuseLargeContent(content)
  if (replaced === content) throw refusals.no_change()
  refuseTooManyPending(change)
  return create(change, {
    target,
    base_version,
    base_region_hash: regionHash(change, document, target),
    content,
    summary,
  })
}

function wantedText(change: ActorChange, input: ProposeInput): TargetText {
  const { target = 'workspace', base_version, content, edits, patch } = input
  if ([content, edits, patch].filter((way) => way !== undefined).length !== 1) throw refusals.propose_input()
  if (content !== undefined) return { target, content }
  // Which section changes is not known yet; whether its base is current is decided then.
  const base = baseText(change, base_version)
  if (base === undefined) throw staleVersion(change, { target, base_version })
  const before = targetText(change, base, target)
  const edited =
    patch === undefined
      ? change.analysis.edited(before, checkedEdits(edits))
      : change.analysis.patched(before, checkedPatch(patch))
  if (edited.kind !== 'edited') throw editFailed(edited, { target, base_version })
  return input.target === undefined
    ? narrowedTo(change.analysis.outline(base), base, edited.text)
    : { target, content: edited.text }
}

/** The text of the base, where a proposal may have that base. */
function baseText({ tx, settings }: ActorChange, version: number): string | undefined {
  const isOld = version !== tx.document.version
  return isOld && settings.staleness === 'strict' ? undefined : versionText(tx, version)
}

function checkedEdits(edits: readonly Edit[] = []): readonly Edit[] {
  if (edits.length === 0 || edits.some(({ old }) => old === '')) throw refusals.edits_empty()
  if (edits.length > LIMITS.editsPerProposal) throw outOfRange('number of edits', LIMITS.editsPerProposal)
  for (const edit of edits) refuseLargeContent(edit.old + edit.new)
  return edits
}

function checkedPatch(patch: string): string {
  refuseLargeContent(patch)
  return patch
}

/** The refusal of edits or a patch that do not fit the text of this version. */
export function editFailed(
  edited: Exclude<Edited, { kind: 'edited' }>,
  { target, base_version: version }: Pick<Proposal, 'target' | 'base_version'>,
): Error {
  const next = readingOf(target)
  if (edited.kind === 'unfit') return refusals.patch_unfit({ target, version }, { next })
  const { edit, times } = edited
  const found = times === 0 ? 'does not occur' : 'occurs more than once'
  return refusals.edit_failed({ edit, found, target, version }, { details: { edit, times }, next })
}

/** The base must be the newest version; with `staleness: section` an older one whose section did not change will do. */
function refuseStaleBase(
  change: ActorChange,
  { base_version, target }: Pick<Proposal, 'target' | 'base_version'>,
): void {
  if (base_version === change.tx.document.version) return
  const base = baseText(change, base_version)
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
  if (pending >= limit) throw refusals.too_many_pending({ limit }, { details: { limit } })
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
  if (merged.text === current) throw refusals.no_change()
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
