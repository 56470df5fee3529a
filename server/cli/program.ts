import { devNull } from 'node:os'
import { asCallerError } from '../call.ts'
import { isSatchelError, type NextStep, type SatchelError } from '../contract/errors.ts'
import { ERROR_TABLE, USAGE_EXIT } from '../error-table.ts'
import { fieldErrors } from '../field-errors.ts'
import type { RunningHost } from '../host.ts'
import { nearest } from '../platform/nearest.ts'
import { unreadConfig } from '../unread-config.ts'
import { versionText } from '../version.ts'
import { type CommandLine, readCommandLine } from './command-line.ts'
import { GLOBAL_ROWS, settingsIn } from './global-flags.ts'
import { isConfigFault, isHarnessHook } from './harness-hook.ts'
import { groupHelp, type HelpRow, overview, topLevelVerbs } from './help.ts'
import { helpColumns } from './help-item.ts'
import { HOST_VERBS } from './host-verbs.ts'
import { orIdle } from './idle.ts'
import type { Io } from './io.ts'
import { refusals } from './refusals.ts'
import { exitCodeOf, oneLine, printError } from './render.ts'
import { openStop } from './stop.ts'
import { openTerminal } from './terminal.ts'
import { helpOf, isUsageError, markUsage, unknownVerb, wrongValue } from './usage.ts'
import type { Parsed, VerbShape } from './verb-parser.ts'
import type { Doors, HostVerb, World } from './world.ts'

/**
 * Runs one command line (without node and script) and returns its exit code. Only the result is written to stdout.
 * Errors: none; each becomes an exit code. A closed stdout is not an error.
 */
export async function runProgram(argv: readonly string[], io: Io, doors: Doors): Promise<number> {
  const line = readCommandLine(argv)
  const terminal = openTerminal(io, line)
  const stop = openStop(io, terminal.pipeClosed)
  const world: World = {
    io,
    line,
    terminal,
    signal: stop.signal,
    stoppedBy: stop.stoppedBy,
    extendStop: stop.extend,
    doors,
    hostVerbs,
  }
  try {
    const code = await Promise.race([dispatch(world), stop.lateExit])
    await terminal.flush()
    const lost = terminal.outputLost()
    if (lost !== undefined) return complainOfLoss(world, lost)
    return terminal.pipeClosed.aborted ? 0 : code
  } finally {
    stop.close()
  }
}

/** The call succeeded, but its result could not be written. Reported on stderr, also under `--json`. */
function complainOfLoss({ terminal, line }: World, systemCode: string): number {
  terminal.complain(
    `satchel: The result could not be written to standard output (${systemCode}). Free some space, then try again.`,
  )
  return isHarnessHook(line.words) ? 0 : ERROR_TABLE.unavailable.exit
}

async function dispatch(world: World): Promise<number> {
  try {
    return await runWords(world)
  } catch (thrown) {
    return await complain(world, thrown)
  }
}

async function runWords(world: World): Promise<number> {
  const { line } = world
  const asksHelp = line.words[0] === 'help'
  const words = asksHelp ? line.words.slice(1) : line.words
  const argv = asksHelp ? [...words, '--help'] : line.argv
  if (line.version) return printed(world, versionText(line.json))
  const [first] = words
  if (first === undefined) {
    const text = overview(helpColumns(world.terminal.columns))
    if (line.help || asksHelp) return printed(world, text)
    if (argv.some((word) => !isGlobalOnly(word))) throw unknownFlag(argv)
    return withoutVerb(world, text, [])
  }
  const row = HOST_VERBS.find(({ verb }) => verb === words.slice(0, verb.split(' ').length).join(' '))
  if (row?.bare && argv.length === 1 && !world.terminal.stdinIsTty) return row.bare(world)
  if (!row) return runPluginVerb(world, words, argv)
  const verbs = await row.load()
  const isOwn = words[1] === undefined || verbs.some(({ path }) => path[1] === words[1])
  if (row.takesPluginCommands && !isOwn) return runPluginVerb(world, words, argv, verbs)
  return runHostVerb(world, verbs, words, argv)
}

