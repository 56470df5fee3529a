import { isDeepStrictEqual } from 'node:util'
import { BUILTIN_PLUGINS, type SetupHook, type SetupOption } from '../builtin-plugins.ts'
import type { FilePlan } from './change.ts'
import type { ConfigPlace, Scope, SetupClient } from './clients.ts'
import { hookEntry, type ServerCommand, serverEntry } from './entries.ts'
import { shellWords } from './shell-words.ts'

/** What to put into the files of a client. */
export interface SetupParts {
  readonly server: ServerCommand
  /** The program of satchel, for hooks. */
  readonly program: ServerCommand
  readonly hooks: readonly SetupHook[]
  readonly skills: readonly Skill[]
}

/** A skill with its whole text. */
export interface Skill {
  readonly name: string
  readonly text: string
}

/** The hooks that the plugins offer under these options; all of them without a list. */
export function offeredHooks(options?: readonly string[]): readonly SetupHook[] {
  return offeredOptions(options).flatMap(({ hooks = [] }) => hooks)
}

/** The skills that the plugins offer under these options; all of them without a list. */
export async function offeredSkills(options?: readonly string[]): Promise<readonly Skill[]> {
  const skills = offeredOptions(options).flatMap(({ skills: offered = [] }) => offered)
  return Promise.all(skills.map(async ({ name, load }) => ({ name, text: await load() })))
}

/** What the plugins offer under these options; all of it without a list. */
export function offeredOptions(options: readonly string[] | undefined): readonly SetupOption[] {
  return BUILTIN_PLUGINS.flatMap(({ setup = [] }) => setup).filter(
    ({ name }) => options?.includes(name) ?? true,
  )
}

/** The entries of each file of a client in a scope that it has. */
export function plansOf(
  client: SetupClient,
  scope: Scope,
  { server, program, hooks, skills }: SetupParts,
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
        matcher: client.hooks?.matchers?.[event],
        shape: client.hooks?.shape,
        mark,
        command: `${shellWords([program.command, ...program.args])} ${mark}`,
      }),
    ]
  })
  const withHooks = hookPlace && wanted.length > 0 ? merged(plans, { place: hookPlace, wanted }) : plans
  return [...withHooks, ...skillPlans(client, scope, skills)]
}

function skillPlans(client: SetupClient, scope: Scope, skills: readonly Skill[]): FilePlan[] {
  const place = client.skills?.[scope]
  if (!place) return []
  const [folder, path] = place
  return skills.map(({ name, text }) => ({
    place: { in: folder, names: [`${path}/${name}/SKILL.md`], format: 'whole' },
    wanted: [{ kind: 'member', place: ['whole'], value: { text } }],
  }))
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
