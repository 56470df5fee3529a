import type { OwnedTool } from './call.ts'
import type { Command } from './contract/advanced/command.ts'
import type { EvidenceKind } from './contract/advanced/evidence.ts'
import type { Prompt } from './contract/advanced/prompt.ts'
import type { Resource } from './contract/advanced/resource.ts'
import type { Listener, Route } from './contract/advanced/route.ts'
import type { Stream } from './contract/advanced/stream.ts'
import type { Tasks } from './contract/advanced/task.ts'
import type { PluginInstance } from './contract/plugin.ts'
import type { PluginEntry } from './plugin-entry.ts'
import { refusals } from './refusals.ts'

/** A declaration with the name of its plugin. */
export type Owned<K extends string, T> = { readonly [P in K]: T } & { readonly plugin: string }

/** All declarations in a deterministic order: tools and prompts by name, the rest by plugin. Frozen after setup. */
export interface Registry {
  readonly tools: readonly OwnedTool[]
  readonly resources: readonly Owned<'resource', Resource>[]
  readonly prompts: readonly Owned<'prompt', Prompt>[]
  readonly streams: readonly Owned<'stream', Stream>[]
  readonly routes: readonly Owned<'route', Route>[]
  readonly commands: readonly Owned<'command', Command>[]
  readonly listeners: readonly Listener[]
  readonly tasks: readonly Owned<'tasks', Tasks>[]
  readonly evidence: readonly Owned<'kind', EvidenceKind>[]
  readonly instances: readonly Owned<'instance', PluginInstance>[]
  tool(name: string): OwnedTool | undefined
  /** The refusals that a plugin declares; empty for an unknown one. */
  refusalsOf(plugin: string): NonNullable<PluginInstance['refusals']>
}

/**
 * Collects the declarations of the plugins.
 * Errors: `conflict`/`name_taken` naming both owners, for tools, routes, verbs, resources, prompts and listeners.
 */
export function register(instances: readonly Owned<'instance', PluginInstance>[]): Registry {
  refuseNamesTakenTwice(instances)
  const each = <K extends string, T>(key: K, pick: (instance: PluginInstance) => readonly T[] | undefined) =>
    instances.flatMap(({ plugin, instance }) =>
      // the computed key is what the mapped type names; TypeScript widens it to string
      (pick(instance) ?? []).map((value) => ({ [key]: value, plugin }) as Owned<K, T>),
    )
  const tools = instances
    .flatMap(({ plugin, instance: { tools = [], howToJoin } }) =>
      tools.map((tool) => ({ tool, plugin, ...(howToJoin !== undefined && { howToJoin }) })),
    )
    .sort((a, b) => compare(a.tool.name, b.tool.name))
  const byName = new Map(tools.map((owned) => [owned.tool.name, owned]))
  return Object.freeze({
    tools,
    resources: each('resource', (i) => i.resources),
    prompts: each('prompt', (i) => i.prompts).sort((a, b) => compare(a.prompt.name, b.prompt.name)),
    streams: each('stream', (i) => i.streams),
    routes: each('route', (i) => i.routes),
    commands: each('command', (i) => i.commands),
    listeners: instances.flatMap(({ instance }) => instance.listeners ?? []),
    tasks: each('tasks', (i) => i.tasks && [i.tasks]),
    evidence: each('kind', (i) => i.evidence),
    instances,
    tool: (name: string) => byName.get(name),
    refusalsOf: (plugin: string) => instances.find((each) => each.plugin === plugin)?.instance.refusals ?? {},
  })
}

/** Errors: `conflict`/`name_taken` with the origins of two plugins of one name. */
export function refuseOneNameOfTwo(entries: readonly PluginEntry[]): void {
  const sources = new Map<string, string>()
  for (const { plugin, source } of entries) {
    const first = sources.get(plugin.name)
    const details = { name: `plugin "${plugin.name}"`, owners: [first, source] }
    if (first !== undefined)
      throw refusals.plugin_name_taken({ plugin: plugin.name, first, second: source }, { details })
    sources.set(plugin.name, source)
  }
}

function refuseNamesTakenTwice(instances: readonly Owned<'instance', PluginInstance>[]): void {
  const owners = new Map<string, string>()
  for (const { plugin, instance } of instances) {
    for (const name of namesOf(instance)) {
      const key = name.replaceAll(/\{[^}]+\}/g, '{}') // variables of other names match the same
      const first = owners.get(key)
      if (first !== undefined) {
        const options = { details: { name, owners: [first, plugin] } }
        throw first === plugin
          ? refusals.name_declared_twice({ plugin, name }, options)
          : refusals.name_taken({ name, first, second: plugin }, options)
      }
      owners.set(key, plugin)
    }
  }
}

/** Returns what a plugin declares, each with its kind: `tool "greet"`. No two plugins of a host may share one. */
export function namesOf(instance: PluginInstance): string[] {
  const { tools = [], resources = [], prompts = [], streams = [], routes = [], commands = [] } = instance
  const { evidence = [], searchers = [] } = instance
  const toolRoutes = tools.flatMap((tool) => [tool.http ?? []].flat())
  const toolVerbs = tools.flatMap((tool) => [tool.cli ?? []].flat())
  return [
    ...tools.map((tool) => `tool "${tool.name}"`),
    ...toolRoutes.map((route) => `route "${route.method} ${route.path}"`),
    ...toolVerbs.map(({ verb }) => `verb "${verb}"`),
    ...resources.map((resource) => `resource "${resource.uri}"`),
    ...prompts.map((prompt) => `prompt "${prompt.name}"`),
    ...streams.map((stream) => `route "GET ${stream.path}"`),
    ...routes.flatMap((route) =>
      route.listeners.map((at) => `route "${route.method} ${route.path}" on "${at}"`),
    ),
    ...commands.map((command) => `verb "${command.cli}"`),
    ...evidence.map((kind) => `evidence "${kind.name}"`),
    ...searchers.map(({ kind }) => `searcher "${kind}"`),
    ...(instance.listeners ?? []).map((listener) => `listener "${listener.name}"`),
  ]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
