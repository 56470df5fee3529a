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

interface Hint {
  readonly hint?: string
}

const SHOWN_REVIEWERS = 10

/** Names of participants who may approve a new proposal, what its author may have overlooked, and the call that tells how it went. */
export function afterProposal(
  change: ActorChange,
  proposal: Proposal,
): Step & Hint & { readonly reviewers: readonly string[] } {
  const reviewers = presentParticipants(change.tx)
    .filter(({ capabilities }) => allows(capabilities, 'approve'))
    .map(({ name }) => name)
  const shown = reviewers.slice(0, SHOWN_REVIEWERS)
  return { reviewers: shown, ...ofLostHeading(change, proposal), ...untilChanged(change) }
}

/** The heading belongs to the text of a section, and models send what is below it. */
function ofLostHeading({ tx, analysis }: ActorChange, { target, content_hash }: Proposal): Hint {
  if (target === 'workspace') return {}
  const content = tx.body(content_hash) ?? ''
  const outline = analysis.outline(content)
  const above = content.slice(0, outline.size > 0 ? outline.at(0).start : undefined)
  if (above.trim() === '') return {}
  return {
    hint: 'The new text does not begin with a heading: a commit adds what is before its first one to the section above, and removes the heading of the section unless the text has it.',
  }
}

/** What an approved proposal waits for. A call that destroys is never given ready to make. */
export function afterReview({ actor }: ActorChange, { status }: Proposal): Hint {
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
