import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { BUILTIN_PLUGINS } from '../server/builtin-plugins.ts'
import { temporaryFolder } from './harness/index.ts'

const ROOT = join(import.meta.dirname, '..')
export const PRODUCT = [
  'server',
  'plugins',
  'generated',
  'schemas',
  'package.json',
  'tsconfig.json',
  'biome.json',
  '.gitignore',
]

/** What the product is checked, built and tested with. */
export const BESIDE_THE_LAB = ['test', 'scripts', 'examples', 'tsup.config.ts', '.dependency-cruiser.cjs']

/** A copy of the product and of these paths beside it, without the lab. */
export async function copyWithoutLab(t: TestContext, beside: readonly string[]): Promise<string> {
  const folder = await temporaryFolder(t, 'satchel-without-')
  for (const path of [...PRODUCT, ...beside])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  rewrite(join(folder, 'server/cli/host-verbs.ts'), (source) => source.replace(/.*\bLAB_VERBS\b.*\n/g, ''))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  return folder
}

/** The same with one of the built-in plugins. Each works alone with the server, so any of the others may be removed. */
export async function copyWithOnly(t: TestContext, name: string): Promise<string> {
  const folder = await copyWithoutLab(t, ['test'])
  for (const other of BUILTIN_PLUGINS) if (other.name !== name) removePlugin(folder, other.name)
  return folder
}

/** Removes a plugin's folder and its entry in builtin-plugins.ts. */
function removePlugin(folder: string, plugin: string): void {
  rmSync(join(folder, 'plugins', plugin), { recursive: true })
  const list = join(folder, 'server/builtin-plugins.ts')
  rewrite(list, (source) =>
    source.replace(new RegExp(`\\n  \\{\\n    name: '${plugin}',.*?\\n  \\},`, 's'), ''),
  )
  assert.ok(!readFileSync(list, 'utf8').includes(`plugins/${plugin}/`))
}

function rewrite(path: string, change: (source: string) => string): void {
  const source = readFileSync(path, 'utf8')
  const changed = change(source)
  assert.ok(changed.length < source.length)
  writeFileSync(path, changed)
}

/** Runs a Node program to its end in `cwd` and returns what it printed. Fails unless it exits with 0. */
export function succeeds(cwd: string, args: readonly string[]): string {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env
  const env = { ...inherited, NODE_V8_COVERAGE: '' } // a copy's coverage counts for nothing; Node would fill it in
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
  assert.equal(status, 0, `${args.join(' ')}\n${stdout.slice(-3000)}${stderr.slice(-3000)}`)
  return stdout
}
