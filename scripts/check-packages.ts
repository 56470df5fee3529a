/**
 * Lets the programs that read satchel's packages judge them: `npm run packages:check`, after `npm run build`. Installs
 * Claude Code, Codex, Gemini CLI and the packer of MCP bundles from npm into a cache, and each package into an empty home.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { claudeCode } from '../test/harnesses/clients/claude-code.ts'
import { codex } from '../test/harnesses/clients/codex.ts'
import { geminiCli } from '../test/harnesses/clients/gemini-cli.ts'
import type { Harness } from '../test/harnesses/harness.ts'
import { installPackage } from '../test/harnesses/installation.ts'
import { packBundle, packNpm, runPacker } from './packages/bundles.ts'
import { releaseOf } from './packages/release.ts'
import { loadSkills } from './packages/skills.ts'
import { writePackages } from './packages/write-packages.ts'

const STEP_LIMIT_MS = 120_000
/** Gemini CLI asks a person whether it may trust a folder, unless it is told not to. */
const GEMINI_SETTINGS = {
  security: { folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
}
const RELEASE = {
  SATCHEL_RELEASE_OWNER: 'example-owner',
  SATCHEL_RELEASE_REPOSITORY: 'https://github.com/example-owner/satchel',
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'satchel-packages-')))
const packages = join(folder, 'packages')
const release = releaseOf(RELEASE)
const skills = loadSkills().map(({ name }) => name)
try {
  await writePackages(packages, release)
  await checkClaudeCode()
  await checkCodex()
  await checkGemini()
  await checkBundle()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function checkClaudeCode(): Promise<void> {
  const run = await commandOf(claudeCode, 'cli-wrapper.cjs')
  const root = join(packages, 'claude-code')
  run('plugin', 'validate', '--strict', root)
  run('plugin', 'validate', '--strict', join(root, 'plugins', release.name))
  run('plugin', 'marketplace', 'add', root)
  run('plugin', 'install', `${release.name}@${release.name}`)
  names(run('plugin', 'details', release.name), skills, 'Claude Code lists the skills of the plugin')
  run('plugin', 'uninstall', release.name)
  lacks(run('plugin', 'list'), release.name, 'Claude Code removes the plugin')
}

async function checkCodex(): Promise<void> {
  const run = await commandOf(codex, 'bin/codex.js')
  run('plugin', 'marketplace', 'add', join(packages, 'codex'))
  run('plugin', 'add', `${release.name}@${release.name}`)
  names(run('plugin', 'list'), [release.name], 'Codex lists the plugin')
  names(run('mcp', 'list'), [release.name], 'Codex lists the server of the plugin')
  run('plugin', 'remove', `${release.name}@${release.name}`)
}

async function checkGemini(): Promise<void> {
  const run = await commandOf(geminiCli, 'bundle/gemini.js', {
    '.gemini/settings.json': JSON.stringify(GEMINI_SETTINGS),
  })
  const extension = join(packages, 'gemini')
  run('extensions', 'validate', extension)
  run('extensions', 'install', '--consent', '--skip-settings', extension)
  names(run('extensions', 'list'), [release.name], 'Gemini CLI lists the extension')
  names(run('skills', 'list'), skills, 'Gemini CLI lists the skills of the extension')
  run('extensions', 'uninstall', release.name)
  lacks(run('extensions', 'list'), `${release.name} (`, 'Gemini CLI removes the extension')
}

/** Packs the bundle, and starts its program as a client does that unpacked it. */
async function checkBundle(): Promise<void> {
  await runPacker(['validate', join(packages, 'mcpb', 'manifest.json')])
  const made = await packBundle(join(packages, 'mcpb'), packNpm(join(packages, 'npm'), release), release)
  const unpacked = join(folder, 'unpacked')
  await runPacker(['unpack', made, unpacked])
  const program = join(unpacked, 'server', 'node_modules', release.name, 'dist', 'satchel.js')
  const client = new Client({ name: 'packages-check', version: '1' })
  const env = { ...(process.env as Record<string, string>), SATCHEL_PROJECT: folder }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }))
  const { tools } = await client.listTools()
  await client.close()
  if (tools.length === 0) throw new Error('The unpacked bundle serves no tool.')
  console.log(`MCP bundle: ${tools.length} tools from the unpacked program`)
}

/** Runs a program of npm in an empty home of its own. Errors: its exit code is not 0; the message ends with what it printed. */
async function commandOf(
  { name, package: source, version }: Harness,
  program: string,
  files: Readonly<Record<string, string>> = {},
) {
  const installed = await installPackage(source, version)
  const home = join(folder, name.replace(' ', '-'))
  const project = join(home, 'project')
  mkdirSync(project, { recursive: true })
  const env = {
    ...process.env,
    ...{ HOME: home, USERPROFILE: home, CODEX_HOME: join(home, '.codex'), GEMINI_API_KEY: 'none' },
    ...{ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', NO_COLOR: '1', CI: 'true' },
    GEMINI_CLI_NO_RELAUNCH: 'true', // one process, which the time limit ends
  }
  mkdirSync(env.CODEX_HOME, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const path = resolve(installed, 'node_modules', source, program)
  return (...words: readonly string[]): string => {
    const printed = execFileSync('sh', ['-c', 'exec "$@" 2>&1', 'sh', process.execPath, path, ...words], {
      ...{ cwd: project, env, encoding: 'utf8', timeout: STEP_LIMIT_MS, killSignal: 'SIGKILL' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    console.log(`${name}: ${words.slice(0, 2).join(' ')}`)
    return printed
  }
}

function names(printed: string, wanted: readonly string[], claim: string): void {
  const missing = wanted.filter((word) => !printed.includes(word))
  if (missing.length > 0) throw new Error(`Not true: ${claim}. Missing ${missing.join(', ')} in:\n${printed}`)
}

function lacks(printed: string, word: string, claim: string): void {
  if (printed.includes(word)) throw new Error(`Not true: ${claim}. It printed:\n${printed}`)
}
