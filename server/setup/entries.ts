import type { EntryShape, SetupClient } from './clients.ts'
import { valueAt, type Wanted } from './config-edits.ts'
import { originOf, originOfLine } from './program-origin.ts'

/** A program that a client starts as a server. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The name under which clients know satchel. */
export const SERVER_NAME = 'satchel'

/** The entry of the server in a client's configuration. */
export function serverEntry({ key, shape }: SetupClient, { command, args }: ServerCommand): Wanted {
  const value = SHAPES[shape](command, args)
  const origin = (found: unknown) => originOf(commandIn(found), Object.keys(Object(found)))
  const told = { value, originOf: origin, replaces: isAtAddress }
  if (shape !== 'named') return { kind: 'member', place: [key, SERVER_NAME], ...told }
  const ownIn = (item: unknown) => (valueAt(item, ['name']) === SERVER_NAME ? { at: [], value } : undefined)
  return { kind: 'item', list: [key], ownIn, ...told }
}

/** A server at an address: clients refuse an entry that also names a program (Codex its whole file), or take the address. */
function isAtAddress(entry: unknown): boolean {
  return ['url', 'httpUrl', 'serverUrl'].some((name) => valueAt(entry, [name]) !== undefined)
}

const SHAPES: Readonly<Record<EntryShape, (command: string, args: readonly string[]) => object>> = {
  plain: (command, args) => ({ command, args }),
  stdio: (command, args) => ({ type: 'stdio', command, args }),
  local: (command, args) => ({ type: 'local', command: [command, ...args], enabled: true }),
  named: (command, args) => ({ name: SERVER_NAME, command, args }),
}

/** The program of satchel in a configuration. */
export interface ConfiguredServer extends ServerCommand {
  /** What keeps the client from starting it, in words; absent: nothing. */
  readonly disabledBy?: string
}

/** The program that a configuration names as satchel; undefined if it has none. */
export function configuredServer({ key, shape }: SetupClient, found: unknown): ConfiguredServer | undefined {
  const entry = shape === 'named' ? namedIn(valueAt(found, [key])) : valueAt(found, [key, SERVER_NAME])
  if (entry === undefined) return undefined
  const disabledBy = disabledIn(found, entry)
  return { ...commandIn(entry), ...(disabledBy !== undefined && { disabledBy }) }
}

/** Clients have a member of the entry for this, or, as Gemini CLI and Qwen Code, a list of names beside the servers. */
function disabledIn(found: unknown, entry: unknown): string | undefined {
  if (valueAt(entry, ['enabled']) === false) return '"enabled" is false in its entry'
  if (valueAt(entry, ['disabled']) === true) return '"disabled" is true in its entry'
  const excluded = valueAt(found, ['mcp', 'excluded'])
  return Array.isArray(excluded) && excluded.includes(SERVER_NAME) ? '"mcp.excluded" names it' : undefined
}

function commandIn(entry: unknown): ServerCommand {
  const words = [valueAt(entry, ['command']), valueAt(entry, ['args'])]
    .flat()
    .filter((word) => typeof word === 'string')
  const [command = '', ...args] = words
  const env = textsIn(valueAt(entry, ['env']) ?? valueAt(entry, ['environment']))
  return { command, args, env }
}

function namedIn(list: unknown): unknown {
  return Array.isArray(list) ? list.find((item) => valueAt(item, ['name']) === SERVER_NAME) : undefined
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {}
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string'))
}

/** A hook of a client: a command that it runs at an event. */
export interface HookLine {
  /** Event of the client. */
  readonly event: string
  /** The client's tools at which it runs; absent: at every event of this name. */
  readonly matcher?: string | undefined
  readonly command: string
  /** Words that no other hook has: those of satchel, without its program. */
  readonly mark: string
  readonly shape?: 'flat' | undefined
}

/** The entry of a hook in a client's configuration. */
export function hookEntry(line: HookLine): Wanted {
  return line.shape === 'flat' ? flatHook(line) : listedHook(line)
}

function flatHook({ event, matcher, command, mark }: HookLine): Wanted {
  const value = { command, ...(matcher !== undefined && { matcher }) }
  return {
    kind: 'item',
    list: ['hooks', event],
    value,
    originOf: (found) => originOfLine(String(valueAt(found, ['command'])), mark),
    ownIn(item) {
      const found = valueAt(item, ['command'])
      if (!String(found).endsWith(mark)) return undefined
      return { at: [], value: found === command ? { command } : value }
    },
  }
}

/** In an item with several hooks only the one is satchel's. */
function listedHook({ event, matcher, command, mark }: HookLine): Wanted {
  const hook = { type: 'command', command }
  const value = { ...(matcher !== undefined && { matcher }), hooks: [hook] }
  return {
    kind: 'item',
    list: ['hooks', event],
    value,
    originOf(found) {
      const line = valueAt(found, ['command']) ?? valueAt(found, ['hooks', 0, 'command'])
      return originOfLine(String(line), mark)
    },
    ownIn(item) {
      const hooks = valueAt(item, ['hooks'])
      if (!Array.isArray(hooks)) return undefined
      const index = hooks.findIndex((each) => String(valueAt(each, ['command'])).endsWith(mark))
      if (index === -1) return undefined
      return hooks.length === 1 && valueAt(hooks, [0, 'command']) === command
        ? { at: [], value: { hooks } }
        : hooks.length === 1
          ? { at: [], value }
          : { at: ['hooks', index], value: hook }
    },
  }
}
