import type { TaskState } from '../../../server/plugin.ts'
import { isJsonObject } from '../../../server/plugin.ts'
import { allows } from '../domain/capability.ts'
import type { Handoff, RequirementCheck } from '../domain/handoff.ts'
import type { Rows } from '../domain/rows.ts'
import { taskOf } from '../domain/task.ts'
import type { ActorChange, StoredRefusal } from './change.ts'
import { cancelHandoff, reviewHandoff } from './handoffs.ts'
import { participants } from './tables.ts'
import { handoffOfTask, type View } from './views.ts'

/** True when the requester of a handoff may approve its result: then its task asks for the review. */
function mayReview(rows: Rows, requester: string): boolean {
  const participant = participants.find(rows, requester)
  return participant !== undefined && allows(participant.capabilities, 'approve')
}

/** The task with this id, if it is the caller's. */
export function findTask(view: View, taskId: string): TaskState | undefined {
  const handoff = handoffOfTask(view, taskId)
  return handoff && taskOf(handoff, mayReview(view.rows, handoff.from))
}

/** Cancels the handoff behind a task; a finished one stays as it is. */
export function cancelTask(change: ActorChange, handoff: Handoff): Handoff {
  const open = ['created', 'accepted', 'result_ready'].includes(handoff.status)
  return open ? cancelHandoff(change, { handoff_id: handoff.handoff_id }) : handoff
}

/** Reviews the handoff behind a task with the answer to its `review` request; anything else is ignored. */
export function answerTask(
  change: ActorChange,
  handoff: Handoff,
  responses: Readonly<Record<string, unknown>>,
  checks: readonly RequirementCheck[],
): Handoff | StoredRefusal {
  const answer = reviewAnswer(responses['review'])
  if (!answer || handoff.status !== 'result_ready') return handoff
  return reviewHandoff(change, { handoff_id: handoff.handoff_id, ...answer, checks })
}

function reviewAnswer(response: unknown): { approve: boolean; reason?: string } | undefined {
  if (!isJsonObject(response) || response['action'] !== 'accept' || !isJsonObject(response['content']))
    return undefined
  const { approve, reason } = response['content']
  if (typeof approve !== 'boolean') return undefined
  if (reason === undefined) return { approve }
  return typeof reason === 'string' ? { approve, reason } : undefined // never a review without its words
}
