import { BUILTIN_PLUGINS, type BuiltinPlugin, type Section, servedPlugins } from './builtin-plugins.ts'
import type { Config } from './config.ts'
import type { Plugin } from './contract/plugin.ts'
import { BUILT_IN, type PluginEntry } from './plugin-entry.ts'

/**
 * The plugins that a door needs: all built-in and configured ones, those of them with something to serve, or only the owner
 * of the verb that the words begin with.
 */
export type Wanted =
  | { readonly kind: 'all' }
  | { readonly kind: 'served' }
  | { readonly kind: 'verb'; readonly words: readonly string[] }

/** A loaded built-in plugin with the place of its configuration. */
export interface LoadedBuiltin {
  readonly plugin: Plugin
  readonly section: Section
}

/**
 * Loads the plugins that `wanted` selects and parses their configuration, in the order of their setup: built-in plugins
 * first, then those that the file lists. A verb of a built-in plugin loads no other plugin, unless it works on what others store.
 * Errors: those of `loadPlugin` and of the configuration's sections.
 */
export async function loadEntries(config: Config, wanted: Wanted): Promise<readonly PluginEntry[]> {
  const rows = builtinsFor(config, wanted)
  const builtins = await loadBuiltins(rows, wanted.kind === 'verb' ? wanted.words : [])
  const entries = builtins.map(({ plugin, section }) => ({
    plugin,
    config: config.section(plugin, section),
    source: BUILT_IN,
  }))
  const isAlone = wanted.kind === 'verb' && rows.length > 0 && !rows.some(({ needsOthers }) => needsOthers)
  return isAlone ? entries : [...entries, ...(await loadThirdParty(config))]
}

/** Loads the built-in plugins without their configuration; of one whose command runs alone only what that needs. */
export async function loadBuiltins(
  rows: readonly BuiltinPlugin[] = BUILTIN_PLUGINS,
  words: readonly string[] = [],
): Promise<readonly LoadedBuiltin[]> {
  return Promise.all(
    rows.map(async (row) => ({ plugin: await partFor(row, words).load(), section: row.section })),
  )
}

function partFor(row: BuiltinPlugin, words: readonly string[]): Pick<BuiltinPlugin, 'load'> {
  return row.alone?.find((command) => command.words.every((word, at) => word === words[at])) ?? row
}

function builtinsFor(config: Config, wanted: Wanted): readonly BuiltinPlugin[] {
  if (wanted.kind === 'all') return BUILTIN_PLUGINS
  if (wanted.kind === 'served') return servedPlugins(config)
  const owners = BUILTIN_PLUGINS.filter(({ verbs }) => verbs.some(({ verb }) => verb === wanted.words[0]))
  return owners.some(({ needsOthers }) => needsOthers) ? servedPlugins(config) : owners
}

async function loadThirdParty(config: Config): Promise<readonly PluginEntry[]> {
  const entries: PluginEntry[] = []
  for (const [name, settings] of Object.entries(config.plugins)) {
    const { plugin, file } = await loadListed(config, name)
    entries.push({ plugin, config: config.section(plugin, { settings, listedAs: name }), source: file })
  }
  return entries
}

/** Loads the plugin that the configuration lists under this name. Errors: those of `loadPlugin`. */
export async function loadListed(config: Config, name: string): Promise<{ plugin: Plugin; file: string }> {
  const { loadPlugin } = await import('./load-plugins.ts')
  return loadPlugin(name, config.file ?? '') // only a file lists plugins
}
