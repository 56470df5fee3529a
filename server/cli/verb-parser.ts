import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { z } from 'zod'
import type { SatchelError } from '../contract/errors.ts'
import { parsedJson } from '../platform/json-object.ts'
import { commandRows } from './example-line.ts'
import { type Flag, flagsOf, type Positional, type Typing, typedValue } from './flags.ts'
import { GLOBAL_ROWS, settingRowsOf } from './global-flags.ts'
import { helpItem, usageRows } from './help-item.ts'
import { refusals } from './refusals.ts'
import { helpOf, markUsage } from './usage.ts'

/** A typed null, until commander has it: it would make an empty text of null. */
const NULL = Symbol('null')

/** The arguments and the help of a verb. */
export interface VerbShape {
  /** `['handoff', 'create']`. */
  readonly path: readonly string[]
  readonly summary: string
  readonly description: string
  readonly input: z.ZodObject
  readonly typing: Typing
  /** Example command lines. */
  readonly examples: readonly string[]
  /** Accepts `--input FILE|-`: the whole input as JSON. */
  readonly takesInput: boolean
  /** Accepts `-o/--output FILE`. */
  readonly takesOutput: boolean
}

/** The parsed arguments of one verb. */
export interface Typed {
  /** Input field or positional name -> value; only those that were typed. */
  readonly values: Readonly<Record<string, unknown>>
  readonly input?: string
  readonly output?: string
}

export type Parsed =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'typed'; readonly typed: Typed }

/**
 * Parses `args` (the arguments after the verb) by `shape`, or returns help of at most `columns` columns.
 * Errors: `invalid` with a reason, marked as wrong usage (exit 2).
 */
export function parseVerb(shape: VerbShape, args: readonly string[], columns: number): Parsed {
  const typeable = flagsOf(shape.input, shape.typing)
  const { flags, positionals } = typeable
  const command = commandFor(shape, typeable, columns)
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
    writeErr: () => {},
    getOutHelpWidth: () => columns,
  })
  try {
    command.parse(args, { from: 'user' })
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    if (thrown.code === 'commander.helpDisplayed') return { kind: 'help', text: help }
    throw typingError(thrown, shape)
  }
  const typed = readTyped(command, flags, positionals)
  if (typed.input === undefined) refuseMissing(shape, { flags, positionals }, typed)
  return { kind: 'typed', typed }
}

function commandFor(
  shape: VerbShape,
  { flags, positionals, flagless }: ReturnType<typeof flagsOf>,
  columns: number,
): Command {
  const command = new Command(['satchel', ...shape.path].join(' '))
    .description(shape.description)
    .usage(['[options]', ...positionals.map(usageOf)].join(' '))
    .configureHelp({
      formatItem: (term, termColumns, text) => helpItem(term, termColumns, text, columns),
      styleUsage: (usage) => usageRows(usage, columns),
      minWidthToWrap: 1,
    })
    .exitOverride()
    .allowExcessArguments(false)
  for (const positional of positionals) command.addArgument(argumentFor(positional, shape.typing.arguments))
  for (const flag of flags) for (const option of optionsFor(flag)) command.addOption(option)
  if (shape.takesInput) command.option('--input <file>', 'the whole input as JSON; - reads standard input')
  if (shape.takesOutput)
    command.option('-o, --output <file>', 'write the result to a file; - is standard output')
  addGlobalOptions(command, shape.path[0], Object.values(shape.typing.short ?? {}))
  if (shape.takesInput && flagless.length > 0)
    command.addHelpText('after', `\nOnly --input sets: ${flagless.join(', ')}`)
  command.addHelpText('after', () => {
    const examples = shape.examples.map((line) => commandRows(line, columns))
    return examples.length === 0 ? '' : `\nExample:\n${examples.join('\n')}`
  })
  return command
}

function argumentFor(positional: Positional, described: Typing['arguments'] = {}): Argument {
  const written = positional.repeatable ? `[${positional.name}...]` : `[${positional.name}]`
  const argument = new Argument(written, positional.flag?.description ?? described[positional.name] ?? '')
  const { flag } = positional
  if (!flag) return argument
  if (flag.choices) argument.argChoices = [...flag.choices]
  if (!positional.repeatable) return argument.argParser((text) => parsedText(flag, text))
  return argument.argParser((text, before: unknown) => appended(before, parsedText(flag, text)))
}

function optionsFor(flag: Flag): Option[] {
  if (flag.kind === 'switch' && !flag.repeatable) return switchesFor(flag)
  const short = flag.short ? `-${flag.short}, ` : ''
  const option = optionOf(`${short}--${flag.long} <${placeholderOf(flag)}>`, describe(flag))
  if (flag.choices) option.argChoices = [...flag.choices]
  if (flag.default !== undefined && !isEmptyList(flag.default)) option.default(flag.default)
  if (!flag.repeatable) return [option.argParser((text) => parsedText(flag, text) ?? NULL)]
  const collected = optionOf(option.flags, `${option.description} (repeatable)`)
  if (flag.choices) collected.argChoices = [...flag.choices]
  return [collected.argParser((text, before: unknown) => appended(before, parsedItems(flag, text)))]
}

