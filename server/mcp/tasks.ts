import { MissingRequiredClientCapabilityError, ProtocolError } from '@modelcontextprotocol/server'
import type { CallContext, Principal } from '../contract/context.ts'
import type { TaskState, Tasks } from '../contract/task.ts'
import { declaresElicitation, declaresTasks, TASKS_EXTENSION } from './caller.ts'
import type { Catalog } from './descriptors.ts'
import { callContextOf, type Exchange } from './exchange.ts'
import { INVALID_PARAMS } from './protocol-errors.ts'
import type { WireResult } from './raw-table.ts'
import { detailedTask, type Fence } from './task-wire.ts'

/** A task, who asked for it as its plugin knows them, and what its tool's output is fenced with. */
export interface FoundTask {
  readonly state: TaskState
  readonly tasks: Tasks
  readonly principal: Principal
  readonly fence: Fence
}

/** Answers `tasks/get`. Errors: -32021 without the declared extension; -32602 for an unknown, foreign or expired id. */
export async function getTask(exchange: Exchange, taskId: string): Promise<WireResult> {
  const { state, fence } = await requireTask(exchange, taskId)
  return detailedTask(state, declaresElicitation(exchange.ctx.mcpReq.envelope), fence)
}

/** Answers `tasks/update`; unknown, answered and malformed responses are the plugin's to ignore. Errors: those of `getTask`. */
export async function updateTask(exchange: Exchange, taskId: string): Promise<WireResult> {
  const { tasks, principal } = await requireTask(exchange, taskId)
  // The SDK takes `inputResponses` out of the parameters of every request.
  if (!(await tasks.update(principal, taskId, exchange.ctx.mcpReq.inputResponses ?? {}))) throw unknownTask()
  return {}
}

/** Answers `tasks/cancel`, also for a finished task. Errors: those of `getTask`. */
export async function cancelTask(exchange: Exchange, taskId: string): Promise<WireResult> {
  const { tasks, principal } = await requireTask(exchange, taskId)
  if (!(await tasks.cancel(principal, taskId))) throw unknownTask()
  return {}
}

/** Errors: -32021 unless this very request declares the extension. */
export function requireTasksDeclared(envelope: unknown): void {
  if (declaresTasks(envelope)) return
  throw new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  })
}

/**
 * The task as its owner sees it; undefined for every other id. A local caller is taken for a plugin's own session only
 * when nobody knows the id otherwise: to ask may join a room.
 */
export async function findTask(
  catalog: Catalog,
  ctx: CallContext,
  taskId: string,
): Promise<FoundTask | undefined> {
  const { principal } = ctx
  const reachable = catalog.host.registry.tasks.filter(
    ({ plugin }) => principal.kind !== 'session' || principal.plugin === plugin,
  )
  for (const { plugin, tasks } of reachable) {
    const state = await tasks.get(principal, taskId)
    if (state) return { state, tasks, principal, fence: fenceOf(catalog, plugin) }
  }
  for (const { plugin, tasks } of reachable) {
    const session = await catalog.host.principalFor({ plugin, requires: 'read' }, ctx)
    const state = session === principal ? undefined : await tasks.get(session, taskId)
    if (state) return { state, tasks, principal: session, fence: fenceOf(catalog, plugin) }
  }
  return undefined
}

async function requireTask(exchange: Exchange, taskId: string): Promise<FoundTask> {
  requireTasksDeclared(exchange.ctx.mcpReq.envelope)
  const found = await findTask(exchange.catalog, callContextOf(exchange), taskId)
  if (!found) throw unknownTask()
  return found
}

/** A plugin's tasks are those of its one tool that may answer with a task. */
function fenceOf(catalog: Catalog, plugin: string): Fence {
  const owned = catalog.host.registry.tools.find((tool) => tool.plugin === plugin && tool.tool.task)
  return (output) => (owned && catalog.tool(owned.tool.name)?.fence(output)) ?? output
}

function unknownTask(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Unknown task')
}
