import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Scope } from './clients.ts'
import { switchedOffBy } from './switches.ts'
import { clientsNamed } from './targets.ts'
import { openHome, write } from './testing/home.ts'

const NAMED = ['other', 'satchel']

test('what a client does not start is told by the file that says so', async (t) => {
  const { home, at } = await openHome(t)
  const project = 'work/my project'
  const by = async (name: string, scope: Scope) => {
    const [client] = clientsNamed([name])
    return client && switchedOffBy({ client, scope }, at)
  }
  type Case = readonly [client: string, scope: Scope, files: Readonly<Record<string, unknown>>, told?: RegExp]
  const inState = (value: object) => ({ '.claude.json': { projects: { [at.projectRoot]: value } } })
  const refused = { disabledMcpjsonServers: NAMED }
  const told = /^"disabledMcpjsonServers" in .*settings\.local\.json names it$/
  const cases: readonly Case[] = [
    ['claude-code', 'project', { [`${project}/.claude/settings.local.json`]: refused }, told],
    ['claude-code', 'project', { [`${project}/.claude/settings.json`]: refused }, /settings\.json names it/],
    ['claude-code', 'project', { '.claude/settings.json': refused }, /~\/\.claude\/settings\.json names it/],
    ['claude-code', 'project', inState(refused), /~\/\.claude\.json names it/],
    ['claude-code', 'user', inState(refused)],
    ['claude-code', 'project', inState({ disabledMcpjsonServers: [{ toString: 1 }, null, ['satchel']] })],
    [
      'claude-code',
      'user',
      inState({ disabledMcpServers: NAMED }),
      /disabledMcpServers" in ~\/\.claude\.json/,
    ],
    ['claude-code', 'user', inState({ disabledMcpServers: ['other'] })],
    ['claude-code', 'user', { '.claude.json': { projects: { '/other': { disabledMcpServers: NAMED } } } }],
    [
      'gemini-cli',
      'project',
      { '.gemini/settings.json': { mcp: { excluded: ['Satchel'] } } },
      /excluded" in ~/,
    ],
    [
      'gemini-cli',
      'user',
      { '.gemini/settings.json': { mcp: { allowed: ['other'] } } },
      /names only others$/,
    ],
    ['gemini-cli', 'user', { '.gemini/settings.json': { mcp: { allowed: NAMED } } }],
    ['gemini-cli', 'user', { '.gemini/settings.json': { mcp: { allowed: [] } } }],
    [
      'gemini-cli',
      'user',
      {
        '.gemini/settings.json': { mcp: { allowed: ['other'] } },
        [`${project}/.gemini/settings.json`]: { mcp: { allowed: NAMED } },
      },
    ],
    [
      'gemini-cli',
      'user',
      { '.gemini/mcp-server-enablement.json': { satchel: { enabled: false } } },
      /^"satchel\.enabled" in ~\/\.gemini\/mcp-server-enablement\.json is false$/,
    ],
    ['qwen-code', 'user', { [`${project}/.qwen/settings.json`]: { mcp: { excluded: NAMED } } }, /names it/],
    ['vscode', 'user', { '.config/Code/User/settings.json': { 'chat.mcp.access': 'none' } }, /is "none"$/],
    ['vscode', 'user', { '.config/Code/User/settings.json': { 'chat.mcp.access': 'all' } }],
    ['codex', 'user', {}],
  ]

  for (const [client, scope, files, wanted] of cases) {
    const paths = Object.entries(files).map(([path, value]) => {
      write(join(home, path), JSON.stringify(value))
      return join(home, path)
    })
    const found = await by(client, scope)
    const at = `${client} ${scope} ${JSON.stringify(files)}`
    if (wanted) assert.match(found ?? 'nothing', wanted, at)
    else assert.equal(found, undefined, at)
    for (const path of paths) rmSync(path)
  }
  write(join(home, '.claude/settings.json'), '{ "disabledMcpjsonServers": ["satchel"')
  assert.equal(await by('claude-code', 'project'), undefined)
})

test('a check tells a server that its client switched off in another file, and does not start it', async (t) => {
  const { at, run } = await openHome(t)
  await run('claude-code', '--scope', 'project')
  write(join(at.projectRoot, '.claude/settings.local.json'), '{ "disabledMcpjsonServers": ["satchel"] }')

  const { code, out } = await run('claude-code', '--check')

  assert.equal(code, 3)
  assert.match(
    out,
    /Claude Code \(project\): disabled: "disabledMcpjsonServers" in .*settings\.local\.json names it\. Take/,
  )
})
