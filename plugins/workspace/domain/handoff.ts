import type { EvidenceFinding } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import type { Moment } from './moment.ts'

export type HandoffStatus = 'created' | 'accepted' | 'result_ready' | 'approved' | 'rejected' | 'cancelled'

/** One requirement of a handoff and what its check says of the result. */
export interface RequirementCheck {
  readonly requirement: string
  readonly verdict: EvidenceFinding['verdict']
  readonly reason: string
}

/** The requirements that the checks do not show to be met. A requirement that was not checked is not met. */
export function unmet(
  requires: readonly string[],
  checks: readonly RequirementCheck[],
): readonly RequirementCheck[] {
  return requires.flatMap((requirement) => {
    const found = checks.find((check) => check.requirement === requirement)
    if (found?.verdict === 'holds' || found?.verdict === 'moved') return []
    return found ?? { requirement, verdict: 'unverifiable', reason: 'it was not checked' }
  })
}

/** Work that one participant hands to another, or to anyone who accepts it. It has one task. */
export interface Handoff {
  /** The record of the handoff plugin that the work continues. */
  readonly record_id?: string
  /** Kinds of evidence that must hold for the result before it can be approved. */
  readonly requires?: readonly string[]
  /** What they said when they were last checked. */
  readonly checks?: readonly RequirementCheck[]
  /** The record that the decision left. */
  readonly left_record?: string
  /** Events of the handoff itself, oldest first. */
  readonly event_ids?: readonly number[]
  /** The document's version at the decision. */
  readonly decided_version?: number
  readonly handoff_id: string
  readonly task_id: string
  readonly from: string
  /** Absent: anyone may accept it. */
  readonly to?: string
  readonly acceptor?: string
  readonly title: string
  readonly objective: string
  readonly target?: string
  readonly base_version: number
  readonly has_record: boolean
  readonly parent_id?: string
  readonly proposal_id?: string
  readonly result_summary?: string
  readonly result?: string
  readonly reason?: string
  readonly status: HandoffStatus
  readonly created_at: Moment
  readonly updated_at: Moment
}

/** A handoff without what the room notes of it for itself. */
export type HandoffShown = Omit<Handoff, 'event_ids' | 'decided_version'>

export function handoffShown({ event_ids: _, decided_version: __, ...shown }: Handoff): HandoffShown {
  return shown
}

export type HandoffStep = 'accept' | 'result' | 'approve' | 'reject' | 'cancel'

const STEPS: Readonly<
  Record<HandoffStep, { readonly from: readonly HandoffStatus[]; readonly to: HandoffStatus }>
> = {
  accept: { from: ['created'], to: 'accepted' },
  result: { from: ['accepted'], to: 'result_ready' },
  approve: { from: ['result_ready'], to: 'approved' },
  reject: { from: ['result_ready'], to: 'rejected' },
  cancel: { from: ['created', 'accepted', 'result_ready'], to: 'cancelled' },
}

/** True when the handoff already has the status that `step` leads to. */
export function isDone(handoff: Handoff, step: HandoffStep): boolean {
  return handoff.status === STEPS[step].to
}

/**
 * The handoff after `step`, with what the step adds.
 * Errors: `conflict`/`handoff_state`.
 */
export function stepped(
  handoff: Handoff,
  step: HandoffStep,
  at: Moment,
  more: Partial<
    Pick<
      Handoff,
      'acceptor' | 'proposal_id' | 'result_summary' | 'result' | 'reason' | 'checks' | 'decided_version'
    >
  > = {},
): Handoff {
  const { from, to } = STEPS[step]
  // A result that does not meet its requirements may be corrected.
  const isCorrection =
    step === 'result' && handoff.status === 'result_ready' && handoff.requires !== undefined
  if (!isCorrection && !from.includes(handoff.status)) {
    throw refusals.handoff_state(
      { status: handoff.status, to },
      {
        details: { handoff_id: handoff.handoff_id, status: handoff.status },
        next: { tool: 'workspace_handoff_get', args: { handoff_id: handoff.handoff_id } },
      },
    )
  }
  return { ...handoff, ...more, status: to, updated_at: at }
}
