import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import tsup from '../tsup.config.ts'
import { FROM_SOURCES } from './from-sources.ts'
import { matchesSnapshot, temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const BIN = {
  tsc: 'node_modules/typescript/bin/tsc',
  biome: 'node_modules/@biomejs/biome/bin/biome',
  knip: 'node_modules/knip/bin/knip.js',
  depcruise: 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  tsup: 'node_modules/tsup/dist/cli-default.js',
} as const

interface Ended {
  readonly code: number | null
  readonly text: string
}

/** A repository with these files, the packages of this one and nothing else. */
interface Sandbox {
  readonly folder: string
  write(files: Readonly<Record<string, string>>): void
  /** Brings files of this repository in, at their own places. */
  copy(...paths: string[]): void
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Ended
  /** Runs a script of this repository as npm would. */
  script(path: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Ended
}

async function openSandbox(t: TestContext, files: Readonly<Record<string, string>>): Promise<Sandbox> {
  const folder = await temporaryFolder(t, 'satchel-gate-')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const { NODE_TEST_CONTEXT: _, UPDATE: __, ...inherited } = process.env
  const environment = { ...inherited, NODE_V8_COVERAGE: '' } // no report counts a sandbox; Node would fill it in
  const sandbox: Sandbox = {
    folder,
    write(more) {
      for (const [path, text] of Object.entries(more)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), text)
      }
    },
    copy(...paths) {
      for (const path of paths) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        copyFileSync(join(ROOT, path), join(folder, path))
      }
    },
    run(program, args, env = {}) {
      const ran = spawnSync(program, args, { cwd: folder, env: { ...environment, ...env }, encoding: 'utf8' })
      return { code: ran.status, text: `${ran.stdout}${ran.stderr}` }
    },
    script: (path, args = [], env = {}) =>
      sandbox.run(process.execPath, [...FROM_SOURCES, join(ROOT, path), ...args], env),
  }
  sandbox.write(files)
  return sandbox
}

const TESTS: Readonly<Record<string, string>> = {
  'passes/a.test.ts': "import { test } from 'node:test'\ntest('holds', () => {})\n",
  'fails/a.test.ts': "import { test } from 'node:test'\ntest('holds not', () => { throw new Error('no') })\n",
  'throws/a.test.ts': "throw new Error('before any test')\n",
  'rejects/a.test.ts':
    "import { test } from 'node:test'\ntest('holds', () => {})\nsetTimeout(() => Promise.reject(new Error('late')), 10)\n",
  'rejectsLater/a.test.ts':
    "import { test } from 'node:test'\ntest('holds', () => void setTimeout(() => Promise.reject(new Error('late')), 10))\n",
  'endless/a.test.ts':
    "import { test } from 'node:test'\ntest('never ends', () => new Promise((resolve) => setInterval(resolve, 2 ** 30)))\n",
  'leaves/a.test.ts': [
    "import { spawn } from 'node:child_process'",
    "import { test } from 'node:test'",
    "test('leaves a process that holds its output', () => spawn('sleep', ['600'], { stdio: 'inherit' }).unref())",
  ].join('\n'),
  'empty/a.ts': '',
}

test('the runner fails for a failing test, a throw, a late rejection, a test that never ends, and no test at all', async (t) => {
  const sandbox = await openSandbox(t, TESTS)

  assert.equal(sandbox.script('scripts/test.ts', ['passes']).code, 0)
  assert.equal(sandbox.script('scripts/test.ts', ['leaves']).code, 0)
  for (const folder of ['fails', 'throws', 'rejects', 'rejectsLater', 'empty', 'renamed']) {
    assert.notEqual(sandbox.script('scripts/test.ts', [folder]).code, 0, folder)
  }
  assert.notEqual(sandbox.script('scripts/test.ts', ['endless'], { TEST_TIMEOUT_MS: '1000' }).code, 0)
  assert.notEqual(sandbox.script('scripts/test.ts').code, 0, 'the folders of the tests are not there')
})

