/**
 * Checks the import rules, and that they bite: dependency-cruiser passes in silence when its parser is missing or a path
 * is wrong, so every source file must be among its modules, and a tree that breaks each rule must be refused by name.
 * The lint rule that keeps file writes and processes in server/platform is checked likewise.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { faultsOfPlatformRule, PLANTED_USES } from './platform-rule.ts'

const CONFIG = resolve('.dependency-cruiser.cjs')
const CLI = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
const FIXTURE = resolve('reports/layers')
const SOURCES: readonly string[] = ['server', 'plugins', 'lab']

const rules: readonly { readonly name: string }[] = createRequire(import.meta.url)(CONFIG).forbidden
const layers = rules.flatMap(({ name }) => /^modules-layer-(.+)$/.exec(name)?.[1] ?? [])
const roomLayers = rules.flatMap(({ name }) => /^workspace-layer-(.+)$/.exec(name)?.[1] ?? [])
const handoffFolders = rules.flatMap(({ name }) => /^handoff-folder-(.+)$/.exec(name)?.[1] ?? [])

/** A tree in which every rule is broken at least once. */
const BROKEN: Readonly<Record<string, string>> = {
  // Each layer of plugins/modules imports the one above it, the last the files beside index.ts.
  ...Object.fromEntries(
    layers.map((layer, at) => {
      const above = layers[at + 1]
      const imported = above === undefined ? '../doctor.ts' : `../${above}/noun.ts`
      return [`plugins/modules/${layer}/noun.ts`, `import '${imported}'\n`]
    }),
  ),
  ...Object.fromEntries(
    roomLayers.map((layer, at) => {
      const above = roomLayers[at + 1] ?? 'commands'
      return [`plugins/workspace/${layer}/noun.ts`, `import '../${above}/noun.ts'\n`]
    }),
  ),
  'plugins/workspace/commands/noun.ts': '',
  'plugins/workspace/unlisted/noun.ts': "import '../commands/noun.ts'\n",
  'plugins/modules/doctor.ts': '',
  'plugins/modules/reasons.ts': "import './domain/noun.ts'\n",
  'plugins/modules/unlisted/noun.ts': "import '../doctor.ts'\n",
  ...Object.fromEntries(
    handoffFolders.map((folder) => [`plugins/handoff/${folder}/noun.ts`, "import '../hooks.ts'\n"]),
  ),
  'plugins/handoff/hooks.ts': '',
  'plugins/handoff/project.ts': "import './tools/noun.ts'\n",
  'plugins/handoff/domain/noun.ts': "import './checks/noun.ts'\n",
  'plugins/handoff/domain/checks/noun.ts': '',
  'plugins/handoff/unlisted/noun.ts': "import '../hooks.ts'\n",
  'plugins/a/index.ts':
    "import '../b/index.ts'\nimport '../../server/host.ts'\nimport 'hono'\nimport 'commander'\n",
  'plugins/a/domain/record.ts': "import '../store.ts'\nimport 'zod'\nimport 'node:net'\n",
  'plugins/a/store.ts': "import 'vectra'\nimport './heavy.lazy.ts'\n",
  'plugins/a/heavy.lazy.ts': 'export const heavy = 1\n',
  'plugins/b/index.ts':
    "import '../../lab/verbs.ts'\nimport '@modelcontextprotocol/server'\nimport './missing.ts'\n",
  'server/host.ts': "import '../plugins/a/index.ts'\n",
  'server/contract/tool.ts': "import '../host.ts'\n",
  'server/platform/disk.ts': "import '../host.ts'\n",
  'server/mcp/server.ts': "import '../http/app.ts'\n",
  'server/http/app.ts': "import './ring.ts'\n",
  'server/http/ring.ts': "import './app.ts'\n",
  'lab/verbs.ts': 'export const LAB_VERBS = []\n',
  'generated/record.ts': "import '../server/host.ts'\n",
}

interface Violation {
  readonly from: string
  readonly to: string
  readonly rule: { readonly name: string }
}

interface Cruise {
  readonly modules: readonly { readonly source: string }[]
  readonly summary: { readonly violations: readonly Violation[] }
}

function cruise(cwd: string, folders: readonly string[]): Cruise {
  const run = spawnSync(process.execPath, [CLI, ...folders, '--config', CONFIG, '--output-type', 'json'], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  return JSON.parse(run.stdout) as Cruise // the tool's own output format
}

function sourceFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...SOURCES], {
    encoding: 'utf8',
  })
  return listed
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|\/(testdata|testing)\//.test(path))
}

const sources = cruise(
  '.',
  readdirSync('.').filter((name) => SOURCES.includes(name)),
)
const broken = sources.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)
if (broken.length > 0) throw new Error(`These imports are against the rules:\n${broken.join('\n')}`)
const seen = new Set(sources.modules.map((module) => module.source))
const unseen = sourceFiles().filter((path) => !seen.has(path))
if (unseen.length > 0 || seen.size === 0)
  throw new Error(`The import rules do not see: ${unseen.join(', ') || 'anything'}`)

rmSync(FIXTURE, { recursive: true, force: true })
for (const [path, text] of Object.entries(BROKEN)) {
  mkdirSync(dirname(join(FIXTURE, path)), { recursive: true })
  writeFileSync(join(FIXTURE, path), text)
}
const found = new Set(
  cruise(FIXTURE, [...SOURCES, 'generated']).summary.violations.map(({ rule }) => rule.name),
)
const toothless = rules.map(({ name }) => name).filter((name) => !found.has(name))
rmSync(FIXTURE, { recursive: true })
if (toothless.length > 0) throw new Error(`These import rules refuse nothing: ${toothless.join(', ')}`)
const faults = faultsOfPlatformRule()
if (faults.length > 0) throw new Error(`The lint rule on files and processes is wrong:\n${faults.join('\n')}`)
console.log(
  `import rules: ${seen.size} modules seen, ${rules.length} rules bite; ${PLANTED_USES} uses of files and processes refused`,
)