async function runHostVerb(
  world: World,
  verbs: readonly HostVerb[],
  words: readonly string[],
  argv: readonly string[],
): Promise<number> {
  const verb = longestMatch(verbs, words)
  if (!verb)
    return runGroup(
      world,
      words,
      verbs.map(({ path, summary }) => ({ path, summary })),
    )
  const parsed = await parse(verb, argv, world)
  if (parsed.kind === 'help') return printed(world, parsed.text)
  const input = verb.input.safeParse(parsed.typed.values)
  if (!input.success) {
    throw wrongValue(fieldErrors(input.error, parsed.typed.values), verb.path)
  }
  return orIdle(world, `command ${verb.path.join(' ')}`, () => verb.run(world, input.data))
}

async function runPluginVerb(
  world: World,
  words: readonly string[],
  argv: readonly string[],
  siblings: readonly HostVerb[] = [],
): Promise<number> {
  let host: RunningHost
  try {
    host = await orIdle(world, 'start of a plugin', () => openVerbHost(world, words))
  } catch (thrown) {
    // Check the flags first: the value of a wrong flag may have been read as the configuration file.
    const parsed = await parseWithoutConfig(world, words, argv)
    if (parsed?.kind === 'help') return printed(world, parsed.text)
    throw thrown
  }
  try {
    if (siblings.length > 0) refuseUnknownSubject(words, siblings, host)
    return await runOnHost(world, host, words, argv)
  } finally {
    await host.stop()
  }
}

async function openVerbHost(world: World, words: readonly string[]): Promise<RunningHost> {
  const { line, terminal } = world
  try {
    return await openHostOf(world, words, line)
  } catch (thrown) {
    if (!isHarnessHook(words) || !isConfigFault(thrown)) throw thrown
    const host = await openHostOf(world, words, unconfigured(line))
    terminal.complain(`satchel: ${oneLine(thrown.message)} The hook goes on with the default configuration.`)
    return host
  }
}

async function openHostOf(
  { doors, io, terminal }: World,
  words: readonly string[],
  line: CommandLine,
): Promise<RunningHost> {
  // `init` writes a configuration, so the file in SERVICE_CONFIG may not exist yet.
  const config = await doors.loadConfig(words[0] === 'init' ? unconfigured(line) : line, settingsIn(line))
  const host = await doors.openHost({ kind: 'verb', words }, config, line)
  const unread = line.help ? undefined : unreadConfig(config, { projectRoot: host.projectRoot, cwd: io.cwd })
  if (unread !== undefined) terminal.note(`satchel: ${unread}`)
  return host
}

/**
 * Parses the arguments of a built-in verb under the default configuration, without starting a plugin. Returns undefined if
 * the verb is unknown without a configuration. Errors: those of `parseVerb`.
 */
async function parseWithoutConfig(
  world: World,
  words: readonly string[],
  argv: readonly string[],
): Promise<Parsed | undefined> {
  const { doors, line } = world
  const config = await doors.loadConfig(unconfigured(line)).catch(() => undefined)
  const host = config && (await doors.setUpHost({ kind: 'verb', words }, config, line).catch(() => undefined))
  if (!host) return undefined
  try {
    const { leavesOf, shapeOf } = await import('./plugin-verbs.ts')
    const leaf = longestMatch(leavesOf(host.registry), words)
    return leaf && (await parse(shapeOf(leaf), argv, world))
  } finally {
    await host.stop()
  }
}

function unconfigured(line: CommandLine): CommandLine {
  return { ...line, config: devNull }
}

/** Refuses a verb that neither the host nor a plugin has: `bench bogus`. */
function refuseUnknownSubject(
  [first = '', second = '']: readonly string[],
  siblings: readonly HostVerb[],
  { registry }: RunningHost,
): void {
  const paths = [
    ...siblings.map(({ path }) => path),
    ...registry.commands.map(({ command }) => command.cli.split(' ')),
  ]
  const known = paths.flatMap((path) =>
    path[0] === first && path.length > 1 ? [path.slice(1).join(' ')] : [],
  )
  if (!known.some((name) => `${name} `.startsWith(`${second} `))) throw unknownVerb(second, [first], known)
}

