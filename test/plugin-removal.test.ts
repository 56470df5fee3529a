import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
/** What a plugin and its tests stand on; the whole-product tests are about all plugins and stay behind. */
const KEPT = ['server', 'plugins', 'generated', 'schemas', 'test/harness']
const FILES = ['package.json', 'tsconfig.json', 'biome.json', '.gitignore']

/** A copy of the repository without one plugin's folder and without its entry in builtin-plugins.ts. */
async function copyWithout(t: TestContext, plugin: string): Promise<string> {
  const folder = await temporaryFolder(t, 'satchel-without-')
  for (const path of [...KEPT, ...FILES]) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  rmSync(join(folder, 'plugins', plugin), { recursive: true })
  const list = join(folder, 'server/builtin-plugins.ts')
  const source = readFileSync(list, 'utf8')
  const without = source.replace(new RegExp(`\\n  \\{\\n    name: '${plugin}',.*?\\n  \\},`, 's'), '')
  assert.ok(without.length < source.length && !without.includes(`plugins/${plugin}/`))
  writeFileSync(list, without)
  execFileSync('git', ['init', '-q'], { cwd: folder })
  return folder
}

function succeeds(cwd: string, args: readonly string[]): void {
  const { NODE_TEST_CONTEXT: _, NODE_V8_COVERAGE: __, ...env } = process.env // a copy's coverage counts for nothing
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, `${args.join(' ')}\n${stdout.slice(-3000)}${stderr.slice(-3000)}`)
}

for (const { name } of BUILTIN_PLUGINS) {
  test(`without the plugin ${name} all else compiles, keeps to the style and passes its tests`, async (t) => {
    const folder = await copyWithout(t, name)
    const others = readdirSync(join(folder, 'plugins')).map((plugin) => join('plugins', plugin, 'domain'))
    const tested = others.filter((path) =>
      readdirSync(join(folder, path)).some((file) => file.endsWith('.test.ts')),
    )

    succeeds(folder, ['node_modules/typescript/bin/tsc', '-p', '.'])
    succeeds(folder, ['node_modules/@biomejs/biome/bin/biome', 'ci', '.'])
    succeeds(folder, ['--import', 'tsx', join(ROOT, 'scripts/test.ts'), 'server/host.test.ts', ...tested])
  })
}
