import type { TaskState } from '../contract/task.ts'
import type { WireResult } from './raw-table.ts'

/** What a caller without elicitation is told of a task that waits for a person. */
const WAITING_FOR_REVIEW = 'waiting for review: workspace_handoff_review'
const STATUS_MESSAGE_MAX_CHARS = 240 // mcp, section 7

/**
 * The flat task of SEP-2663. A caller who cannot ask its user sees a task that waits for input as `working`.
 */
export function flatTask(task: TaskState, canAsk: boolean): WireResult {
  const waits = task.status === 'input_required' && !canAsk
  const message = waits ? WAITING_FOR_REVIEW : task.statusMessage
  return {
    taskId: task.taskId,
    status: waits ? 'working' : task.status,
    ...(message !== undefined && { statusMessage: message.slice(0, STATUS_MESSAGE_MAX_CHARS) }),
    createdAt: task.createdAt,
    lastUpdatedAt: task.lastUpdatedAt,
    ttlMs: task.ttlMs,
    pollIntervalMs: task.pollIntervalMs,
  }
}
