import { refusals } from '../reasons.ts'
import type { Moment } from './moment.ts'

export type HandoffStatus = 'created' | 'accepted' | 'result_ready' | 'approved' | 'rejected' | 'cancelled'

/** Work that one participant hands to another, or to anyone who accepts it. It has one task. */
export interface Handoff {
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
  more: Partial<Pick<Handoff, 'acceptor' | 'proposal_id' | 'result_summary' | 'result' | 'reason'>> = {},
): Handoff {
  const { from, to } = STEPS[step]
  if (!from.includes(handoff.status)) {
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