/** Shows a switch that is on by default as `--no-x`, any other as `--x`; both forms are accepted. */
function switchesFor(flag: Flag): Option[] {
  const short = flag.short ? `-${flag.short}, ` : ''
  const on = optionOf(`${short}--${flag.long}`, describe(flag))
  const off = new Option(`--no-${flag.long}`, `turn off: ${flag.description}`)
  return flag.default === true ? [on.hideHelp(), off] : [on, off.hideHelp()]
}

/** An option that sets what it names: commander takes one that begins with `no-` for the opposite of another. */
function optionOf(flags: string, description: string): Option {
  const option = new Option(flags, description)
  option.negate = false
  return option
}

function describe(flag: Flag): string {
  return flag.required ? `${flag.description} (required)` : flag.description
}

function placeholderOf(flag: Flag): string {
  if (flag.kind === 'number') return 'n'
  return flag.kind === 'json' ? 'json' : 'text'
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function parsedText(flag: Flag, text: string): unknown {
  try {
    return typedValue(flag, text)
  } catch (thrown) {
    throw new InvalidArgumentError((thrown as TypeError).message) // typedValue throws nothing else
  }
}

/** What one use of a repeatable flag adds: as over MCP, the texts of a JSON list, and a mere text among objects. */
function parsedItems(flag: Flag, text: string): unknown {
  if (flag.kind === 'json' && !/^\s*[[{"]/.test(text)) return text
  const texts = flag.kind === 'text' ? parsedJson(text) : undefined
  const isList = Array.isArray(texts) && texts.every((each) => typeof each === 'string')
  return isList ? texts.map((each) => parsedText(flag, each)) : parsedText(flag, text)
}

/** Adds all elements of a list. */
function appended(before: unknown, value: unknown): unknown[] {
  const kept = Array.isArray(before) ? before : []
  return Array.isArray(value) ? [...kept, ...value] : [...kept, value]
}

function readTyped(command: Command, flags: readonly Flag[], positionals: readonly Positional[]): Typed {
  const values: Record<string, unknown> = {}
  for (const flag of flags) {
    const name = optionOf(`--${flag.long}`, '').attributeName()
    if (command.getOptionValueSource(name) !== 'cli') continue
    const value: unknown = command.getOptionValue(name)
    values[flag.field] = value === NULL ? null : value
  }
  positionals.forEach(({ name }, index) => {
    const value: unknown = command.processedArgs[index]
    if (value !== undefined && !isEmptyList(value)) values[name] = value
  })
  const { input, output } = command.opts<{ input?: string; output?: string }>()
  return { values, ...(input !== undefined && { input }), ...(output !== undefined && { output }) }
}

function refuseMissing(
  { path, typing }: VerbShape,
  { flags, positionals }: Pick<ReturnType<typeof flagsOf>, 'flags' | 'positionals'>,
  { values }: Typed,
): void {
  const isMissing = (name: string): boolean => values[name] === undefined
  const places = positionals.flatMap(({ name, required }) =>
    required && isMissing(name) ? [`<${name}>`] : [],
  )
  const missing =
    typing.arrange === undefined
      ? flags.flatMap(({ field, long, required }) => (required && isMissing(field) ? [`--${long}`] : []))
      : []
  const all = [...places, ...missing]
  if (all.length === 0) return
  throw markUsage(
    refusals.missing_argument({ names: all.join(', '), help: helpOf(path) }, { details: { missing: all } }),
  )
}

function usageOf(positional: Positional): string {
  const name = positional.repeatable ? `${positional.name}...` : positional.name
  return positional.required ? `<${name}>` : `[${name}]`
}

/** Maps an error code of commander to a refusal. */
const TYPING: Readonly<Record<string, typeof refusals.unknown_option>> = {
  'commander.unknownOption': refusals.unknown_option,
  'commander.optionMissingArgument': refusals.option_missing_argument,
  'commander.invalidArgument': refusals.invalid_argument,
  'commander.excessArguments': refusals.excess_arguments,
}

function typingError({ code, message }: CommanderError, { path }: VerbShape): SatchelError {
  const refuse = TYPING[code] ?? refusals.unexpected_typing
  const [said = '', ...more] = message.replace(/^error: /, '').split('\n')
  const suggestion = more.join(' ').replace(/^\(|\)$/g, '')
  const sentence = said.endsWith('.') ? said : `${said}.`
  const problem = [sentence, suggestion].filter(Boolean).join(' ')
  return markUsage(refuse({ problem, help: helpOf(path) }))
}

/** Adds the options of every verb (`-c` only if the verb does not define it) and those that set its plugin's configuration. */
function addGlobalOptions(
  command: Command,
  firstWord: string | undefined,
  ownShorts: readonly string[] = [],
): void {
  for (const { verb: flags, summary } of [...settingRowsOf(firstWord), ...GLOBAL_ROWS]) {
    const free = ownShorts.includes('c') ? flags.replace('-c, ', '') : flags
    command.addOption(new Option(free, summary).helpGroup('Global options:'))
  }
  command.addHelpOption(new Option('-h, --help', 'show this help').helpGroup('Global options:'))
}
