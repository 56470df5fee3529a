import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import * as z from 'zod'
import { BUILTIN_PLUGINS } from '../../builtin-plugins.ts'
import { isInside } from '../../platform/paths.ts'
import { notesAfter } from '../../setup/afterwards.ts'
import { additionTo, type FileChange, removalFrom, removeMadeFolders } from '../../setup/change.ts'
import { type Scope, SETUP_CLIENTS } from '../../setup/clients.ts'
import { connect } from '../../setup/connection.ts'
import type { ServerCommand } from '../../setup/entries.ts'
import type { SetupPlace } from '../../setup/folders.ts'
import { GIT, gitPlans, offeredDrivers, requireRepository } from '../../setup/git-target.ts'
import { installedClients, isInCacheOfNpx, launchCommand } from '../../setup/installed.ts'
import { offeredHooks, offeredSkills, plansOf } from '../../setup/plans.ts'
import { flagsOf } from '../../setup/program-origin.ts'
import { refusals } from '../../setup/refusals.ts'
import {
  connectionText,
  type FileOutcome,
  resultData,
  resultOf,
  type TargetResult,
} from '../../setup/result.ts'
import { mergedFlags, type TypedFlag } from '../../setup/server-flags.ts'
import { shellWords } from '../../setup/shell-words.ts'
import { clientsNamed, requireScope, serverOf, type Target, targetsOf } from '../../setup/targets.ts'
import { defineHostVerb } from '../host-verb.ts'
import { exitCodeOf, printDocument, printText } from '../render.ts'
import { changeAll, type Outcomes } from '../setup-changes.ts'
import { markUsage } from '../usage.ts'
import type { World } from '../world.ts'
import { completersOf } from './settings.ts'

const OPTIONS = [
  ...new Map(
    BUILTIN_PLUGINS.flatMap(({ setup = [] }) => setup).map((option) => [option.name, option]),
  ).values(),
]
const SERVER_FLAGS = BUILTIN_PLUGINS.flatMap(({ mcpFlags = [] }) => mcpFlags).filter(({ inSetup }) => inSetup)
/** Merge drivers belong to the repository of the project. */
const GIT_TARGET: Target = { client: GIT, scope: 'project' }
const CLIENT_NAMES = SETUP_CLIENTS.map(({ name }) => name)
/** A check found something. */
const FOUND_EXIT = 3

const input = z.object({
  clients: z
    .array(z.string().meta({ examples: CLIENT_NAMES }))
    .default([])
    .describe(CLIENT_NAMES.join(', ')),
  scope: z
    .enum(['user', 'project'])
    .optional()
    .describe('your own files (default), or files of this project'),
  ...Object.fromEntries(
    OPTIONS.map(({ name, summary }) => [name, z.boolean().default(false).describe(summary)]),
  ),
  ...Object.fromEntries(
    SERVER_FLAGS.map(({ name, summary }) => [name, z.string().optional().describe(summary)]),
  ),
  profile: z.enum(['core', 'standard', 'full']).optional().describe('how many tools the server lists'),
  dry_run: z.boolean().default(false).describe('print the changes, write nothing'),
  check: z.boolean().default(false).describe('only start the server of every client that has it'),
  remove: z.boolean().default(false).describe('undo the setup'),
  yes: z.boolean().default(false).describe('do not ask'),
})

type Flags = z.output<typeof input> & Readonly<Record<string, unknown>>

/** `satchel setup`: puts the server, and on request hooks, into the configuration of clients; checks and undoes that. */
export const setupVerb = defineHostVerb({
  path: ['setup'],
  summary: 'connect satchel to your clients, check that, undo it',
  description: [
    'Adds satchel to the configuration of the named clients or, if none is named, of those found here.',
    'Shows each change and asks before it writes, keeps every other byte of the file, and starts the server as the client would.',
    'Flags of the server that an entry has stay unless this call gives them; an empty value takes one out.',
    '--remove restores the file as it was, and leaves an entry that no setup wrote.',
  ].join(' '),
  input,
  typing: { positional: ['[clients...]'], completes: completersOf(SERVER_FLAGS) },
  examples: ['satchel setup claude-code --hooks', 'satchel setup --check', 'satchel setup --remove'],
  async run(world, flags) {
    const [one, other] = (['check', 'remove', 'dry_run'] as const).filter((name) => flags[name])
    if (one === 'check' && other)
      throw markUsage(refusals.setup_flags({ one: '--check', other: `--${other.replace('_', '-')}` }))
    const { doors, io, line } = world
    const projectRoot = await doors.findProjectRoot(line)
    const at: SetupPlace = { env: io.env, projectRoot, platform: process.platform }
    if (flags.check) return checkAll(world, flags, at)
    return flags.remove ? removeAll(world, flags, at) : setUpAll(world, flags, at)
  },
})

