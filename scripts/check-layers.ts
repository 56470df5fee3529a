/**
 * Proves that the import rules bite. dependency-cruiser passes in silence when its parser is missing or a path is wrong,
 * so this checks that every source file is among its modules and that a tree which breaks each rule is refused by name.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const CONFIG = resolve('.dependency-cruiser.cjs')
const CLI = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs')
const FIXTURE = resolve('reports/layers')

const rules: readonly { readonly name: string }[] = createRequire(import.meta.url)(CONFIG).forbidden
const layers = rules.flatMap(({ name }) => /^modules-layer-(.+)$/.exec(name)?.[1] ?? [])

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
  'plugins/modules/doctor.ts': '',
  'plugins/modules/reasons.ts': "import './domain/noun.ts'\n",
  'plugins/modules/unlisted/noun.ts': "import '../doctor.ts'\n",
  'plugins/a/index.ts':
    "import '../b/index.ts'\nimport '../../server/host.ts'\nimport 'hono'\nimport 'commander'\n",
  'plugins/a/domain/record.ts': "import '../store.ts'\nimport 'zod'\nimport 'node:net'\n",
  'plugins/a/store.ts': "import 'vectra'\nimport './heavy.lazy.ts'\n",
  'plugins/a/heavy.lazy.ts': 'export const heavy = 1\n',
  'plugins/b/index.ts': "import '@modelcontextprotocol/server'\nimport './missing.ts'\n",
  'server/host.ts': "import '../plugins/a/index.ts'\n",
  'server/contract/tool.ts': "import '../host.ts'\n",
  'server/platform/disk.ts': "import '../host.ts'\n",
  'server/mcp/server.ts': "import '../http/app.ts'\n",
  'server/http/app.ts': "import './ring.ts'\n",
  'server/http/ring.ts': "import './app.ts'\n",
  'generated/record.ts': "import '../server/host.ts'\n",
}

interface Cruise {
  readonly modules: readonly { readonly source: string }[]
  readonly summary: { readonly violations: readonly { readonly rule: { readonly name: string } }[] }
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
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'server', 'plugins'], {
    encoding: 'utf8',
  })
  return listed
    .split('\n')
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|\/(testdata|testing)\//.test(path))
}

const seen = new Set(
  cruise(
    '.',
    readdirSync('.').filter((name) => /^(server|plugins)$/.test(name)),
  ).modules.map((module) => module.source),
)
const unseen = sourceFiles().filter((path) => !seen.has(path))
if (unseen.length > 0 || seen.size === 0)
  throw new Error(`The import rules do not see: ${unseen.join(', ') || 'anything'}`)

rmSync(FIXTURE, { recursive: true, force: true })
for (const [path, text] of Object.entries(BROKEN)) {
  mkdirSync(dirname(join(FIXTURE, path)), { recursive: true })
  writeFileSync(join(FIXTURE, path), text)
}
const found = new Set(
  cruise(FIXTURE, ['server', 'plugins', 'generated']).summary.violations.map(({ rule }) => rule.name),
)
const toothless = rules.map(({ name }) => name).filter((name) => !found.has(name))
rmSync(FIXTURE, { recursive: true })
if (toothless.length > 0) throw new Error(`These import rules refuse nothing: ${toothless.join(', ')}`)
console.log(`import rules: ${seen.size} modules seen, ${rules.length} rules bite`)