test('neighbours share a process, and what changes or measures its process has one of its own', async (t) => {
  const told = (line = '') =>
    `import { test } from 'node:test'\nconst { pid } = process\n${line}\ntest('is told', () => console.log('from', import.meta.filename, pid))\n`
  const sandbox = await openSandbox(t, {
    'server/a.test.ts': told(),
    'server/deeper/b.test.ts': told("String(process.env['PATH'])"),
    'server/changes.test.ts': told("process.env['A'] = 'b'"),
    'server/defaults.test.ts': told("process.env.A ??= 'b'"),
    'server/listens.test.ts': told("process.once('exit', () => {})"),
    'server/times.test.ts': told('performance.now()'),
    'plugins/p/a.test.ts': told(),
    'plugins/p/b.test.ts': told(),
    'plugins/q/a.test.ts': told(),
    'test/a.test.ts': told(),
    'test/b.test.ts': told(),
    'test/page-a.test.ts': told("import './workspace-page.ts'"),
    'test/page-b.test.ts': told("import './workspace-page.ts'"),
    'test/workspace-page.ts': '',
  })

  const ended = sandbox.script('scripts/test.ts')

  assert.equal(ended.code, 0, ended.text)
  const files = new Map<string, string[]>()
  for (const [, file = '', pid = ''] of ended.text.matchAll(/^from (\S+) (\d+)$/gm))
    files.set(pid, [...(files.get(pid) ?? []), relative(sandbox.folder, file)])
  assert.deepEqual([...files.values()].map((group) => group.toSorted().join(' ')).toSorted(), [
    'plugins/p/a.test.ts plugins/p/b.test.ts',
    'plugins/q/a.test.ts',
    'server/a.test.ts server/deeper/b.test.ts',
    'server/changes.test.ts',
    'server/defaults.test.ts',
    'server/listens.test.ts',
    'server/times.test.ts',
    'test/a.test.ts',
    'test/b.test.ts',
    'test/page-a.test.ts test/page-b.test.ts',
  ])
})

test('a group of test files fails with each of its files, and names it', async (t) => {
  for (const kind of ['fails', 'throws', 'rejects', 'rejectsLater']) {
    const sandbox = await openSandbox(t, {
      'server/bad.test.ts': TESTS[`${kind}/a.test.ts`] ?? '',
      'server/good.test.ts':
        "import { test } from 'node:test'\ntest('waits', () => new Promise((resolve) => setTimeout(resolve, 40)))\n",
    })

    const ended = sandbox.script('scripts/test.ts')

    assert.notEqual(ended.code, 0, kind)
    assert.match(ended.text, /server\/bad\.test\.ts/, kind)
  }
})

test('the closing counts fail for a report with a failure, without a test, and for none', async (t) => {
  const one = '<testcase name="a"/>'
  const sandbox = await openSandbox(t, {
    'green.xml': one,
    'red.xml': `${one}<testcase name="b"><failure/></testcase>`,
    'empty.xml': '<testsuites/>',
  })

  assert.match(sandbox.script('scripts/counts.ts', ['green.xml']).text, /^1 passed, 0 failed, 0 skipped$/m)
  for (const report of ['red.xml', 'empty.xml', 'none.xml'])
    assert.notEqual(sandbox.script('scripts/counts.ts', [report]).code, 0, report)
})

test('.ci/run fails when the check, the measurements or the report do', async (t) => {
  const sandbox = await openSandbox(t, {
    'tools/npm': '#!/bin/sh\n[ "$1" = ci ] || exit "$CHECK"\n',
    'tools/git': '#!/bin/sh\n',
    'tools/chromium': '#!/bin/sh\n',
    'dist/satchel.js': "process.exit(Number(process.env['BENCH']))\n",
  })
  sandbox.copy(
    '.ci/run',
    ...['counts.ts', 'typescript.mjs', 'typescript-hooks.mjs'].map((name) => `scripts/${name}`),
  )
  for (const path of ['.ci/run', 'tools/npm', 'tools/git', 'tools/chromium'])
    chmodSync(join(sandbox.folder, path), 0o755)
  const gate = (CHECK: string, BENCH: string, outcome: string): number | null => {
    sandbox.write({ 'reports/junit.xml': `<testcase name="a">${outcome}</testcase>` })
    const PATH = `${join(sandbox.folder, 'tools')}:${process.env['PATH']}`
    return sandbox.run(join(sandbox.folder, '.ci/run'), [], { PATH, CHECK, BENCH }).code
  }

  assert.equal(gate('0', '0', ''), 0)
  assert.notEqual(gate('1', '0', ''), 0)
  assert.notEqual(gate('0', '3', ''), 0)
  assert.notEqual(gate('0', '0', '<failure/>'), 0)
  assert.deepEqual(
    scripts['check']?.split(' && ').map((part) => part.replace('npm run ', '')),
    ['lint', 'types', 'layers', 'unused', 'drift', 'coverage', 'proofs', 'conformance', 'pack:check'],
  )
})

