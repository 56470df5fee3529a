import { isDeepStrictEqual } from 'node:util'
import { BUILTIN_PLUGINS, type SetupHook } from '../builtin-plugins.ts'
import type { FilePlan } from './change.ts'
import type { ConfigPlace, Scope, SetupClient } from './clients.ts'
import { hookEntry, type ServerCommand, serverEntry } from './entries.ts'

/** What to put into the files of a client. */
export interface SetupParts {
  readonly server: ServerCommand
  /** The program of satchel, for hooks. */
  readonly program: ServerCommand
  readonly hooks: readonly SetupHook[]
}

/** The hooks that the plugins offer under these options; all of them without a list. */
export function offeredHooks(options?: readonly string[]): readonly SetupHook[] {
  return BUILTIN_PLUGINS.flatMap(({ setup = [] }) => setup)
    .filter(({ name }) => options?.includes(name) ?? true)
    .flatMap(({ hooks = [] }) => hooks)
}

/** The entries of each file of a client in a scope that it has. */
export function plansOf(
  client: SetupClient,
  scope: Scope,
  { server, program, hooks }: SetupParts,
): FilePlan[] {
  const place = client.servers[scope]
  const plans: FilePlan[] = place ? [{ place, wanted: [serverEntry(client, server)] }] : []
  const hookPlace = client.hooks?.places[scope]
  const wanted = hooks.flatMap(({ event, words }) => {
    const ofClient = client.hooks?.events[event]
    if (ofClient === undefined) return []
    const mark = [...words, '--harness', client.name].join(' ')
    return [
      hookEntry({
        event: ofClient,
        mark,
        command: `${shellWords([program.command, ...program.args])} ${mark}`,
      }),
    ]
  })
  return hookPlace && wanted.length > 0 ? merged(plans, { place: hookPlace, wanted }) : plans
}

/** Server and hooks are in one file of some clients. */
function merged(plans: readonly FilePlan[], more: FilePlan): FilePlan[] {
  const same = plans.find(({ place }) => isSamePlace(place, more.place))
  if (!same) return [...plans, more]
  return plans.map((plan) => (plan === same ? { ...plan, wanted: [...plan.wanted, ...more.wanted] } : plan))
}

function isSamePlace(a: ConfigPlace, b: ConfigPlace): boolean {
  return a.in === b.in && isDeepStrictEqual(a.names, b.names)
}

/** A command of a shell. Clients run hooks by `sh`, on Windows by `cmd` or PowerShell. */
function shellWords(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:@%+=-]+$/.test(word) ? word : quoted(word))).join(' ')
}

function quoted(word: string): string {
  if (process.platform === 'win32') return `"${word}"` // a file name there has no quotes
  return `'${word.replaceAll("'", "'\\''")}'`
}
