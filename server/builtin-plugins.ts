import type { Completer } from './contract/advanced/verb.ts'
import type { Plugin } from './contract/plugin.ts'
import type { ToolFacts } from './tool-filter.ts'

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
  /** `satchel setup` takes the flag too, for the server that it configures. */
  readonly inSetup?: true
  /** What a shell completes its value with. */
  readonly complete?: Completer
}

/** A command of satchel that a client runs at an event. */
export interface SetupHook {
  /** As the table of clients names it: `session-start`. */
  readonly event: string
  /** The words after `satchel`. */
  readonly words: readonly string[]
}

/** A merge driver of git for files of a plugin. */
export interface MergeDriver {
  /** Its name in git's configuration. */
  readonly name: string
  /** The files, as in `.gitattributes`. */
  readonly pattern: string
  /** The words after `satchel`, with git's placeholders. */
  readonly words: readonly string[]
}

/** An option of `satchel setup`: what a plugin adds to a client beside the server. Plugins may share its name. */
export interface SetupOption {
  /** `edit_hooks` for `--edit-hooks`. */
  readonly name: string
  readonly summary: string
  readonly hooks?: readonly SetupHook[]
  /** What a person does instead with a client that has none of these hooks, or not all. */
  readonly withoutHooks?: string
  /** What a person does first: the hooks do nothing in a project without this folder. */
  readonly firstStep?: { readonly folder: string; readonly text: string }
  /** What git runs in the project's repository. */
  readonly mergeDriver?: MergeDriver
  /** Skills for models; `load` gives the whole SKILL.md. */
  readonly skills?: readonly { readonly name: string; load(): Promise<string> }[]
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
  readonly setup?: readonly SetupOption[]
  /** Its paragraph of the instructions for models: sentences, each with the tools that it needs. */
  readonly instructions: readonly { readonly text: string; readonly needs: readonly string[] }[]
  /** The tools that the instructions need; a test compares them with the declarations. */
  readonly tools: Readonly<Record<string, Omit<ToolFacts, 'name'>>>
  /** Tools of other plugins that leave the profile `standard` where this plugin is served. */
  readonly displaces?: readonly string[]
  /** Top-level configuration key without which a server does not load the plugin, because there is nothing to serve. */
  readonly servesWith?: string
  /** True if its verbs work on what other plugins store, so that all plugins of a server are set up for them. */
  readonly needsOthers?: true
  /** Commands that run often and need none of its tools; `load` gives the plugin with the command alone. */
  readonly alone?: readonly { readonly words: readonly string[]; load(): Promise<Plugin> }[]
  load(): Promise<Plugin>
}