async function runOnHost(
  world: World,
  host: RunningHost,
  words: readonly string[],
  argv: readonly string[],
): Promise<number> {
  const { leavesOf, nameOf, runLeaf, shapeOf, titleOf } = await import('./plugin-verbs.ts')
  const leaves = leavesOf(host.registry)
  const leaf = longestMatch(leaves, words)
  if (!leaf)
    return runGroup(
      world,
      words,
      leaves.map((one) => ({ path: one.path, summary: titleOf(one) })),
    )
  let values: Readonly<Record<string, unknown>> = {}
  try {
    const parsed = await parse(shapeOf(leaf), argv, world)
    if (parsed.kind === 'help') return printed(world, parsed.text)
    if (leaf.kind === 'command') values = parsed.typed.values
    return await orIdle(world, nameOf(leaf), () => runLeaf(leaf, parsed.typed, host, world))
  } catch (thrown) {
    const { nextLine } = await import('./next-line.ts')
    return await complain(world, thrown, (next) =>
      nextLine({ registry: host.registry, line: world.line, values }, next),
    )
  }
}

/** Shows the verbs of a group, or refuses an unknown one with the nearest name. */
function runGroup(
  world: World,
  words: readonly string[],
  known: readonly { path: readonly string[]; summary: string }[],
): number {
  const depth = deepestGroup(words, known)
  const group = words.slice(0, depth)
  const inside = known.filter(({ path }) => group.every((word, index) => path[index] === word))
  const rows: HelpRow[] = inside.map(({ path, summary }) => ({ verb: path.slice(depth).join(' '), summary }))
  const wrong = words[depth]
  if (depth === 0 || wrong !== undefined) {
    const candidates = depth === 0 ? topLevelVerbs() : rows.map(({ verb }) => verb)
    throw unknownVerb(wrong ?? '', group, candidates, topLevelVerbs())
  }
  const text = groupHelp(group, rows, helpColumns(world.terminal.columns))
  if (world.line.help || world.line.words[0] === 'help') return printed(world, text)
  return withoutVerb(world, text, group)
}

/** Answers wrong usage with help, or under `--json` with the error object. */
function withoutVerb({ line, terminal }: World, help: string, group: readonly string[]): number {
  if (line.json) throw markUsage(refusals.missing_verb({ help: helpOf(group) }))
  terminal.complain(help)
  return USAGE_EXIT
}

function deepestGroup(words: readonly string[], known: readonly { path: readonly string[] }[]): number {
  let depth = 0
  while (
    depth < words.length &&
    known.some(({ path }) => words.slice(0, depth + 1).every((word, index) => path[index] === word))
  )
    depth++
  return depth
}

function longestMatch<T extends { readonly path: readonly string[] }>(
  verbs: readonly T[],
  words: readonly string[],
): T | undefined {
  const matching = verbs.filter(({ path }) => path.every((word, index) => words[index] === word))
  return matching.sort((a, b) => b.path.length - a.path.length)[0]
}

async function parse(shape: VerbShape, argv: readonly string[], world: World): Promise<Parsed> {
  const { parseVerb } = await import('./verb-parser.ts')
  return parseVerb(shape, argv.slice(shape.path.length), helpColumns(world.terminal.columns))
}

async function complain(
  world: World,
  thrown: unknown,
  showNext?: (next: NextStep) => string | undefined,
): Promise<number> {
  const error = asError(world, thrown)
  if (error.code === 'cancelled' && world.terminal.pipeClosed.aborted) return 0
  if (isHarnessHook(world.line.words)) {
    world.terminal.complain(`satchel: ${oneLine(error.message)}`)
    return 0
  }
  await printError(world.terminal, error, showNext)
  return isUsageError(error) ? USAGE_EXIT : exitCodeOf(error)
}

function asError(world: World, thrown: unknown): SatchelError {
  if (isSatchelError(thrown) && thrown.code !== 'internal') return thrown
  return asCallerError(thrown, { log: world.doors.log(), signal: world.signal }, world.line.words.join(' '))
}

function printed(world: World, text: string): number {
  world.terminal.write(text)
  return 0
}

function isGlobalOnly(word: string): boolean {
  return ['--json', '-q', '--quiet'].includes(word)
}

function unknownFlag(argv: readonly string[]): SatchelError {
  const flag = argv.find((word) => !isGlobalOnly(word)) ?? ''
  const near = nearest(
    flag,
    GLOBAL_ROWS.flatMap(({ verb }) => verb.match(/--[a-z]+/) ?? []),
  )
  const hint = near && near !== flag ? ` (Did you mean ${near}?)` : ''
  const problem = `unknown option '${flag}'.${hint} A verb comes first.`
  return markUsage(refusals.unknown_option({ problem, help: helpOf([]) }))
}

async function hostVerbs(): Promise<readonly HostVerb[]> {
  return (await Promise.all(HOST_VERBS.map((row) => row.load()))).flat()
}
