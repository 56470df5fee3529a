import type { ErrorBody } from '../errors.ts'
import type { Principal } from './principal.ts'

/** A durable unit of work that a caller polls (MCP extension `io.modelcontextprotocol/tasks`). */
export interface TaskState {
  /** `task_` + 32 hex: 128 random bits. */
  readonly taskId: string
  /** The tool whose answer the outcome is; absent: the only tool of the plugin that starts tasks. */
  readonly tool?: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  /** At most 240 characters. For `input_required` it also says what a caller without elicitation can do. */
  readonly statusMessage?: string
  /** RFC 3339. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Milliseconds after `createdAt`; null: never deleted. */
  readonly ttlMs: number | null
  readonly pollIntervalMs: number
  /** `completed`: the result of the call. */
  readonly outcome?: { readonly data: unknown } | { readonly error: ErrorBody }
  /** `failed`: an internal fault, never an error of the tool. */
  readonly failure?: string
  /** `input_required`: the questions by key. */
  readonly inputRequests?: Readonly<Record<string, unknown>>
}

/** The tasks of a plugin. An unknown, foreign or expired id gives `undefined`. */
export interface Tasks {
  get(principal: Principal, taskId: string): Promise<TaskState | undefined>
  /** Unknown, answered or malformed responses are ignored. */
  update(
    principal: Principal,
    taskId: string,
    inputResponses: Readonly<Record<string, unknown>>,
  ): Promise<TaskState | undefined>
  /** Requests cancellation; also acknowledged for a finished task. */
  cancel(principal: Principal, taskId: string): Promise<TaskState | undefined>
}

const TASK = Symbol.for('satchel.task.v1')

/** A handler's answer if the work continues as a task; only if `ctx.acceptsTask`. The row must be durable first. */
export interface TaskStarted {
  readonly [TASK]: TaskState
}

/** Wraps a durable task row as a handler's answer. */
export function taskStarted(task: TaskState): TaskStarted {
  return { [TASK]: task }
}

/** Returns the task of a handler's answer, if it is one. */
export function startedTask(answer: unknown): TaskState | undefined {
  if (typeof answer !== 'object' || answer === null || !(TASK in answer)) return undefined
  return (answer as TaskStarted)[TASK] // checked by the symbol, which only taskStarted sets
}
