/** `user`: every project of this user; `project`: files that belong to the project. */
export type Scope = 'user' | 'project'

export const SCOPES = ['user', 'project'] as const

/** The folders that configuration files are in; `folders.ts` says where each is. */
export type FolderName =
  | 'home'
  | 'project'
  | 'git'
  | 'config'
  | 'zed'
  | 'code'
  | 'claude'
  | 'claude-state'
  | 'codex'
  | 'gemini'
  | 'qwen'
  | 'continue'

/** `whole`: the file is satchel's own; `lines`: `key = value`. */
export type FormatName = 'json' | 'toml' | 'yaml' | 'lines' | 'whole'

/** A configuration file of a client: the first of these names that exists, else the first. */
export interface ConfigPlace {
  readonly in: FolderName
  readonly names: readonly string[]
  readonly format: FormatName
  /** The text of a new file, before the entry is put in. */
  readonly blank?: string
}

/** How a client writes the program of a server. */
export type EntryShape = 'plain' | 'stdio' | 'local' | 'named'

/**
 * One client of MCP: where it reads its servers, and in which shape. Facts, so that a new client is a row; docs/clients.md
 * names the source of each.
 */
export interface SetupClient {
  /** As typed, and as hooks name the harness. */
  readonly name: string
  readonly title: string
  /** Programs on the PATH, and folders of the home, that tell that it is installed. */
  readonly programs: readonly string[]
  readonly traces: readonly (readonly [FolderName, string])[]
  /** Its servers; an absent scope is one that it does not have. */
  readonly servers: Readonly<Partial<Record<Scope, ConfigPlace>>>
  /** The member that holds the servers: an object by name, or for the shape `named` a list. */
  readonly key: string
  readonly shape: EntryShape
  readonly hooks?: ClientHooks
  /** The folder in which it finds `NAME/SKILL.md`. */
  readonly skills?: Readonly<Partial<Record<Scope, readonly [FolderName, string]>>>
  /** What a person does after the setup in this scope. */
  readonly afterwards?: Readonly<Partial<Record<Scope, string>>>
}

/** The hooks of a client that are commands. */
export interface ClientHooks {
  readonly places: Readonly<Record<Scope, ConfigPlace>>
  /** Event of satchel -> event of the client. */
  readonly events: Readonly<Record<string, string>>
  /** Event of satchel -> the client's tools at which it is an event, where the client asks for them. */
  readonly matchers?: Readonly<Record<string, string>>
  /** `flat`: each item of an event is one hook; absent: it holds a list of hooks. */
  readonly shape?: 'flat'
  readonly afterwards?: string
  /** What these hooks do not do at a compaction; absent: they save and restore. */
  readonly gap?: string
}

const json = (folder: FolderName, ...names: readonly string[]): ConfigPlace => ({
  in: folder,
  names,
  format: 'json',
})

/** Cursor reads the format that the number names. */
const CURSOR_HOOKS = '{\n  "version": 1\n}\n'