test('while tests are counted, of the processes that they start only those that run sources are', async (t) => {
  const sandbox = await openSandbox(t, {
    'starts.mjs': [
      "import { execFileSync, execSync, spawn, spawnSync } from 'node:child_process'",
      'const { execPath, env } = process',
      "execFileSync(execPath, ['-e', '0'])",
      "spawnSync(execPath, ['-e', '0'], { env: { ...env } })",
      "execSync('node -e 0')",
      "spawn(execPath, ['-e', '0'])",
      "execFileSync(execPath, ['--import', 'data:text/javascript,', '-e', '0'])",
      `execFileSync(execPath, ${JSON.stringify([...FROM_SOURCES, '-e', '0'])})`,
      `spawn(execPath, ${JSON.stringify([...FROM_SOURCES, '-e', '0'])})`,
    ].join('\n'),
  })
  const counts = join(sandbox.folder, 'counts')
  const preloaded = pathToFileURL(join(ROOT, 'test/fixtures/sources-covered.mjs')).href

  const ended = sandbox.run(process.execPath, ['--import', preloaded, 'starts.mjs'], {
    NODE_V8_COVERAGE: counts,
  })

  assert.equal(ended.code, 0, ended.text)
  const processes = new Set(readdirSync(counts).map((name) => name.split('-')[1]))
  assert.equal(processes.size, 3, 'its own and the two that run sources')
})

test('while tests are counted, of the test files only those beside the code are', async (t) => {
  const passes = "import { test } from 'node:test'\ntest('holds', () => {})\n"
  const sandbox = await openSandbox(t, { 'server/a.test.ts': passes, 'test/b.test.ts': passes })
  const counts = join(sandbox.folder, 'counts')

  const ended = sandbox.script('scripts/test.ts', [], { NODE_V8_COVERAGE: counts })

  assert.equal(ended.code, 0, ended.text)
  const counted = readdirSync(counts).map((name) => readFileSync(join(counts, name), 'utf8'))
  assert.ok(counted.some((text) => text.includes('/server/a.test.ts"')))
  assert.ok(!counted.some((text) => text.includes('/test/b.test.ts"')))
})

test('types refuse a type error, and what is not plain type syntax', async (t) => {
  const wrong: Readonly<Record<string, string>> = {
    TS2322: "export const count: number = 'three'\n",
    TS2532: 'export const first = (names: string[]) => names[0].length\n',
    TS1294: 'export enum Colour { Red }\n',
  }
  const sandbox = await openSandbox(t, {
    'tsconfig.json': JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] }),
    'package.json': '{ "type": "module" }',
    'right.ts': 'export const count: number = 3\n',
  })

  assert.deepEqual(sandbox.run(process.execPath, [BIN.tsc, '-p', '.']), { code: 0, text: '' })
  for (const [code, text] of Object.entries(wrong)) {
    sandbox.write({ 'wrong.ts': text })
    const ended = sandbox.run(process.execPath, [BIN.tsc, '-p', '.'])
    assert.notEqual(ended.code, 0, code)
    assert.match(ended.text, new RegExp(code))
  }
})

