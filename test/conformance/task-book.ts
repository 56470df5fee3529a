import { randomBytes } from 'node:crypto'
import { MissingRequiredClientCapabilityError, type ServerContext } from '@modelcontextprotocol/server'
import type { TaskState, Tasks } from '../../server/contract/advanced/task.ts'
import type { ErrorBody } from '../../server/contract/errors.ts'
import type { RawTool, WireResult } from '../../server/mcp/raw-table.ts'
import { flatTask } from '../../server/mcp/task-wire.ts'
import { rawTool, text } from './content.ts'
import { accepted, elicit, inputRequired } from './input-required.ts'
import { capabilitiesOf } from './plain-tools.ts'

const EXTENSION = 'io.modelcontextprotocol/tasks'
const FAILING_MS = 300

type Change = Pick<TaskState, 'status'> & Partial<TaskState>

/** Tasks in memory, and the suite's tools that start them. */
export interface TaskBook {
  readonly tasks: Tasks
  readonly tools: readonly RawTool[]
}

/** An empty book; `changed` is told each change of a task. */
export function createTaskBook(now: () => Date, changed: (taskId: string) => void): TaskBook {
  const book = new Map<string, TaskState>()

  const put = (taskId: string, change: Change): void => {
    const before = book.get(taskId)
    if (!before || isOver(before)) return
    const { inputRequests: _, ...rest } = before
    book.set(taskId, { ...rest, ...change, lastUpdatedAt: now().toISOString() })
    changed(taskId)
  }
  const start = (change: Change = { status: 'working' }): string => {
    const taskId = `task_${randomBytes(16).toString('hex')}`
    const at = now().toISOString()
    book.set(taskId, {
      taskId,
      createdAt: at,
      lastUpdatedAt: at,
      ttlMs: 600_000,
      pollIntervalMs: 100,
      ...change,
    })
    return taskId
  }
  const created = (taskId: string): WireResult => {
    const task = book.get(taskId)
    if (!task) throw new TypeError('a task that was not started')
    return { resultType: 'task', ...flatTask(task, true) }
  }
  const finishLater = (taskId: string, ms: number, change: Change): void => {
    setTimeout(() => put(taskId, change), ms).unref()
  }
  const asking = (requests: WireResult): WireResult =>
    created(start({ status: 'input_required', inputRequests: requests }))

  const tasks: Tasks = {
    get: async (_principal, taskId) => book.get(taskId),
    async update(_principal, taskId, responses) {
      const task = book.get(taskId)
      if (task?.status !== 'input_required') return task
      const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => !(key in responses))
      if (open.length === 0) put(taskId, done('The answers are here.'))
      else put(taskId, { status: 'input_required', inputRequests: Object.fromEntries(open) })
      return task
    },
    async cancel(_principal, taskId) {
      put(taskId, { status: 'cancelled' })
      return book.get(taskId)
    },
  }
  const confirm = elicit('Delete it?', 'confirm', 'boolean')
  const tools = [
    rawTool('greet', async ({ name }) => text(`Hello, ${String(name)}!`), { name: { type: 'string' } }),
    rawTool(
      'slow_compute',
      async ({ seconds }, { ctx }) => {
        if (!declaresTasks(ctx)) return text('computed inline')
        const taskId = start()
        finishLater(taskId, Number(seconds ?? 0) * 1000, done('computed'))
        return created(taskId)
      },
      { seconds: { type: 'number' }, label: { type: 'string' } },
    ),
    rawTool('failing_job', async (_args, { ctx }) => {
      requireTasks(ctx)
      const taskId = start()
      const error: ErrorBody = { code: 'unavailable', reason: 'job_failed', message: 'The job failed.' }
      finishLater(taskId, FAILING_MS, { status: 'completed', outcome: { error } })
      return created(taskId)
    }),
    rawTool('protocol_error_job', async (_args, { ctx }) => {
      requireTasks(ctx)
      const taskId = start()
      finishLater(taskId, FAILING_MS, { status: 'failed', failure: 'The machinery failed.' })
      return created(taskId)
    }),
    rawTool(
      'confirm_delete',
      async (_args, { ctx }) => (declaresTasks(ctx) ? asking({ confirm }) : text('not deleted')),
      { filename: { type: 'string' } },
    ),
    rawTool('multi_input', async (_args, { ctx }) => {
      requireTasks(ctx)
      return asking({ first: confirm, second: elicit('And the other?', 'confirm', 'boolean') })
    }),
    rawTool('test_tool_with_task', async (_args, { ctx }) => {
      requireTasks(ctx)
      const name = accepted(ctx, 'user_name', 'name')
      if (name === undefined) {
        return inputRequired({ user_name: elicit('What is your name?', 'name') }, 'before the task')
      }
      const taskId = start()
      finishLater(taskId, FAILING_MS, done(`Done for ${String(name)}.`))
      return created(taskId)
    }),
  ]
  return { tasks, tools }
}

function done(value: string): Change {
  return { status: 'completed', outcome: { data: { answer: value } } }
}

function isOver({ status }: TaskState): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}

function declaresTasks(ctx: ServerContext): boolean {
  const { extensions } = capabilitiesOf(ctx)
  return typeof extensions === 'object' && extensions !== null && EXTENSION in extensions
}

function requireTasks(ctx: ServerContext): void {
  if (declaresTasks(ctx)) return
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [EXTENSION]: {} } },
  })
}
