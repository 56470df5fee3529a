import { resolve } from 'node:path'
import * as z from 'zod'
import { headlineOf, toldIn } from '../answer/tool-text.ts'
import type { OwnedTool } from '../call.ts'
import type { Command } from '../contract/advanced/command.ts'
import type { CallContext, Log } from '../contract/context.ts'
import { type FieldError, isSatchelError } from '../contract/errors.ts'
import type { Tool, Verb } from '../contract/tool.ts'
import { fieldErrors } from '../field-errors.ts'
import type { RunningHost } from '../host.ts'
import { writeFileDurably } from '../platform/durable-file.ts'
import { unconfined } from '../platform/paths.ts'
import { exists } from '../platform/project-folder.ts'
import { labelledLog } from '../plugin-log.ts'
import type { Registry } from '../registry.ts'
import { exampleLine } from './example-line.ts'
import { withCommands } from './next-line.ts'
import { openProgress } from './progress.ts'
import { refusals } from './refusals.ts'
import { oneLine, printText } from './render.ts'
import { readJsonInput, typedFiles } from './typed-files.ts'
import { markUsage, wrongValue } from './usage.ts'
import type { Typed, VerbShape } from './verb-parser.ts'
import type { World } from './world.ts'

/** A verb of a plugin: a tool with its verb, or a command. */
export type Leaf =
  | {
      readonly kind: 'tool'
      readonly path: readonly string[]
      readonly owned: OwnedTool
      readonly verb: Verb
    }
  | {
      readonly kind: 'command'
      readonly path: readonly string[]
      readonly command: Command
      readonly plugin: string
    }

/** The exit code of a check with findings (surface, section 3). */
const FOUND_EXIT = 3

/** Returns all verbs of the registry, ordered by their words. */
export function leavesOf(registry: Registry): readonly Leaf[] {
  const tools = registry.tools.flatMap((owned) =>
    [owned.tool.cli ?? []]
      .flat()
      .map((verb): Leaf => ({ kind: 'tool', path: verb.verb.split(' '), owned, verb })),
  )
  const commands = registry.commands.map(
    ({ command, plugin }): Leaf => ({ kind: 'command', path: command.cli.split(' '), command, plugin }),
  )
  return [...tools, ...commands].sort((a, b) => (a.path.join(' ') < b.path.join(' ') ? -1 : 1))
}

export function titleOf(leaf: Leaf): string {
  return leaf.kind === 'tool' ? (leaf.verb.title ?? leaf.owned.tool.title) : leaf.command.title
}

/** Names a leaf in messages. */
export function nameOf(leaf: Leaf): string {
  return leaf.kind === 'tool' ? `tool ${leaf.owned.tool.name}` : `command ${leaf.path.join(' ')}`
}

/** Returns the shape by which a leaf is parsed and its help printed. */
export function shapeOf(leaf: Leaf): VerbShape {
  if (leaf.kind === 'command') {
    const { command } = leaf
    return {
      path: leaf.path,
      summary: command.title,
      description: command.description,
      input: command.input,
      typing: command,
      examples: [command.example],
      takesInput: false,
      takesOutput: false,
    }
  }
  const { tool } = leaf.owned
  return {
    path: leaf.path,
    summary: titleOf(leaf),
    description: leaf.verb.description ?? tool.description,
    input: withSwitches(tool.input, leaf.verb),
    typing: leaf.verb,
    // Only help shows it.
    get examples() {
      return [leaf.verb.example ?? exampleLine(leaf.verb, tool.input, tool.example)]
    },
    takesInput: true,
    takesOutput: leaf.verb.save !== undefined,
  }
}

/** The input with a switch for each flag that runs another tool; itself without any, because not every zod has `extend`. */
function withSwitches(input: z.ZodObject, { instead }: Verb): z.ZodObject {
  if (instead === undefined) return input
  const switches = Object.entries(instead).map(([flag, { description }]) => [
    flag,
    z.boolean().optional().describe(description),
  ])
  return input.extend(Object.fromEntries(switches))
}

/** Runs a leaf with the typed arguments and returns the exit code. Errors: a `SatchelError`. */
export async function runLeaf(leaf: Leaf, typed: Typed, host: RunningHost, world: World): Promise<number> {
  if (leaf.kind === 'tool') {
    const { owned, verb, values } = chosen(leaf, typed.values, host.registry)
    return runTool(owned, verb, { ...typed, values }, host, world)
  }
  const parsed = leaf.command.input.safeParse(typed.values)
  if (!parsed.success) {
    throw wrongValue(fieldErrors(parsed.error, typed.values), leaf.path)
  }
  const log = labelledLog(host.log, { plugin: leaf.plugin })
  const context = { log, signal: world.signal, projectRoot: host.projectRoot }
  return leaf.command.run(context, parsed.data, world.terminal)
}

/** The tool and the verb that run: those of the leaf, or those that a typed flag runs instead. */
function chosen(
  { owned, verb }: Leaf & { readonly kind: 'tool' },
  typed: Typed['values'],
  registry: Registry,
): { readonly owned: OwnedTool; readonly verb: Verb; readonly values: Typed['values'] } {
  const { instead = {} } = verb
  const values = Object.fromEntries(Object.entries(typed).filter(([name]) => !Object.hasOwn(instead, name)))
  const flag = Object.keys(instead).find((name) => typed[name] === true)
  const other = flag === undefined ? undefined : registry.tool(instead[flag]?.tool ?? '')
  if (flag === undefined) return { owned, verb, values }
  const [own] = [other?.tool.cli ?? []].flat()
  if (!other || !own) throw new TypeError(`--${flag} of ${verb.verb} names no tool with a verb`)
  const { shape } = other.tool.input
  const shared = Object.entries(values).filter(([name]) => Object.hasOwn(shape, name))
  return { owned: other, verb: own, values: Object.fromEntries(shared) }
}

