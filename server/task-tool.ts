import type { OwnedTool } from './call.ts'
import type { TaskState } from './contract/advanced/task.ts'
import type { Registry } from './registry.ts'

type Declared = Pick<Registry, 'tools' | 'tasks'>

/**
 * The tool whose answer the outcome of a task is; undefined if no tool of `plugin` starts tasks.
 * Errors: `TypeError`, an error of the plugin, for a task that does not say which of several tools it is.
 */
export function toolOfTask(
  { tools }: Pick<Declared, 'tools'>,
  plugin: string,
  { tool: named }: Pick<TaskState, 'tool'>,
): OwnedTool | undefined {
  const starters = tools.filter((each) => each.plugin === plugin && each.tool.task === true)
  if (named === undefined && starters.length <= 1) return starters[0]
  const found = starters.find(({ tool }) => tool.name === named)
  if (found) return found
  throw new TypeError(`a task of the plugin ${plugin} must name the tool that started it, not ${named}`)
}

/** Refuses a task whose result no caller could get. Errors: `TypeError`, an error of the plugin. */
export function requireOwnTask(declared: Declared, { tool, plugin }: OwnedTool, task: TaskState): void {
  if (!declared.tasks.some((each) => each.plugin === plugin))
    throw new TypeError(`${tool.name} started a task, and its plugin gives no tasks`)
  if (toolOfTask(declared, plugin, task)?.tool.name !== tool.name)
    throw new TypeError(`${tool.name} started a task that names another tool`)
}