test('lint refuses each habit that STYLE.md rules out', async (t) => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `const a${at} = ${at}`).join('\n')
  const wrong: readonly (readonly [rule: string, path: string, source: string])[] = [
    ['noBarrelFile', 'server/barrel.ts', "export { a } from './a.ts'\n"],
    ['noReExportAll', 'server/all.ts', "export * from './a.ts'\n"],
    ['noDefaultExport', 'server/given.ts', 'export default 1\n'],
    ['noEnum', 'server/colour.ts', 'export enum Colour {\n  Red = 1,\n}\n'],
    ['noExplicitAny', 'server/loose.ts', 'export const loose = (value: any): string => String(value)\n'],
    ['noNonNullAssertion', 'server/sure.ts', 'export const first = (names: string[]): string => names[0]!\n'],
    [
      'noFloatingPromises',
      'server/afloat.ts',
      'async function f(): Promise<void> {}\nexport function g(): void {\n  f()\n}\n',
    ],
    ['noProcessEnv', 'server/environment.ts', "export const home = process.env['HOME']\n"],
    ['useFilenamingConvention', 'server/camelCase.ts', 'export const a = 1\n'],
    ['noExcessiveLinesPerFile', 'server/long.ts', `${lines(302)}\n`],
    ['noExcessiveLinesPerFunction', 'server/deep.ts', `export function deep(): void {\n${lines(62)}\n}\n`],
    [
      'useMaxParams',
      'server/many.ts',
      'export function many(a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1): number {\n  return a + b + c + d + e + f + g\n}\n',
    ],
    ['noConsole', 'server/talks.ts', "console.log('here')\n"],
  ]
  const sandbox = await openSandbox(t, {
    '.gitignore': 'node_modules\n',
    'server/a.ts': 'export const a = 1\n',
    ...Object.fromEntries(wrong.map(([, path, source]) => [path, source])),
  })
  sandbox.copy('biome.json')
  execFileSync('git', ['init', '-q'], { cwd: sandbox.folder })

  const { code, text } = sandbox.run(process.execPath, [
    BIN.biome,
    'lint',
    '--max-diagnostics=none',
    '--reporter=github',
    '.',
  ])

  assert.notEqual(code, 0)
  for (const [rule, path] of wrong) {
    const found = text
      .split('\n')
      .some((line) => line.includes(`/${rule}`) && line.includes(path) && line.startsWith('::error'))
    assert.ok(found, `${rule} did not refuse ${path}\n${text.slice(0, 2000)}`)
  }
  assert.doesNotMatch(text, /server\/a\.ts/)
})

test('the bundler prints nothing unless it fails', async (t) => {
  const { entry } = Object(tsup)({}) as { entry: Record<string, string> } // tsup.config.ts exports a function
  const entries = Object.values(entry)
  const sandbox = await openSandbox(t, {
    'package.json': '{ "type": "module" }',
    'plugins/a/index.ts': 'export const a = 1\n',
    'server/built-files.ts': 'export const load = () => ({})\n',
    ...Object.fromEntries(entries.map((path) => [path, 'export const one = 1\n'])),
  })
  sandbox.copy('tsup.config.ts', 'tsconfig.json', 'scripts/merge-chunks.ts', 'scripts/common-js.ts')

  const built = sandbox.run(process.execPath, [BIN.tsup])
  sandbox.write({ 'plugins/a/index.ts': "import './missing.ts'\n" })
  const failed = sandbox.run(process.execPath, [BIN.tsup])
  sandbox.write({ 'plugins/a/index.ts': 'export const a = 1\n', 'server/host.ts': 'export const host = 1\n' })
  const unused = sandbox.run(process.execPath, [BIN.tsup])

  assert.deepEqual(built, { code: 0, text: '' })
  assert.notEqual(unused.code, 0)
  assert.match(unused.text, /the group host names what nothing imports\(\): server\/host\.ts/)
  assert.notEqual(failed.code, 0)
  assert.match(failed.text, /plugins\/a\/index\.ts.*missing\.ts/s)
})

