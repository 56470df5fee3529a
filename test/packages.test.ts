import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as z from 'zod'
import { releaseOf } from '../scripts/packages/release.ts'
import { loadSkills } from '../scripts/packages/skills.ts'
import { writePackages } from '../scripts/packages/write-packages.ts'
import { openWholeHost } from './harness/whole-host.ts'

const RELEASE = {
  SATCHEL_RELEASE_OWNER: 'example-owner',
  SATCHEL_RELEASE_REPOSITORY: 'https://github.com/example-owner/satchel',
}

// Agent Plugins 1.0.0, plugin.json and mcp.json: closed objects.
const AgentPlugin = z.strictObject({
  $schema: z.literal('https://agent-plugins.org/schemas/1.0.0/plugin.schema.json'),
  name: z
    .string()
    .max(64)
    .regex(/^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/),
  version: z.string(),
  description: z.string(),
  author: z.strictObject({ name: z.string() }),
  homepage: z.string(),
  repository: z.string(),
  license: z.string(),
  keywords: z.array(z.string()),
})
const AgentServers = z.strictObject({
  $schema: z.literal('https://agent-plugins.org/schemas/1.0.0/mcp.schema.json'),
  mcpServers: z.record(
    z.string(),
    z.strictObject({ type: z.literal('stdio'), command: z.string(), args: z.array(z.string()) }),
  ),
})

// The MCP registry's server.json of 2025-12-11, as far as this package uses it.
const RegistryEntry = z.object({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  description: z.string().min(1).max(100),
  repository: z.object({ url: z.url(), source: z.literal('github') }),
  websiteUrl: z.url(),
  version: z.string().regex(/^\d+\.\d+\.\d+/),
  packages: z.array(
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string(),
      version: z.string().regex(/^\d+\.\d+\.\d+/),
      runtimeHint: z.string(),
      transport: z.object({ type: z.literal('stdio') }),
      packageArguments: z.array(z.object({ type: z.literal('positional'), value: z.string() })),
    }),
  ),
})

describe('packages of a release', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-packages-'))
  before(() => writePackages(folder, releaseOf(RELEASE)))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const read = (path: string): unknown => JSON.parse(readFileSync(join(folder, path), 'utf8'))

  test('keep the closed schema of Agent Plugins, which an extra member breaks', () => {
    const manifest = AgentPlugin.parse(read('agent-plugin/plugin.json'))
    AgentServers.parse(read('agent-plugin/mcp.json'))
    assert.throws(() => AgentPlugin.parse({ ...manifest, hooks: './hooks' }))
  })

  test('keep the rules of the MCP registry, whose name the npm package repeats', () => {
    const { name } = RegistryEntry.parse(read('mcp-registry/server.json'))
    assert.equal(name, releaseOf(RELEASE).mcpName)
  })

  test('carry every skill and the same server in each format that has them', () => {
    const skills = loadSkills().map((skill) => skill.name)
    for (const place of ['agent-plugin', 'claude-code/plugins/satchel', 'codex/plugins/satchel', 'gemini']) {
      assert.deepEqual(readdirSync(join(folder, place, 'skills')).sort(), [...skills].sort(), place)
    }
    const server = { satchel: { command: 'satchel', args: ['mcp'] } }
    assert.deepEqual(read('claude-code/plugins/satchel/.mcp.json'), { mcpServers: server })
    assert.deepEqual(read('codex/plugins/satchel/.mcp.json'), { mcpServers: server })
  })

  test('carry the hooks that the setup adds to the same client', () => {
    const events = (place: string) =>
      Object.keys((read(`${place}/hooks/hooks.json`) as { hooks: object }).hooks)
    assert.deepEqual(events('claude-code/plugins/satchel'), [
      'SessionStart',
      'PreCompact',
      'Stop',
      'SessionEnd',
    ])
    assert.deepEqual(events('codex/plugins/satchel'), ['SessionStart', 'PreCompact', 'Stop'])
    assert.deepEqual(events('gemini'), ['SessionStart', 'PreCompress', 'SessionEnd'])
    const { hooks } = read('gemini/hooks/hooks.json') as {
      hooks: Record<string, { matcher?: string }[]>
    }
    assert.equal(hooks['PreCompress']?.[0]?.matcher, 'manual')
  })

  test('leave out what needs an owner or a repository when the release names none', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'satchel-packages-'))
    try {
      const { left_out } = await writePackages(bare, releaseOf({}))
      assert.deepEqual(left_out, ['claude-code', 'mcp-registry', 'mcpb'])
      const manifest = readFileSync(join(bare, 'agent-plugin/plugin.json'), 'utf8')
      assert.doesNotMatch(manifest, /author|repository|homepage/)
    } finally {
      rmSync(bare, { recursive: true, force: true })
    }
  })

  test('refuse a release that names no account or no https address', () => {
    assert.throws(() => releaseOf({ SATCHEL_RELEASE_OWNER: 'two words' }), /not an account name/)
    assert.throws(() => releaseOf({ SATCHEL_RELEASE_REPOSITORY: 'git@host:a/b' }), /not an https address/)
  })
})

describe('skills', () => {
  test('keep the limits of clients: a name that is a folder, 1,024 characters, 500 lines', () => {
    for (const { name, description, text } of loadSkills()) {
      assert.match(name, /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/)
      assert.ok(description.length > 40 && description.length <= 1024, name)
      assert.ok(text.split('\n').length < 500, name)
    }
  })

  test('name only tools and inputs that exist', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-skills-'))
    const host = await openWholeHost(folder)
    try {
      const inputs = new Map(
        host.registry.tools.map(({ tool }) => [tool.name, Object.keys(tool.input.shape as object)]),
      )
      const strays = loadSkills().flatMap(({ text }) => straysIn(text, inputs))
      assert.deepEqual(strays, [])
      assert.deepEqual(straysIn('`handoff_teleport {id}` `handoff_get {ID}`', inputs), [
        'handoff_teleport',
        'handoff_get ID',
      ])
    } finally {
      await host.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

/** Calls in a skill, `` `tool {input, input: value}` ``, that name no tool or no input of it. */
function straysIn(text: string, inputs: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const calls = text.matchAll(
    /`((?:handoff|workspace)_\w+|\w+_modules?\w*|module_\w+|list_\w+)(?: \{([^}`]*)\})?`/g,
  )
  return [...calls].flatMap(([, tool = '', args = '']) => {
    const known = inputs.get(tool)
    if (known === undefined) return tool.endsWith('_not_found') ? [] : [tool]
    const named = args.split(',').map((arg) => arg.split(':')[0]?.replace('?', '').trim() ?? '')
    return named.filter((arg) => arg !== '' && !known.includes(arg)).map((arg) => `${tool} ${arg}`)
  })
}
