import { hooksOf } from './hooks.ts'
import type { Release } from './release.ts'
import type { Skill } from './skills.ts'

/** A tool as catalogues of MCP servers list it. */
export interface ListedTool {
  readonly name: string
  readonly description: string
}

export interface PackageFacts {
  readonly release: Release
  readonly skills: readonly Skill[]
  readonly tools: readonly ListedTool[]
}

/** The files of one package, by path inside its folder. */
export type PackageFiles = Readonly<Record<string, string>>

const SERVER = { command: 'satchel', args: ['mcp'] } as const
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const AGENT_PLUGINS = 'https://agent-plugins.org/schemas/1.0.0'
/** The registry's limit, in characters. */
const REGISTRY_DESCRIPTION_MAX = 100

/** A marketplace of Claude Code with one plugin. Needs an owner. */
export function claudeCodeMarketplace(facts: PackageFacts): PackageFiles | undefined {
  const { name, version, description, owner } = facts.release
  if (owner === undefined) return undefined
  const marketplace = {
    name,
    owner: { name: owner },
    metadata: { description, version },
    plugins: [{ name, source: `./plugins/${name}`, description, version, category: 'development' }],
  }
  return {
    '.claude-plugin/marketplace.json': json(marketplace),
    ...under(`plugins/${name}`, {
      '.claude-plugin/plugin.json': json(pluginManifest(facts)),
      '.mcp.json': json({ mcpServers: { [name]: SERVER } }),
      'hooks/hooks.json': json(hooksOf('claude-code')),
      ...skillFiles(facts),
    }),
  }
}

/** A marketplace of Codex with one plugin. */
export function codexMarketplace(facts: PackageFacts): PackageFiles {
  const { name, description } = facts.release
  const plugin = {
    name,
    source: { source: 'local', path: `./plugins/${name}` },
    policy: { installation: 'AVAILABLE', authentication: 'ON_INSTALL' },
    category: 'Productivity',
  }
  const manifest = {
    ...pluginManifest(facts),
    skills: './skills/',
    mcpServers: './.mcp.json',
    hooks: './hooks/hooks.json',
    interface: { displayName: name, shortDescription: description, category: 'Productivity' },
  }
  return {
    '.agents/plugins/marketplace.json': json({ name, interface: { displayName: name }, plugins: [plugin] }),
    ...under(`plugins/${name}`, {
      '.codex-plugin/plugin.json': json(manifest),
      'hooks/hooks.json': json(hooksOf('codex')),
      '.mcp.json': json({ mcpServers: { [name]: SERVER } }),
      ...skillFiles(facts),
    }),
  }
}

/** An extension of Gemini CLI. */
export function geminiExtension(facts: PackageFacts): PackageFiles {
  const { name, version, description } = facts.release
  return {
    'gemini-extension.json': json({ name, version, description, mcpServers: { [name]: SERVER } }),
    'hooks/hooks.json': json(hooksOf('gemini-cli')),
    ...skillFiles(facts),
  }
}

/** A plugin of Agent Plugins 1.0. */
export function agentPlugin(facts: PackageFacts): PackageFiles {
  return {
    'plugin.json': json({ $schema: `${AGENT_PLUGINS}/plugin.schema.json`, ...pluginManifest(facts) }),
    'mcp.json': json({
      $schema: `${AGENT_PLUGINS}/mcp.schema.json`,
      mcpServers: { [facts.release.name]: { type: 'stdio', ...SERVER } },
    }),
    ...skillFiles(facts),
  }
}

/** `server.json` of the MCP registry. Needs an owner and a repository. */
export function registryEntry({ release }: PackageFacts): PackageFiles | undefined {
  const { name, version, mcpName, repository, homepage } = release
  if (mcpName === undefined || repository === undefined) return undefined
  const entry = {
    $schema: REGISTRY_SCHEMA,
    name: mcpName,
    description: shortDescription(release),
    repository: { url: repository, source: new URL(repository).hostname.replace(/\.com$/, '') },
    ...(homepage === undefined ? {} : { websiteUrl: homepage }),
    version,
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
      },
    ],
  }
  return { 'server.json': json(entry) }
}

/** The manifest of an MCP bundle whose program lies in `server/`. Needs an owner. */
export function bundleManifest({ release, tools }: PackageFacts): PackageFiles | undefined {
  const { name, version, description, license, keywords, owner, repository, homepage } = release
  if (owner === undefined) return undefined
  const program = `server/node_modules/${name}/dist/satchel.js`
  const manifest = {
    manifest_version: '0.3',
    ...{ name, display_name: name, version, description },
    author: { name: owner },
    ...(repository === undefined ? {} : { repository: { type: 'git', url: repository } }),
    ...(homepage === undefined ? {} : { homepage }),
    server: {
      type: 'node',
      entry_point: program,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${program}`, 'mcp'],
        env: { SATCHEL_PROJECT: `\${user_config.project}` },
      },
    },
    user_config: {
      project: {
        type: 'directory',
        title: 'Project folder',
        description: 'The folder whose handoffs and modules satchel serves.',
        required: true,
      },
    },
    tools: tools.map(({ name, description }) => ({ name, description })),
    ...{ keywords, license },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: '>=20.19' } },
  }
  return { 'manifest.json': json(manifest) }
}

/** Addresses that install the server into Cursor and VS Code when they are opened. */
export function installLinks({ release: { name } }: PackageFacts): PackageFiles {
  const cursor = new URLSearchParams({ name, config: Buffer.from(JSON.stringify(SERVER)).toString('base64') })
  const code = encodeURIComponent(JSON.stringify({ name, type: 'stdio', ...SERVER }))
  return {
    'links.json': json({
      cursor: `cursor://anysphere.cursor-deeplink/mcp/install?${cursor}`,
      vscode: `vscode:mcp/install?${code}`,
    }),
  }
}

/** The members that the npm package takes from the release. */
export function npmMembers({ mcpName, repository, homepage }: Release): Readonly<Record<string, unknown>> {
  return {
    ...(mcpName === undefined ? {} : { mcpName }),
    ...(homepage === undefined ? {} : { homepage }),
    ...(repository === undefined
      ? {}
      : { repository: { type: 'git', url: `git+${repository}.git` }, bugs: { url: `${repository}/issues` } }),
  }
}

function pluginManifest({ release }: PackageFacts) {
  const { name, version, description, license, keywords, owner, repository, homepage } = release
  return {
    ...{ name, version, description },
    ...(owner === undefined ? {} : { author: { name: owner } }),
    ...(homepage === undefined ? {} : { homepage }),
    ...(repository === undefined ? {} : { repository }),
    ...{ license, keywords },
  }
}

function shortDescription({ description }: Release): string {
  const [first = ''] = description.split(/(?<=[.:]) /)
  return first.replace(/[.:]$/, '').slice(0, REGISTRY_DESCRIPTION_MAX)
}

function skillFiles({ skills }: PackageFacts): PackageFiles {
  return Object.fromEntries(skills.map(({ name, text }) => [`skills/${name}/SKILL.md`, text]))
}

function under(folder: string, files: PackageFiles): PackageFiles {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
