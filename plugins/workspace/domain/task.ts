import type { TaskState } from '../../../server/plugin.ts'
import { type Handoff, type HandoffStatus, handoffShown } from './handoff.ts'
import { LIMITS } from './limits.ts'
import { firstChars } from './short-text.ts'

const POLL_MS = 5000 // design mcp, section 7

const MESSAGES: Readonly<Record<HandoffStatus, string>> = {
  created: 'waiting for someone to accept',
  accepted: 'accepted, being worked on',
  result_ready: 'waiting for review: workspace_handoff_review',
  approved: 'approved',
  rejected: 'rejected',
  cancelled: 'cancelled',
}

/**
 * The task of a handoff. `reviewable`: the requester may approve, so a ready result asks for the review.
 * A rejected handoff is a completed task with an error; `failed` is for faults of the machinery only.
 */
export function taskOf(handoff: Handoff, reviewable: boolean): TaskState {
  return {
    taskId: handoff.task_id,
    status: statusOf(handoff.status, reviewable),
    statusMessage: firstChars(MESSAGES[handoff.status], LIMITS.eventSummaryChars),
    createdAt: handoff.created_at,
    lastUpdatedAt: handoff.updated_at,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
    ...(outcomeOf(handoff) && { outcome: outcomeOf(handoff) }),
    ...(handoff.status === 'result_ready' &&
      reviewable && { inputRequests: { review: reviewRequest(handoff) } }),
  } as TaskState // `outcome` is absent, never undefined; the spread hides that from the compiler
}

function statusOf(status: HandoffStatus, reviewable: boolean): TaskState['status'] {
  if (status === 'approved' || status === 'rejected') return 'completed'
  if (status === 'cancelled') return 'cancelled'
  return status === 'result_ready' && reviewable ? 'input_required' : 'working'
}

function outcomeOf(handoff: Handoff): TaskState['outcome'] {
  if (handoff.status === 'approved') {
    return { data: handoffShown(handoff) }
  }
  if (handoff.status !== 'rejected') return undefined
  const why = handoff.reason ? ` ${handoff.reason}` : ''
  return {
    error: {
      code: 'conflict',
      reason: 'handoff_state',
      message: `The result of this handoff was rejected.${why}`,
      details: { handoff_id: handoff.handoff_id, status: handoff.status },
    },
  }
}

function reviewRequest(handoff: Handoff): unknown {
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: `Review the result of "${handoff.title}": ${handoff.result_summary ?? ''}`,
      requestedSchema: {
        type: 'object',
        properties: { approve: { type: 'boolean' }, reason: { type: 'string' } },
        required: ['approve'],
      },
    },
  }
}
