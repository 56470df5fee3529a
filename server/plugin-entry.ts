import type { Plugin } from './contract/plugin.ts'

/** A configured plugin, parsed and ready to set up. */
export interface PluginEntry {
  readonly plugin: Plugin
  readonly config: Record<string, unknown>
  /** Its origin for messages: `BUILT_IN`, or its file. */
  readonly source: string
}

/** The source of plugins that ship with satchel, which the compiler checks against the contract. */
export const BUILT_IN = 'built in'