async function runTool(
  owned: OwnedTool,
  verb: Verb,
  typed: Typed,
  host: RunningHost,
  world: World,
): Promise<number> {
  const { io, terminal } = world
  const files = typedFiles(io.cwd, io.stdin)
  const input = await inputOf(verb, typed, files)
  const progress = openProgress(terminal, host.now)
  const answer = await host
    .call(owned, input, localContext(host, world, progress.update))
    .catch((thrown: unknown) => {
      throw typed.input === undefined ? asTyping(thrown, verb.verb.split(' ')) : thrown
    })
    .finally(progress.stop)
  if (answer.kind === 'task') throw new TypeError('a tool answered with a task to a caller that takes none')
  const commands = (data: Record<string, unknown>) =>
    withCommands({ registry: host.registry, line: world.line }, data)
  const log = labelledLog(host.log, { plugin: owned.plugin })
  await deliver({ tool: owned.tool, log, verb, output: typed.output, commands }, answer.data, world)
  return verb.found?.(answer.data, input) ? FOUND_EXIT : 0
}

/** Merges the input: typed flags override `--input`, and fields that the verb fixes override both. */
async function inputOf(
  verb: Verb,
  typed: Typed,
  files: ReturnType<typeof typedFiles>,
): Promise<Record<string, unknown>> {
  const base = typed.input === undefined ? {} : await readJsonInput(typed.input, files)
  const nothingTyped = Object.keys(typed.values).length === 0
  const arranged =
    verb.arrange && !(typed.input !== undefined && nothingTyped)
      ? await verb.arrange(typed.values, files)
      : typed.values
  return { ...base, ...arranged, ...verb.preset }
}

/** The context of a call that is typed at the command line. */
export function localContext(
  host: RunningHost,
  world: World,
  progress: CallContext['progress'] = () => undefined,
): CallContext {
  return {
    principal: { id: 'local', kind: 'local', capabilities: [] },
    signal: AbortSignal.any([world.signal, host.signal]),
    log: host.log,
    door: 'cli',
    localTransport: 'cli',
    acceptsTask: false,
    resolvePath: callerPath(world.io.cwd, host.projectRoot),
    progress,
  }
}

/**
 * Resolves a path typed at the command line; this OS user may name any. A relative path is resolved against the working
 * directory if it exists there, because that is what a shell completes, otherwise against the project root, as at every door.
 */
function callerPath(cwd: string, projectRoot: string): (path: string) => Promise<string> {
  const fromRoot = unconfined(projectRoot)
  const fromCwd = unconfined(cwd)
  return async (path) => {
    const isHere = !path.includes('\0') && (await exists(resolve(cwd, path)))
    return isHere ? fromCwd(path) : fromRoot(path)
  }
}

/** Marks refused arguments as wrong usage, because they were typed as flags. */
function asTyping(thrown: unknown, path: readonly string[]): unknown {
  const isTyping =
    isSatchelError(thrown) &&
    thrown.code === 'invalid' &&
    (thrown.reason === 'invalid_arguments' || thrown.reason === 'unknown_argument')
  if (!isTyping) return thrown
  const errors = (thrown.details?.['errors'] ?? []) as readonly FieldError[] // of every refusal of arguments
  const [first] = errors
  const isValue = first !== undefined && thrown.message === `${first.pointer}: ${first.message}`
  return isValue ? wrongValue(errors, path) : markUsage(thrown)
}

/** Tells what a text or a view that is printed in place of the answer does not hold. */
function noteWarnings({ warnings }: Record<string, unknown>, terminal: World['terminal']): void {
  for (const warning of Array.isArray(warnings) ? warnings : [])
    if (typeof warning === 'string') terminal.note(`warning: ${oneLine(warning)}`)
}

interface Delivery {
  readonly tool: Tool
  readonly log: Log
  readonly verb: Verb
  readonly output: string | undefined
  /** Replaces the calls that the data names by commands. */
  commands(data: Record<string, unknown>): Record<string, unknown>
}

async function deliver(
  { tool, log, verb, output, commands }: Delivery,
  data: Record<string, unknown>,
  { io, terminal }: World,
): Promise<void> {
  const answer = (shown: Record<string, unknown>) => terminal.answer(headlineOf(tool, data, log), shown)
  const print = async (): Promise<void> => {
    if (terminal.json) return answer(data)
    const text = verb.print?.(data)
    if (text !== undefined) {
      printText(terminal, text)
      return noteWarnings(data, terminal)
    }
    const view = verb.view?.(data)
    if (view === undefined) return answer(toldIn(commands(data), tool))
    await answer(toldIn(commands(view), { literals: tool.literals ?? {} }))
    if (!Object.hasOwn(view, 'warnings')) noteWarnings(data, terminal)
  }
  if (output === undefined || !verb.save) return print()
  const text = verb.save(data)
  if (output === '-') return printText(terminal, text)
  await writeFileDurably(resolve(io.cwd, output), text).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOSPC'
      ? refusals.output_disk_full({ file: output }, { cause })
      : refusals.output_not_written({ file: output, error: String(cause.code) }, { cause })
  })
  terminal.note(`written: ${output}`)
  await print()
}
