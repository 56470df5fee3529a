import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { FROM_SOURCES } from './from-sources.ts'
import { type EndedProcess, endedProcess } from './harness/ended-process.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * The words that run this tree's satchel as a process of its own, from any folder: as it is built, which starts in a
 * tenth of the time, or from its sources where one of them was changed since.
 */
export const SATCHEL: readonly [program: string, ...words: string[]] = [
  process.execPath,
  ...(isBuiltOfSources() ? [join(ROOT, 'dist/satchel.js')] : [...FROM_SOURCES, join(ROOT, 'server/main.ts')]),
]

/** Whether the build is younger than everything of ours that it was made of. */
function isBuiltOfSources(): boolean {
  const list = join(ROOT, 'dist/metafile-esm.json')
  if (!existsSync(list)) return false
  const { mtimeMs: builtAt } = statSync(list)
  const { inputs }: { inputs: object } = JSON.parse(readFileSync(list, 'utf8'))
  const sources = Object.keys(inputs).filter((path) => !path.includes('node_modules/'))
  const changedAt = sources.map((path) => statSync(join(ROOT, path), { throwIfNoEntry: false })?.mtimeMs)
  return changedAt.every((at) => at !== undefined && at < builtAt)
}

/**
 * For the environment of a satchel whose home is new: what an earlier one of this run compiled is kept in a folder of the
 * run, and nothing in the home, where it would be a change of what is under test.
 */
export const KEPT_CODE: Readonly<Record<string, string>> = process.env['COMPILED_CODE']
  ? { XDG_CACHE_HOME: process.env['COMPILED_CODE'] }
  : { NODE_DISABLE_COMPILE_CACHE: '1' }

/**
 * Runs satchel in a folder, which is its home, without input, until it ends. Nothing of the environment but the PATH is
 * handed on.
 */
export async function runSatchel(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedProcess> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...args], {
    cwd,
    env: { PATH: String(process.env['PATH']), HOME: cwd, ...KEPT_CODE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return endedProcess(child)
}

/** The JSON that satchel printed, which did what it was asked to. */
export function printedJson({ code, out, err }: EndedProcess) {
  assert.equal(code, 0, out + err)
  return JSON.parse(out)
}

/** The environment of a process in which opening a socket fails and is written to the file `told`. */
export function withoutSockets(told: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--require ${join(ROOT, 'test/fixtures/no-sockets.cjs')}`, SOCKETS: told }
}