async function setUpAll(world: World, flags: Flags, at: SetupPlace): Promise<number> {
  const { terminal } = world
  const scope = flags.scope ?? 'user'
  const named = clientsNamed(flags.clients)
  const clients = named.length > 0 ? named : installedClients(at).filter(({ servers }) => servers[scope])
  const options = OPTIONS.map(({ name }) => name).filter((name) => flags[name] === true)
  const drivers = offeredDrivers(options)
  // git needs no client.
  if (clients.length === 0 && drivers.length === 0)
    throw refusals.no_client_found({ example: 'claude-code', clients: CLIENT_NAMES.join(', ') })
  if (named.length === 0 && clients.length > 0)
    terminal.note(`Found: ${clients.map(({ title }) => title).join(', ')}.`)
  if (isInCacheOfNpx())
    terminal.note('This satchel is in the cache of npx, which npm may empty: install it to keep it.')
  const asks = named.length === 0 && !flags.yes
  const hooks = offeredHooks(options)
  const skills = await offeredSkills(options)
  const program = launchCommand(at)
  const typed = typedFlags(flags, scope, world.io.cwd, at)
  noteMissingFiles(world, flags)
  const kept = new Map<Target, readonly string[]>()
  const plansFor = async (target: Target) => {
    if (target.client === GIT) {
      requireRepository(at.projectRoot)
      return gitPlans(drivers, program)
    }
    requireScope(target)
    const existing = await serverOf(target, at)
    const merged = mergedFlags(existing ? flagsOf(existing) : [], typed)
    kept.set(target, merged.kept)
    const server = { ...program, args: [...program.args, 'mcp', ...merged.flags] }
    return plansOf(target.client, target.scope, { server, program, hooks, skills })
  }
  const planned = (target: Target) => async () => {
    const plans = await plansFor(target)
    return Promise.all(plans.map((plan) => additionTo(plan, at)))
  }
  const outcomes: Outcomes = {
    told: ({ changes }) => (changes ? 'to be written' : 'unchanged'),
    done: ({ changes }) => (changes ? 'written' : 'unchanged'),
  }
  const targets = [
    ...clients.map((client) => ({ client, scope })),
    ...(drivers.length > 0 ? [GIT_TARGET] : []),
  ]
  const changed = await changeAll(world, { targets, planned, outcomes, asks, dryRun: flags.dry_run, at })
  const results = changed.map((result) => ({ ...result, kept: kept.get(result.target) ?? [] }))
  if (flags.dry_run) return conclude(world, results)
  const connected = await connectAll(world, results, at)
  const code = conclude(world, connected)
  const done = connected.filter(({ target, error }) => !error && target !== GIT_TARGET)
  const chosen = OPTIONS.filter(({ name }) => options.includes(name))
  for (const note of notesAfter(
    done.map(({ target }) => target),
    chosen,
    at,
  ))
    world.terminal.note(note)
  return code
}

/** The flags of this call for the configured server. A path inside the project is relative in files of the project. */
function typedFlags(
  flags: Flags,
  scope: Scope,
  cwd: string,
  { projectRoot }: SetupPlace,
): readonly TypedFlag[] {
  const typed = SERVER_FLAGS.flatMap(({ name, isPath }) => {
    const value = flags[name]
    if (typeof value !== 'string') return []
    const isFile = isPath && value !== ''
    return [{ name: `--${name}`, value: isFile ? pathFor(resolve(cwd, value), scope, projectRoot) : value }]
  })
  return [...typed, ...(flags.profile === undefined ? [] : [{ name: '--profile', value: flags.profile }])]
}

/** The server starts without the file, and only its first use would tell. */
function noteMissingFiles({ terminal, io }: World, flags: Flags): void {
  for (const { name, isPath } of SERVER_FLAGS) {
    const value = flags[name]
    const path = isPath && typeof value === 'string' && value !== '' ? resolve(io.cwd, value) : undefined
    if (path !== undefined && !existsSync(path))
      terminal.note(`--${name}: there is no file ${path} yet. Create it before it is used.`)
  }
}

function pathFor(path: string, scope: Scope, projectRoot: string): string {
  return scope === 'project' && isInside(path, projectRoot) ? relative(projectRoot, path) : path
}