/** What several rows say alike; one constant, because a row may be the only one that is left. */
const SHARED = {
  coreReads: { profile: 'core', readOnly: true },
  coreWrites: { profile: 'core', readOnly: false },
  standardReads: { profile: 'standard', readOnly: true },
  skill: {
    name: 'skill',
    summary: 'also the skills that teach a model when and how to use the tools',
  },
} as const

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
    setup: [
      {
        name: 'hooks',
        summary: 'also hooks that save and restore the work at a compaction',
        hooks: ['session-start', 'pre-compact', 'stop', 'session-end'].map((event) => ({
          event,
          words: ['handoff', 'hook', event],
        })),
        withoutHooks:
          'The work is on disk when the agent calls handoff_create or runs satchel handoff note; handoff_resume gives it back.',
        firstStep: {
          folder: '.handoffs',
          text: 'The hooks do nothing in a project without .handoffs/. First, in the project: satchel handoff note next "…", or ask the agent for handoff_create.',
        },
      },
      {
        name: 'git_merge',
        summary: "also git's merge driver for records, in the repository of this project",
        mergeDriver: {
          name: 'handoff',
          pattern: '.handoffs/records/*.json',
          words: ['handoff', 'git-merge', '%O', '%A', '%B'],
        },
      },
      {
        ...SHARED.skill,
        skills: [
          {
            name: 'satchel-handoff',
            load: async () => (await import('../generated/handoff-skill.ts')).SKILL,
          },
        ],
      },
    ],
    tools: {
      handoff_create: SHARED.coreWrites,
      handoff_resume: SHARED.coreWrites,
      handoff_list: SHARED.coreReads,
      handoff_validate: SHARED.coreReads,
    },
    instructions: [
      {
        text: 'Handoffs (handoff_*): a checked record of a task in progress: goal, state, plan, decisions, open questions and the exact git state.',
        needs: [],
      },
      {
        text: 'Before you stop, run out of context or pass work on, call handoff_create; it reads the git state itself. Record what is true now, not what was hoped for; never put secrets in it.',
        needs: ['handoff_create'],
      },
      {
        text: "To continue another's work, call handoff_resume with an id, or without one for the newest; it says what changed since and what to do first.",
        needs: ['handoff_resume'],
      },
      { text: 'handoff_list finds records.', needs: ['handoff_list'] },
      { text: 'handoff_validate checks one and reports every error.', needs: ['handoff_validate'] },
      {
        text: "Every handoff tool takes project, a folder inside the allowed roots, for another project than the server's own.",
        needs: [],
      },
    ],
    alone: [
      {
        words: ['handoff', 'hook'],
        load: async () => (await import('../plugins/handoff/hook-plugin.ts')).hookPlugin,
      },
    ],
    load: async () => (await import('../plugins/handoff/index.ts')).plugin,
  },
  {
    name: 'modules',
    section: {
      keys: [
        'repositories',
        'output_dir',
        'clone_dir',
        'catalogue',
        'registry_aliases',
        'read_missing_refs',
        'embedding',
        'mcp',
      ],
    },
    verbs: [
      { verb: 'init', summary: 'write a sample configuration' },
      { verb: 'ingest', summary: 'read module repositories and write their summaries' },
      { verb: 'analyze', summary: 'summarise the modules of one repository' },
      { verb: 'search', summary: 'search ingested modules by meaning and keywords' },
      { verb: 'modules', summary: 'list, search, show and compare ingested modules' },
    ],
    tools: {
      list_repositories: SHARED.coreReads,
      search_modules: SHARED.coreReads,
      search_modules_vector: SHARED.coreReads,
      get_module: SHARED.coreReads,
    },
    setup: [
      {
        ...SHARED.skill,
        skills: [
          {
            name: 'satchel-modules',
            load: async () => (await import('../generated/modules-skill.ts')).SKILL,
          },
        ],
      },
    ],
    instructions: [
      {
        text: 'Modules: facts about the infrastructure modules that were ingested: inputs, outputs, resources, versions. Do not guess variable names or versions.',
        needs: [],
      },
      { text: 'list_repositories says what there is.', needs: ['list_repositories'] },
      {
        text: 'Search with search_modules by what is needed.',
        needs: ['search_modules'],
      },
      { text: 'Read get_module before you call a module.', needs: ['get_module'] },
      {
        text: 'Every module tool takes output_dir, for other summaries than the configured ones.',
        needs: [],
      },
      { text: 'search_modules_vector takes none.', needs: ['search_modules_vector'] },
    ],
    load: async () => (await import('../plugins/modules/index.ts')).plugin,
  },
  {
    name: 'workspace',
    servesWith: 'workspace',
    setup: [
      {
        name: 'edit_hooks',
        summary: "also hooks that propose the client's own edits of a room's file instead of writing them",
        hooks: ['pre-edit', 'post-edit'].map((event) => ({ event, words: ['workspace', 'hook', event] })),
      },
      {
        ...SHARED.skill,
        skills: [{ name: 'satchel', load: async () => (await import('../generated/skill.ts')).SKILL }],
      },
    ],
    displaces: ['handoff_branch', 'ingest_modules', 'list_module_versions', 'module_diff', 'module_usage'],
    section: { key: 'workspace' },
    verbs: [{ verb: 'workspace', summary: 'a room: one Markdown file that people and agents edit together' }],
    mcpFlags: [
      {
        name: 'room',
        key: 'workspace.file',
        summary: 'markdown file of the room to work in',
        isPath: true,
        inSetup: true,
        complete: async (typed, cwd) =>
          (await import('../plugins/workspace/room-files.ts')).roomFilesAt(typed, cwd),
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
    tools: {
      workspace_read: SHARED.coreReads,
      workspace_changes: SHARED.coreReads,
      workspace_propose: SHARED.coreWrites,
      workspace_commit: { profile: 'standard', readOnly: false },
    },
    instructions: [
      {
        text: 'Room (workspace_*): one Markdown file that people and agents edit through one writer.',
        needs: [],
      },
      {
        text: 'workspace_read gives its text and version.',
        needs: ['workspace_read'],
      },
      {
        text: 'Propose with workspace_propose against the version that you read; on conflict/stale_version read again and propose again.',
        needs: ['workspace_propose'],
      },
      { text: 'workspace_commit applies what was approved.', needs: ['workspace_commit'] },
      {
        text: 'workspace_changes tells what happened since a cursor; a notification only says that something changed.',
        needs: ['workspace_changes'],
      },
    ],
    load: async () => (await import('../plugins/workspace/index.ts')).plugin,
  },
  {
    name: 'finder',
    section: { key: 'finder' },
    needsOthers: true,
    verbs: [{ verb: 'find', summary: 'one search over records, modules and the room' }],
    tools: { satchel_find: SHARED.standardReads },
    instructions: [{ text: 'Find: satchel_find searches all of it.', needs: ['satchel_find'] }],
    load: async () => (await import('../plugins/finder/index.ts')).plugin,
  },
]

/** The built-in plugins that a server with this configuration loads. */
export function servedPlugins(config: { mentions(key: string): boolean }): readonly BuiltinPlugin[] {
  return BUILTIN_PLUGINS.filter(({ servesWith }) => servesWith === undefined || config.mentions(servesWith))
}

/** Tools that a server with this configuration lists in `full` only, although their profile is `standard`. */
export function displacedTools(config: { mentions(key: string): boolean }): readonly string[] {
  return servedPlugins(config).flatMap(({ displaces = [] }) => displaces)
}
