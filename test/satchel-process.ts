import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const ROOT = join(import.meta.dirname, '..')
const FROM_SOURCES = ['--import', import.meta.resolve('tsx'), join(ROOT, 'server/main.ts')]

/**
 * The words that run this tree's satchel as a process of its own, from any folder: as it is built, which starts in a
 * tenth of the time, or from its sources where one of them was changed since.
 */
export const SATCHEL: readonly [program: string, ...words: string[]] = [
  process.execPath,
  ...(isBuiltOfSources() ? [join(ROOT, 'dist/satchel.js')] : FROM_SOURCES),
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

/** What a process of satchel did. */
export interface RanSatchel {
  /** null: it was killed. */
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs satchel in a folder, without input, until it ends. Nothing of the environment but the PATH is handed on; HOME is the folder. */
export async function runSatchel(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RanSatchel> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, ...args], {
    cwd,
    env: { PATH: String(process.env['PATH']), HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, out, err }
}

/** The environment of a process in which opening a socket fails and is written to the file `told`. */
export function withoutSockets(told: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--require ${join(ROOT, 'test/fixtures/no-sockets.cjs')}`, SOCKETS: told }
}
