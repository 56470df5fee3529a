import type { NextStep } from '../contract/errors.ts'
import { isJsonObject } from '../platform/json-object.ts'
import type { Registry } from '../registry.ts'
import { exampleLine, quoted } from './example-line.ts'

/**
 * Returns the command line for a `next` call: its verb, else the command `<plugin> call` of a plugin that makes any of its
 * calls. The call itself if there is neither.
 */
export function nextLine(registry: Registry, next: NextStep): string {
  const tool = registry.tool(next.tool)?.tool
  const verb = [tool?.cli ?? []].flat()[0]
  if (tool && verb) return exampleLine(verb, tool.input, next.args)
  const json = JSON.stringify(next.args)
  const caller = `${next.tool.split('_')[0]} call`
  if (!registry.commands.some(({ command }) => command.cli === caller)) return `${next.tool} ${json}`
  return ['satchel', caller, next.tool, json === '{}' ? [] : quoted(json)].flat().join(' ')
}

/** Returns data for a person: each call `{tool, args}` in it, such as that of the next page, becomes its command. */
export function withCommands(
  registry: Registry,
  data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, commandsIn(registry, value)]))
}

function commandsIn(registry: Registry, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => commandsIn(registry, entry))
  if (!isJsonObject(value)) return value
  return isCall(value) ? nextLine(registry, value) : withCommands(registry, value)
}

function isCall(value: Record<string, unknown>): value is { tool: string; args: Record<string, unknown> } {
  return typeof value['tool'] === 'string' && isJsonObject(value['args']) && Object.keys(value).length === 2
}
