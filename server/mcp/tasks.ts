import { MissingRequiredClientCapabilityError, ProtocolError } from '@modelcontextprotocol/server'
import { plainText } from '../answer/plain-text.ts'
import { readerOf } from '../answer/reader.ts'
import { asCallerError, checkOutput } from '../call.ts'
import type { Principal } from '../contract/advanced/principal.ts'
import type { TaskState, Tasks } from '../contract/advanced/task.ts'
import type { CallContext } from '../contract/context.ts'
import type { Tool } from '../contract/tool.ts'
import { isJsonObject } from '../platform/json-object.ts'
import { toolOfTask } from '../task-tool.ts'
import { declaresElicitation, declaresTasks, TASKS_EXTENSION } from './caller.ts'
import type { Catalog } from './descriptors.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import type { WireResult, WireTask } from './raw-table.ts'
import { type AnswerOf, detailedTask } from './task-wire.ts'
import { type ToolAnswer, toolAnswer } from './tool-answer.ts'
import { errorResult } from './tool-error.ts'

/** Answers `tasks/get`. Errors: -32021 without the declared extension; -32602 for an unknown, foreign or expired id. */
export async function getTask(exchange: Exchange, taskId: string): Promise<WireResult> {
  const task = await requireTask(exchange, taskId)
  return task.detailed(declaresElicitation(exchange.envelope))
}

/** Answers `tasks/update`; the plugin ignores unknown, answered and malformed responses. Errors: those of `getTask`. */
export async function updateTask(exchange: Exchange, taskId: string): Promise<WireResult> {
  const task = await requireTask(exchange, taskId)
  // The SDK removes `inputResponses` from the parameters of every request.
  if (!(await task.update(exchange.sdk?.ctx.mcpReq.inputResponses ?? {}))) throw unknownTask()
  return {}
}

/** Answers `tasks/cancel`, also for a finished task. Errors: those of `getTask`. */
export async function cancelTask(exchange: Exchange, taskId: string): Promise<WireResult> {
  const task = await requireTask(exchange, taskId)
  if (!(await task.cancel())) throw unknownTask()
  return {}
}

/** Errors: -32021 unless this request declares the extension. */
export function requireTasksDeclared(envelope: unknown): void {
  if (declaresTasks(envelope)) return
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

/**
 * Finds the task for its owner; undefined for any other id. A local caller is mapped to a plugin's session only if no
 * plugin knows the id otherwise, because the mapping may start that session.
 */
export async function findTask(
  catalog: Catalog,
  ctx: CallContext,
  taskId: string,
): Promise<WireTask | undefined> {
  const { principal } = ctx
  const reachable = catalog.host.registry.tasks.filter(
    ({ plugin }) => principal.kind !== 'session' || principal.plugin === plugin,
  )
  for (const { plugin, tasks } of reachable) {
    const state = await tasks.get(principal, taskId)
    if (state) return wireTask(state, tasks, principal, answerOf(catalog, ctx, plugin, state))
  }
  for (const { plugin, tasks } of reachable) {
    const session = await catalog.host.principalFor({ plugin, requires: 'read' }, ctx)
    const state = session === principal ? undefined : await tasks.get(session, taskId)
    if (state) return wireTask(state, tasks, session, answerOf(catalog, ctx, plugin, state))
  }
  return catalog.raw?.findTask?.(taskId)
}

function wireTask(state: TaskState, tasks: Tasks, principal: Principal, answer: AnswerOf): WireTask {
  const { taskId } = state
  return {
    detailed: (canAsk) => detailedTask(state, canAsk, answer),
    update: async (responses) => (await tasks.update(principal, taskId, responses)) !== undefined,
    cancel: async () => (await tasks.cancel(principal, taskId)) !== undefined,
  }
}

async function requireTask(exchange: Exchange, taskId: string): Promise<WireTask> {
  requireTasksDeclared(exchange.envelope)
  const found = await findTask(exchange.catalog, callContextOf(exchange), taskId)
  if (!found) throw unknownTask()
  return found
}

/**
 * Returns the outcome of a task as the tool that started it answers, checked as a direct answer is. Errors of the result:
 * those of `toolOfTask`.
 */
function answerOf(catalog: Catalog, ctx: CallContext, plugin: string, state: TaskState): AnswerOf {
  return (value) => {
    const owned = toolOfTask(catalog.host.registry, plugin, state)
    try {
      const { text, data } = outcomeAnswer(catalog, ctx, owned?.tool, value)
      return { content: [{ type: 'text', text }], structuredContent: data, isError: false }
    } catch (thrown) {
      return errorResult(asCallerError(thrown, ctx, `outcome of ${state.taskId}`))
    }
  }
}

function outcomeAnswer(
  { host, tool }: Catalog,
  { client, log }: CallContext,
  starter: Tool | undefined,
  value: unknown,
): Pick<ToolAnswer, 'text' | 'data'> {
  const plain = isJsonObject(value) ? value : {}
  const data = starter ? checkOutput(starter, value, { log }) : plain
  const offered = starter && tool(starter.name)
  if (!offered) return { text: plainText(data), data }
  return toolAnswer(offered, data, { args: {} }, readerOf(client?.name, host.answers))
}

function unknownTask(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Unknown task')
}
