import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The words that run this tree's satchel as a process of its own, from any folder. */
export const SATCHEL: readonly [program: string, ...words: string[]] = [
  process.execPath,
  '--import',
  import.meta.resolve('tsx'),
  join(import.meta.dirname, '../server/main.ts'),
]

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
