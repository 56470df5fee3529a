import type { Plugin } from './contract/plugin.ts'

/** The place of a plugin's configuration in the file: under one key, or as keys at the top level. */
export type Section = { readonly key: string } | { readonly keys: readonly string[] }

/** A flag of every verb of a plugin that sets a key of its configuration. */
export interface SettingFlag {
  /** `--store` */
  readonly flag: string
  /** The name of its value in help. */
  readonly value: string
  /** Dotted configuration key. */
  readonly key: string
  readonly summary: string
}

/** A flag of `satchel mcp` that sets a key of a plugin's configuration. */
export interface McpFlag {
  /** `room` for `--room`. */
  readonly name: string
  /** Dotted configuration key. */
  readonly key: string
  readonly summary: string
  /** True for a path, which is relative to the working directory. */
  readonly isPath?: true
  /** The accepted values; absent: any text. */
  readonly choices?: readonly string[]
}

/** The parts of a built-in plugin that are known without loading it. */
export interface BuiltinPlugin {
  readonly name: string
  readonly section: Section
  /** Its top-level verbs, with the line that `--help` shows. */
  readonly verbs: readonly { readonly verb: string; readonly summary: string }[]
  /** Flags of its top-level verbs that set its configuration; read before the plugin is loaded. */
  readonly settings?: readonly SettingFlag[]
  /** Flags of `satchel mcp` that set its configuration. */
  readonly mcpFlags?: readonly McpFlag[]
  /** Its paragraph of the instructions for models. */
  readonly instructions: string
  /** Top-level configuration key without which a server does not load the plugin, because there is nothing to serve. */
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
    instructions:
      "Handoffs (handoff_*): a checked record of a task in progress: goal, state, plan, decisions, open questions and the exact git state. Before you stop, run out of context or pass work on, call handoff_create; it reads branch, commit and dirty files from the repository itself. To continue another's work, call handoff_resume with an id, or without one for the newest; it says what changed since and what to do first. handoff_list finds records, handoff_validate checks one and reports every error at its JSON pointer. Record what is true now, not what was hoped for; never put secrets in a record. Every handoff tool takes project, a folder inside the allowed roots, when another than the server's own is meant.",
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
    instructions:
      'Modules (list_repositories, search_modules, get_module): facts about the infrastructure modules that were ingested: inputs, outputs, resources, versions. Search by what is needed, then read the module before you write a call to it. Do not guess variable names or versions. Every module tool but search_modules_vector takes output_dir, when other summaries than the configured ones are meant.',
    load: async () => (await import('../plugins/modules/index.ts')).plugin,
  },
  {
    name: 'workspace',
    servesWith: 'workspace',
    section: { key: 'workspace' },
    verbs: [{ verb: 'workspace', summary: 'a room: one Markdown file that people and agents edit together' }],
    mcpFlags: [
      {
        name: 'room',
        key: 'workspace.file',
        summary: 'markdown file of the room to work in',
        isPath: true,
      },
      { name: 'connect', key: 'workspace.connect', summary: 'URL of a running room to join' },
      { name: 'invite', key: 'workspace.invite', summary: 'invitation to redeem, once' },
      { name: 'name', key: 'workspace.name', summary: 'name of this participant' },
      {
        name: 'as',
        key: 'workspace.as',
        summary: 'take part as the owner of the room',
        choices: ['owner'],
      },
    ],
    instructions:
      'Room (workspace_*, present only where a room is configured): one Markdown file that several people and agents edit through a single writer. Read first, propose against the version you read, commit only what was approved. On conflict/stale_version read again and propose again. workspace_changes tells what happened since a cursor; a notification only says that something changed, so read again.',
    load: async () => (await import('../plugins/workspace/index.ts')).plugin,
  },
]
