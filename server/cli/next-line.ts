import type { Command } from '../contract/advanced/command.ts'
import type { NextStep } from '../contract/errors.ts'
import { isJsonObject } from '../platform/json-object.ts'
import type { Registry } from '../registry.ts'
import type { CommandLine } from './command-line.ts'
import { exampleLine, flagWords, quoted } from './example-line.ts'
import { flagsOf } from './flags.ts'

/** The command whose answer names a next call. */
export interface Asked {
  readonly registry: Registry
  readonly line: Pick<CommandLine, 'config' | 'project'>
  /** What was typed for the fields of a command of a plugin. */
  readonly values?: Readonly<Record<string, unknown>>
}

/**
 * Returns the command line for a `next` call: its verb, else the command `<plugin> call` of a plugin that makes any of its
 * calls. The call itself if there is neither. What said where the first command works says it again, so that the line can
 * be typed as it is.
 */
export function nextLine(asked: Asked, next: NextStep): string {
  const tool = asked.registry.tool(next.tool)?.tool
  const verb = [tool?.cli ?? []].flat()[0]
  if (tool && verb) return [exampleLine(verb, tool.input, next.args), ...placeWords(asked)].join(' ')
  const json = JSON.stringify(next.args)
  const caller = `${next.tool.split('_')[0]} call`
  const command = asked.registry.commands.find((owned) => owned.command.cli === caller)?.command
  if (!command) return `${next.tool} ${json}`
  const given = json === '{}' ? [] : quoted(json)
  return ['satchel', caller, next.tool, given, sharedWords(command, asked), placeWords(asked)]
    .flat(2)
    .join(' ')
}

/** The flags of a command that the first one was given, too: `--room plan.md`. */
function sharedWords(command: Command, { values = {} }: Asked): readonly string[] {
  return flagsOf(command.input, command).flags.flatMap((flag) => flagWords(flag, values[flag.field]))
}

/** Without `--storage`, whose address may hold a password. */
function placeWords({ line: { config, project } }: Asked): readonly string[] {
  return Object.entries({ config, project }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, quoted(value)],
  )
}

/** Returns data for a person: each call `{tool, args}` in it, such as that of the next page, becomes its command. */
export function withCommands(asked: Asked, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, commandsIn(asked, value)]))
}

function commandsIn(asked: Asked, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => commandsIn(asked, entry))
  if (!isJsonObject(value)) return value
  return isCall(value) ? nextLine(asked, value) : withCommands(asked, value)
}

function isCall(value: Record<string, unknown>): value is { tool: string; args: Record<string, unknown> } {
  return typeof value['tool'] === 'string' && isJsonObject(value['args']) && Object.keys(value).length === 2
}
