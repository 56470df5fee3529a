import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { skipWithout } from './harness/skip-without.ts'
import { lacksPackage } from './optional-package.ts'

/** On a machine at rest it takes one second. */
const LONGEST_START_MS = 300_000 // a bound for what hangs, not for a slow machine

/** A real server on a free port, or undefined with a loud line; in CI its absence is a failure. */
export async function startChroma(
  t: TestContext,
  folder: string,
  port: number,
): Promise<ChildProcess | undefined> {
  if (await lacksPackage(t, 'chromadb')) return undefined
  const cli = join(import.meta.dirname, '../node_modules/chromadb/dist/cli.mjs')
  const child = spawn(
    process.execPath,
    [cli, 'run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)],
    {
      stdio: 'ignore',
    },
  )
  t.after(() => child.kill('SIGKILL'))
  for (const giveUp = performance.now() + LONGEST_START_MS; child.exitCode === null; ) {
    if (performance.now() > giveUp) break
    const alive = await fetch(`http://127.0.0.1:${port}/api/v2/heartbeat`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (alive) return child
    await pause(50)
  }
  child.kill('SIGKILL')
  skipWithout(t, 'REQUIRE_CHROMA', 'no ChromaDB server can be started from the npm package on this machine')
  return undefined
}
