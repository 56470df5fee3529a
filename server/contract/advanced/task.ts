import type { ErrorBody } from '../errors.ts'
import type { Principal } from './principal.ts'

/** A durable unit of work as a caller polls it (MCP extension `io.modelcontextprotocol/tasks`). */
export interface TaskState {
  /** `task_` + 32 hex: 128 random bits. */
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  /** At most 240 characters. For `input_required` it also tells a caller without elicitation what to do. */
  readonly statusMessage?: string
  /** RFC 3339. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds after `createdAt`; null: kept for ever. */
  readonly ttlMs: number | null
  readonly pollIntervalMs: number
  /** `completed`: what the call would have answered. */
  readonly outcome?: { readonly data: unknown; readonly text: string } | { readonly error: ErrorBody }
  /** `failed`: a fault of the machinery, never a tool's own error. */
  readonly failure?: string
  /** `input_required`: what is asked, by key. */
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** A plugin's tasks. An unknown, foreign or expired id answers `undefined`, all alike. */
export interface Tasks {
  get(principal: Principal, taskId: string): Promise<TaskState | undefined>
  /** Unknown, answered or malformed responses are ignored. */
  update(
    principal: Principal,
    taskId: string,
    inputResponses: Readonly<Record<string, unknown>>,
  ): Promise<TaskState | undefined>
  /** Acknowledged also for a finished task; cooperative. */
  cancel(principal: Principal, taskId: string): Promise<TaskState | undefined>
}

const TASK = Symbol.for('satchel.task.v1')

/** A handler's answer when the work goes on as a task; only where `ctx.acceptsTask`. The row is durable before it is returned. */
export interface TaskStarted {
  readonly [TASK]: TaskState
}

/** Wraps a durable task row as a handler's answer. */
export function taskStarted(task: TaskState): TaskStarted {
  return { [TASK]: task }
}

/** The task of a handler's answer, if it is one. */
export function startedTask(answer: unknown): TaskState | undefined {
  if (typeof answer !== 'object' || answer === null || !(TASK in answer)) return undefined
  return (answer as TaskStarted)[TASK] // checked by the symbol, which only taskStarted sets
}