export const SETUP_CLIENTS: readonly SetupClient[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    programs: ['claude'],
    traces: [['claude', '']],
    servers: { user: json('claude-state', '.claude.json'), project: json('project', '.mcp.json') },
    key: 'mcpServers',
    shape: 'stdio',
    skills: { user: ['claude', 'skills'], project: ['project', '.claude/skills'] },
    hooks: {
      places: { user: json('claude', 'settings.json'), project: json('project', '.claude/settings.json') },
      events: {
        'session-start': 'SessionStart',
        'pre-compact': 'PreCompact',
        stop: 'Stop',
        'session-end': 'SessionEnd',
        'pre-edit': 'PreToolUse',
        'post-edit': 'PostToolUse',
      },
      matchers: { 'pre-edit': 'Edit|MultiEdit|Write', 'post-edit': 'Edit|MultiEdit|Write' },
    },
    afterwards: {
      project: 'Claude Code asks once, at its next start, whether to trust the server of this project.',
    },
  },
  {
    name: 'codex',
    title: 'Codex',
    programs: ['codex'],
    traces: [['codex', '']],
    servers: {
      user: { in: 'codex', names: ['config.toml'], format: 'toml' },
      project: { in: 'project', names: ['.codex/config.toml'], format: 'toml' },
    },
    key: 'mcp_servers',
    shape: 'plain',
    skills: { user: ['codex', 'skills'], project: ['project', '.agents/skills'] },
    hooks: {
      places: { user: json('codex', 'hooks.json'), project: json('project', '.codex/hooks.json') },
      events: {
        'session-start': 'SessionStart',
        'pre-compact': 'PreCompact',
        stop: 'Stop',
        'pre-edit': 'PreToolUse',
        'post-edit': 'PostToolUse',
      },
      matchers: { 'pre-edit': 'apply_patch|Edit|Write', 'post-edit': 'apply_patch|Edit|Write' },
      afterwards:
        'Codex runs new or changed hooks only after you trusted them once: it asks at its next start, and /hooks shows them.',
    },
    afterwards: { project: 'Codex reads this file only in a project that you trust.' },
  },
  {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    programs: ['gemini'],
    traces: [['gemini', '']],
    servers: { user: json('gemini', 'settings.json'), project: json('project', '.gemini/settings.json') },
    key: 'mcpServers',
    shape: 'plain',
    skills: { user: ['gemini', 'skills'], project: ['project', '.gemini/skills'] },
    hooks: {
      places: { user: json('gemini', 'settings.json'), project: json('project', '.gemini/settings.json') },
      events: {
        'session-start': 'SessionStart',
        'pre-compact': 'PreCompress',
        'session-end': 'SessionEnd',
        'pre-edit': 'BeforeTool',
        'post-edit': 'AfterTool',
      },
      // With "auto", PreCompress comes before every request to the model, compaction or not.
      matchers: {
        'pre-compact': 'manual',
        'pre-edit': 'replace|write_file',
        'post-edit': 'replace|write_file',
      },
      gap: 'Gemini CLI: the hooks save before /compress, and give the work back when a session is resumed. It announces no automatic compression and has no event after one.',
    },
    afterwards: { project: 'Gemini CLI starts servers only in a folder that you trust.' },
  },
  {
    name: 'cursor',
    title: 'Cursor',
    programs: ['cursor', 'cursor-agent'],
    traces: [['home', '.cursor']],
    servers: { user: json('home', '.cursor/mcp.json'), project: json('project', '.cursor/mcp.json') },
    key: 'mcpServers',
    shape: 'plain',
    skills: { user: ['home', '.cursor/skills'], project: ['project', '.cursor/skills'] },
    hooks: {
      places: {
        user: { ...json('home', '.cursor/hooks.json'), blank: CURSOR_HOOKS },
        project: { ...json('project', '.cursor/hooks.json'), blank: CURSOR_HOOKS },
      },
      events: { 'pre-compact': 'preCompact', 'pre-edit': 'preToolUse', 'post-edit': 'afterFileEdit' },
      matchers: { 'pre-edit': 'Write|StrReplace' },
      shape: 'flat',
      gap: 'Cursor: the hook saves before a compaction. Cursor has no event after one.',
    },
  },
  {
    name: 'vscode',
    title: 'VS Code',
    programs: ['code'],
    traces: [['code', '']],
    servers: { user: json('code', 'mcp.json'), project: json('project', '.vscode/mcp.json') },
    key: 'servers',
    shape: 'stdio',
    skills: { user: ['home', '.copilot/skills'], project: ['project', '.github/skills'] },
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    programs: ['opencode'],
    traces: [['config', 'opencode']],
    servers: {
      user: json('config', 'opencode/opencode.json', 'opencode/opencode.jsonc'),
      project: json('project', 'opencode.json', 'opencode.jsonc'),
    },
    key: 'mcp',
    shape: 'local',
    skills: { user: ['config', 'opencode/skills'], project: ['project', '.opencode/skills'] },
  },
  {
    name: 'qwen-code',
    title: 'Qwen Code',
    programs: ['qwen'],
    traces: [['qwen', '']],
    servers: { user: json('qwen', 'settings.json'), project: json('project', '.qwen/settings.json') },
    key: 'mcpServers',
    shape: 'plain',
    skills: { user: ['qwen', 'skills'], project: ['project', '.qwen/skills'] },
    hooks: {
      places: { user: json('qwen', 'settings.json'), project: json('project', '.qwen/settings.json') },
      events: {
        'session-start': 'SessionStart',
        'pre-compact': 'PreCompact',
        stop: 'Stop',
        'session-end': 'SessionEnd',
        'pre-edit': 'PreToolUse',
        'post-edit': 'PostToolUse',
      },
      matchers: { 'pre-edit': 'edit|write_file', 'post-edit': 'edit|write_file' },
    },
  },
  {
    name: 'zed',
    title: 'Zed',
    programs: ['zed', 'zeditor'],
    traces: [['zed', '']],
    servers: { user: json('zed', 'settings.json'), project: json('project', '.zed/settings.json') },
    key: 'context_servers',
    shape: 'plain',
  },
  {
    name: 'windsurf',
    title: 'Windsurf',
    programs: ['windsurf'],
    traces: [['home', '.codeium/windsurf']],
    servers: { user: json('home', '.codeium/windsurf/mcp_config.json') },
    key: 'mcpServers',
    shape: 'plain',
    skills: { user: ['home', '.codeium/windsurf/skills'] },
  },
  {
    name: 'continue',
    title: 'Continue',
    programs: ['cn'],
    traces: [['continue', '']],
    servers: {
      user: {
        in: 'continue',
        names: ['config.yaml'],
        format: 'yaml',
        blank: 'name: Local\nversion: 1.0.0\nschema: v1\n',
      },
      project: {
        in: 'project',
        names: ['.continue/mcpServers/satchel.yaml'],
        format: 'yaml',
        blank: 'name: satchel\nversion: 1.0.0\nschema: v1\n',
      },
    },
    key: 'mcpServers',
    shape: 'named',
    skills: { user: ['continue', 'skills'], project: ['project', '.continue/skills'] },
  },
]
