import type { FormatName } from '../clients.ts'

/** A configuration file as people have them. */
export interface Sample {
  readonly name: string
  readonly text: string
}

/** What editors and habits make of the same lines. */
const HABITS: Readonly<Record<string, (text: string) => string>> = {
  'as written': (text) => text,
  CRLF: (text) => text.replaceAll('\n', '\r\n'),
  'with a byte order mark, no final newline': (text) => `\uFEFF${text.trimEnd()}`,
  'tabs, empty lines at the end': (text) =>
    `${text.replaceAll(/^( {2})+/gm, (spaces) => '\t'.repeat(spaces.length / 2))}\n\n`,
}

/** What people do to files in which a hash begins a comment. */
const HASH_HABITS: Readonly<Record<string, (text: string) => string>> = {
  'CRLF, no final newline': (text) => text.trimEnd().replaceAll('\n', '\r\n'),
  'a comment above and below': (text) => `# kept by hand\n\n${text}# vim: et\n`,
}

/** YAML has no tabs. */
const YAML_HABITS = Object.entries(HABITS).filter(([habit]) => !habit.startsWith('tabs'))

function habitsOf(format: FormatName): readonly (readonly [string, (text: string) => string])[] {
  if (format === 'yaml') return [...YAML_HABITS, ...Object.entries(HASH_HABITS)]
  return Object.entries(format === 'toml' ? { ...HABITS, ...HASH_HABITS } : HABITS)
}

const jsonTexts = (key: string): Readonly<Record<string, string>> => ({
  'other servers, comments and a trailing comma': `{
  // Servers of the team; see the wiki.
  "${key}": {
    "github": {
      "command": "npx", /* pinned below */
      "args": ["-y", "@scope/github@1.2.3"], // keep
      "env": { "TOKEN": "\${GITHUB_TOKEN}" },
    }, // last one
    // "old": { "command": "x" },
  },
  "theme": "Ünïcode ✓ \\u00e9",
}
`,
  'strict, settings before and after': `{
  "telemetry": false,
  "${key}": {
    "files": { "command": "uvx", "args": ["mcp-files", "/a path/with \\"quotes\\""] },
    "remote": { "type": "http", "url": "https://example.com/mcp" }
  },
  "numbers": [1, 2.50, 1e10, -0.0],
  "hooks": {
    "SessionStart": [
      { "matcher": "startup", "hooks": [{ "type": "command", "command": "echo hi" }] }
    ],
    "Stop": []
  }
}
`,
  'no servers yet': '{\n    "editor": {\n        "fontSize": 13\n    }\n}\n',
  'an empty map of servers': `{ "${key}": {}, "a": null }\n`,
  minified: `{"${key}":{"a":{"command":"x","args":[]}},"z":[{}]}\n`,
  'on one line': `{ "${key}": { "a": { "command": "x" } } }\n`,
  'an empty object': '{}\n',
  'closing brackets on the last line': `{ "a": 1,\n  "${key}": { "b": {\n    "command": "x" } },\n  "c": [ 1,\n    2 ] }\n`,
  'a comma on a line of its own': `{\n  "${key}": {\n    "a": { "command": "x" }\n    ,\n    "b": { "command": "y" } // b\n  }\n  , "last": true\n}\n`,
  'an empty object with a comment': `{\n  "${key}": {\n    // none yet\n  }\n}\n`,
  'only comments': '// settings\n/* nothing */\n',
  empty: '',
  'a long file': `{\n  "history": [\n${Array.from({ length: 2000 }, (_, at) => `    { "prompt": "what is ${at}?", "at": ${at} }`).join(',\n')}\n  ]\n}\n`,
  'four spaces and a block comment at the end': `{\n    "x": 1,\n    "${key}": {\n        "s": {\n            "command": "y"\n        } /* the end */\n    }\n}\n/* vim: set sw=4: */\n`,
  'satchel in other places': `{\n  "satchel": { "command": "no" },\n  "projects": { "/p": { "${key}": { "satchel": { "command": "other" } } } }\n}\n`,
})

const TOML_TEXTS: Readonly<Record<string, string>> = {
  'tables and comments': `# my settings
model = "gpt-5" # the good one
notify = ["sh", "-c", 'echo "done"']

[mcp_servers.github]
command = "npx"
args = ["-y", "@scope/github"] # pinned

[mcp_servers.github.env]
TOKEN = "x"

# the end
`,
  'dates, numbers and long texts': `since = 1979-05-27T07:32:00-08:00
at = 07:32:00
mask = 0xDEAD_BEEF
ratio = 1.0
note = """
[mcp_servers.satchel]
command = "no"
"""
raw = 'C:\\path'
`,
  'an inline table': 'mcp_servers = { a = { command = "x" } } # one line\n[tui]\ntheme = "dark"\n',
  'an empty inline table': 'mcp_servers = {}\n',
  'dotted keys': 'mcp_servers.a.command = "x"\nmcp_servers.a.args = []\n\n[profiles."a b"]\nmodel = "m"\n',
  'a table of servers':
    '[mcp_servers]\na = { command = "x" }\n\n[mcp_servers.b]\ncommand = "y"\n[mcp_servers.b.env]\n\n[other]\nx = [\n  1, # one\n  2,\n]\n',
  'arrays of tables': '[[rules]]\nname = "a"\n\n[[rules]]\nname = "b"\n  [rules.inner]\n  deep = true\n',
  'trusted projects': '[projects."/home/a b/ö"]\ntrust_level = "trusted"\n',
  'only comments': '# nothing\n\n',
  empty: '',
}

const YAML_TEXTS: Readonly<Record<string, string>> = {
  'servers with comments': `# my agent
name: Mine   # a name
version: 1.0.0
schema: v1
models:
  - name: "A"
    provider: openai
mcpServers: # the servers
  # first
  - name: files
    command: uvx
    args:
      - mcp-files   # pinned
    env: { KEY: 'v' }
  # after

rules:
  - |
    Keep it short.

    No lists.
`,
  'items at the margin':
    'name: x\nmcpServers:\n- name: a\n  command: b\n- command: c\n  name: d\nprompts: []\n',
  'no servers': 'name: x\nversion: 0.0.1\nschema: v1\n',
  'an empty list': 'name: x\nmcpServers: []  # none\nrules: [a, b]\n',
  'a list on one line': 'mcpServers: [{ name: a, command: b }]\nname: x\n',
  'a name without a value': 'name: x\nmcpServers:\nrules:\n  - a\n',
  'a name without a value at the end': 'name: x\nmcpServers: # soon\n',
  'anchors and aliases':
    'x: &base { provider: openai }\nmodels:\n  - <<: *base\n    name: a\nmcpServers:\n  - name: last\n    command: "c"\n',
  'JSON as YAML': '{ "name": "x", "mcpServers": [] }\n',
  'JSON as YAML without servers': '{ "name": "x" }\n',
  'only comments': '# nothing yet\n',
  empty: '',
}

/** The samples of a format; in JSON the servers are the member `key`. */
export function samplesOf(format: FormatName, key: string): readonly Sample[] {
  const texts: Readonly<Record<string, string>> = {
    json: jsonTexts(key),
    toml: TOML_TEXTS,
    yaml: YAML_TEXTS,
    lines: {},
    whole: {},
  }[format]
  const habits = habitsOf(format)
  return Object.entries(texts).flatMap(([what, text]) =>
    habits.map(([habit, apply]) => ({ name: `${what}; ${habit}`, text: apply(text) })),
  )
}
