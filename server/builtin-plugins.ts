import type { Plugin } from './contract/plugin.ts'

/** Where a plugin's configuration stands in the file: under one key, or as keys at the top level. */
export type Section = { readonly key: string } | { readonly keys: readonly string[] }

/** A flag that every verb of a plugin takes and that sets a key of its configuration. */
export interface SettingFlag {
  /** `--store` */
  readonly flag: string
  /** What help calls its value. */
  readonly value: string
  /** Dotted configuration key. */
  readonly key: string
  readonly summary: string
}

/** What must be known of a built-in plugin without loading it. */
export interface BuiltinPlugin {
  readonly name: string
  readonly section: Section
  /** Top-level verbs it owns, with the line that `--help` shows. */
  readonly verbs: readonly { readonly verb: string; readonly summary: string }[]
  /** Flags of its top-level verbs that set its configuration, which is read before the plugin is loaded. */
  readonly settings?: readonly SettingFlag[]
  /** Top-level configuration key without which it has nothing to serve: a server that lacks it does not load the plugin. */
  readonly servesWith?: string
  load(): Promise<Plugin>
}

/** The plugins that ship with satchel. Deleting a line and its folder removes the plugin. */
export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = [
  {
    name: 'handoff',
    section: { key: 'handoff' },
    verbs: [{ verb: 'handoff', summary: 'typed, checked records that let a later session resume the work' }],
    settings: [
      {
        flag: '--store',
        value: 'dir',
        key: 'handoff.store',
        summary: 'folder of the records, from the project root (default: .handoffs)',
      },
    ],
    load: async () => (await import('../plugins/handoff/index.ts')).plugin,
  },
  {
    name: 'modules',
    section: { keys: ['repositories', 'output_dir', 'clone_dir', 'embedding', 'mcp'] },
    verbs: [
      { verb: 'init', summary: 'write a sample configuration' },
      { verb: 'ingest', summary: 'read module repositories and write their summaries' },
      { verb: 'analyze', summary: 'summarise the modules of one repository' },
      { verb: 'search', summary: 'search ingested modules by meaning and keywords' },
      { verb: 'modules', summary: 'list, search, show and compare ingested modules' },
    ],
    load: async () => (await import('../plugins/modules/index.ts')).plugin,
  },
  {
    name: 'workspace',
    servesWith: 'workspace',
    section: { key: 'workspace' },
    verbs: [{ verb: 'workspace', summary: 'a room: one Markdown file that people and agents edit together' }],
    load: async () => (await import('../plugins/workspace/index.ts')).plugin,
  },
]