async function removeAll(world: World, flags: Flags, at: SetupPlace): Promise<number> {
  const named = clientsNamed(flags.clients)
  const drivers = offeredDrivers(
    named.length > 0 ? OPTIONS.map(({ name }) => name).filter((name) => flags[name] === true) : undefined,
  )
  const targets = [
    ...targetsOf(named.length > 0 ? named : SETUP_CLIENTS, flags.scope, at),
    ...(drivers.length > 0 ? [GIT_TARGET] : []),
  ]
  const nothing: ServerCommand = { command: 'satchel', args: [] }
  const skills = await offeredSkills()
  const found: FileChange[] = []
  const paths = new Set<string>() // in the home, files of the user and of the project are the same
  const planned = (target: Target) => async () => {
    const plans =
      target === GIT_TARGET
        ? gitPlans(drivers, nothing)
        : plansOf(target.client, target.scope, {
            server: nothing,
            program: nothing,
            hooks: offeredHooks(),
            skills,
          })
    const changes = await Promise.all(plans.map((plan) => removalFrom(plan, at)))
    const own = changes.flatMap((change) => {
      if (change === undefined || paths.has(change.file.path)) return []
      paths.add(change.file.path)
      return [change]
    })
    found.push(...own)
    return own
  }
  const outcomes: Outcomes = {
    told: (change) =>
      ({
        left: 'left as it is',
        restored: 'to be restored',
        removed: 'to be removed',
        part: 'entries to be removed',
      })[ending(change)] as FileOutcome,
    done: (change) =>
      ({ left: 'left as it is', restored: 'restored', removed: 'removed', part: 'entries removed' })[
        ending(change)
      ] as FileOutcome,
  }
  const results = await changeAll(world, {
    targets,
    planned,
    outcomes,
    asks: false,
    dryRun: flags.dry_run,
    at,
  })
  if (!flags.dry_run) await removeMadeFolders(found)
  const touched = results.filter(({ files, error }) => files.length > 0 || error)
  const left = found.flatMap(({ file, left: places = [] }) =>
    places.map((entry) => ({ entry, path: file.shown })),
  )
  if (!found.some(({ changes }) => changes) && !touched.some(({ error }) => error)) {
    const [first] = left
    throw first ? refusals.entry_not_of_setup(first) : notSetUp(named)
  }
  for (const place of left) world.terminal.note(refusals.entry_not_of_setup(place).message)
  return conclude(world, touched)
}

function ending({ after, changes, restores }: FileChange): 'left' | 'restored' | 'removed' | 'part' {
  if (!changes) return 'left'
  if (after === undefined) return 'removed'
  return restores === 'exactly' ? 'restored' : 'part'
}

function notSetUp(named: readonly { readonly title: string }[]) {
  return refusals.not_set_up({ where: named.map(({ title }) => title).join(', ') || 'any client' })
}

async function checkAll(world: World, flags: Flags, at: SetupPlace): Promise<number> {
  const named = clientsNamed(flags.clients)
  const targets = targetsOf(named.length > 0 ? named : SETUP_CLIENTS, flags.scope, at)
  const found: TargetResult[] = []
  for (const target of targets) {
    let isThere = false
    const result = await resultOf(target, async () => {
      isThere = (await serverOf(target, at)) !== undefined
      return {}
    })
    if (isThere || result.error) found.push(result)
  }
  if (found.length === 0) throw notSetUp(named)
  return conclude(world, await connectAll(world, found, at))
}

async function connectAll(
  world: World,
  results: readonly TargetResult[],
  at: SetupPlace,
): Promise<readonly TargetResult[]> {
  const connected: TargetResult[] = []
  for (const result of results) {
    const isDone = result.error !== undefined || result.target === GIT_TARGET
    connected.push(isDone ? result : await connectedTo(world, result, at))
  }
  return connected
}

async function connectedTo({ signal }: World, result: TargetResult, at: SetupPlace): Promise<TargetResult> {
  const { target, files, kept } = result
  return resultOf(target, async () => {
    const server = await serverOf(target, at)
    if (!server) throw notSetUp([target.client])
    const options = { cwd: at.projectRoot, env: at.env, client: target.client.name, signal }
    return { files, ...(kept && { kept }), connection: await connect(server, options) }
  })
}

/** Prints the results and returns the exit code: of the first error, else 3 where a server is disabled or does not answer. */
function conclude({ terminal }: World, results: readonly TargetResult[]): number {
  const [only, ...others] = results
  if (!terminal.json) for (const { error } of results) complainLines(terminal, error?.details?.['lines'])
  if (only?.error && others.length === 0) throw only.error
  if (terminal.json) printDocument(terminal, { clients: results.map(resultData) })
  else for (const result of results) printResult(terminal, result)
  const error = results.find((result) => result.error)?.error
  if (error) return exitCodeOf(error)
  return results.some(({ connection }) => (connection?.kind ?? 'connected') !== 'connected') ? FOUND_EXIT : 0
}

/** A message is one line; the lines to add to a file by hand are before it. */
function complainLines(terminal: World['terminal'], lines: unknown): void {
  if (typeof lines === 'string') terminal.complain(`${lines}\n`)
}

function printResult(terminal: World['terminal'], result: TargetResult): void {
  const { target, files, kept = [], connection, error } = result
  const name = `${target.client.title} (${target.scope})`
  for (const { shown, outcome } of files) printText(terminal, `${name}: ${outcome} ${shown}`)
  if (kept.length > 0) printText(terminal, `${name}: kept ${shellWords(kept)}`)
  if (connection) printText(terminal, `${name}: ${connectionText(connection)}`)
  if (error) terminal.complain(`satchel: ${name}: ${error.message}`)
}
