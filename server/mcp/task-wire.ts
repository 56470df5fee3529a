import type { TaskState } from '../contract/advanced/task.ts'
import { errorFromBody } from '../contract/errors.ts'
import type { WireResult } from './raw-table.ts'
import { errorResult } from './tool-error.ts'

const STATUS_MESSAGE_MAX_CHARS = 240 // mcp, section 7
const INTERNAL_ERROR = -32603

/** Converts the data of a task to the result of its tool. */
export type AnswerOf = (data: unknown) => WireResult

/** Returns the flat task of SEP-2663. A caller without elicitation sees `input_required` as `working`. */
export function flatTask(task: TaskState, canAsk: boolean): WireResult {
  const waits = task.status === 'input_required' && !canAsk
  const message = task.statusMessage
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

/** Converts a task in wire format for a caller with or without elicitation. */
export function maskedTask(task: WireResult, canAsk: boolean): WireResult {
  if (task['status'] !== 'input_required' || canAsk) return task
  const { inputRequests: _, ...rest } = task
  return { ...rest, status: 'working' }
}

/** Returns the task of `tasks/get` and `notifications/tasks`: the flat task and the member of its status. */
export function detailedTask(task: TaskState, canAsk: boolean, answerOf: AnswerOf): WireResult {
  const flat = flatTask(task, canAsk)
  if (task.status === 'completed') return { ...flat, result: outcomeOf(task, answerOf) }
  if (task.status === 'failed') {
    return { ...flat, error: { code: INTERNAL_ERROR, message: task.failure ?? 'The task failed' } }
  }
  const asks = task.status === 'input_required' && canAsk
  return asks ? { ...flat, inputRequests: task.inputRequests ?? {} } : flat
}

/** An error of the tool completes its task: `failed` is reserved for internal faults. */
function outcomeOf({ outcome }: TaskState, answerOf: AnswerOf): WireResult {
  if (!outcome) return { content: [], isError: false }
  if ('error' in outcome) return errorResult(errorFromBody(outcome.error))
  return answerOf(outcome.data)
}