test('only the clock’s homes read the time, and nothing in the product throws dice', () => {
  const homes = ['server/run.ts', 'plugins/workspace/engine/clock.ts']
  const ruled = execFileSync('git', ['ls-files', 'server/*.ts', 'plugins/*.ts'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .filter((path) => !/\.test\.ts$|\/(testdata|testing)\//.test(path))
  const readsClock = (source: string): boolean => /Date\.now\(|new Date\(\)|Math\.random\(/.test(source)

  const found = ruled.filter((path) => readsClock(readFileSync(join(ROOT, path), 'utf8')))

  assert.deepEqual(found.sort(), homes.sort())
  assert.ok(['Date.now()', 'new Date()', 'Math.random()'].every(readsClock) && !readsClock('new Date(at)'))
})

test('the import rules refuse a plugin that imports another, and a tree in which nothing is seen', async (t) => {
  const sandbox = await openSandbox(t, {
    'plugins/a/index.ts': "import '../b/index.ts'\n",
    'plugins/b/index.ts': 'export const b = 1\n',
    'server/plugin.ts': 'export const door = 1\n',
  })
  sandbox.copy('.dependency-cruiser.cjs')
  const empty = await openSandbox(t, { 'server/.keep': '', 'plugins/.keep': '' })
  empty.copy('.dependency-cruiser.cjs')
  execFileSync('git', ['init', '-q'], { cwd: empty.folder })

  const refused = sandbox.run(process.execPath, [BIN.depcruise, 'server', 'plugins'])
  const unseen = empty.script('scripts/check-layers.ts')

  assert.notEqual(refused.code, 0)
  assert.match(refused.text, /plugins-are-islands/)
  assert.notEqual(unseen.code, 0)
  assert.match(unseen.text, /The import rules do not see: anything/)
})

test('an unused export is found', async (t) => {
  const sandbox = await openSandbox(t, {
    'package.json': '{ "name": "sandbox", "type": "module" }',
    'plugins/a/index.ts': "import { used } from './part.ts'\nused()\n",
    'plugins/a/part.ts': 'export function used(): void {}\n',
  })
  sandbox.copy('knip.json')
  const knip = () =>
    sandbox.run(process.execPath, [BIN.knip, '--include', 'files,exports', '--no-config-hints'])

  const clean = knip()
  sandbox.write({
    'plugins/a/part.ts': 'export function used(): void {}\nexport function unusedByAll(): void {}\n',
  })
  const found = knip()

  assert.equal(clean.code, 0, clean.text)
  assert.notEqual(found.code, 0)
  assert.match(found.text, /unusedByAll/)
})

test('a generated file that is stale, edited or not committed fails', async (t) => {
  const [generate, ...compare] = (scripts['drift'] ?? '').split(' && ')
  const sandbox = await openSandbox(t, {
    'docs/tools.md': 'as generated\n',
    'generated/a.ts': '',
    'schemas/a.json': '{}',
    'README.md': '',
    'llms.txt': '',
    '.gitignore': 'node_modules\n',
  })
  const git = (...args: string[]) => execFileSync('git', args, { cwd: sandbox.folder })
  git('init', '-q')
  git('add', '.')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'first')
  const drifts = (): number | null => sandbox.run('sh', ['-c', compare.join(' && ')]).code

  assert.equal(generate, 'npm run generate')
  assert.equal(drifts(), 0)
  sandbox.write({ 'docs/tools.md': 'as edited\n' })
  assert.notEqual(drifts(), 0)
  sandbox.write({ 'docs/tools.md': 'as generated\n', 'docs/errors.md': 'new\n' })
  assert.notEqual(drifts(), 0)
})

test('a snapshot that is missing fails in CI, and a changed one everywhere', async (t) => {
  const folder = await temporaryFolder(t)
  const [given, update] = [process.env['CI'], process.env['UPDATE']]
  t.after(() => {
    restore('CI', given)
    restore('UPDATE', update)
  })
  delete process.env['UPDATE']
  process.env['CI'] = 'true'
  const path = join(folder, 'tool.json')

  assert.throws(() => matchesSnapshot(path, { a: 1 }), /missing: run UPDATE=1 npm test/)
  writeFileSync(path, '{\n  "a": 1\n}\n')
  matchesSnapshot(path, { a: 1 })
  assert.throws(() => matchesSnapshot(path, { a: 2 }), /differs/)
})

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

test('no package’s install script runs: a canary stays silent with our settings and sings without', async (t) => {
  const sandbox = await openSandbox(t, {
    'canary/package.json': JSON.stringify({
      name: 'canary',
      version: '1.0.0',
      scripts: { postinstall: 'echo sang > "$CANARY"' },
    }),
    'app/package.json': '{ "name": "app", "version": "1.0.0" }',
  })
  const sang = (name: string, settings: string): boolean => {
    const canary = join(sandbox.folder, name)
    sandbox.write({ 'app/.npmrc': settings })
    // `npm run` hands its own settings down as variables, which would win over the file.
    const plain = 'unset npm_config_ignore_scripts'
    const install = 'npm install --offline --no-audit --no-fund --no-save ../canary-1.0.0.tgz'
    const ended = sandbox.run('sh', ['-c', `${plain}; cd app && rm -rf node_modules && ${install}`], {
      CANARY: canary,
    })
    assert.equal(ended.code, 0, ended.text)
    return sandbox.run('test', ['-e', canary]).code === 0
  }
  assert.equal(sandbox.run('npm', ['pack', './canary', '--ignore-scripts']).code, 0)

  assert.equal(sang('with-ours', readFileSync(join(ROOT, '.npmrc'), 'utf8')), false)
  assert.equal(sang('without', 'ignore-scripts=false\n'), true)
})
