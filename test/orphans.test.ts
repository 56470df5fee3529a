import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { initialize } from '../server/mcp/testing/messages.ts'
import { inWaves } from './harness/in-waves.ts'
import { temporaryFolder } from './harness/index.ts'

const SATCHEL = join(import.meta.dirname, '..', 'dist', 'satchel.js')
const ROUNDS = 50
/** How many clients work concurrently. */
const AT_ONCE = 5

/** `cache`: where a server that lives for a second keeps compiled code for later starts. */
function startServer(cwd: string, cache: string): ChildProcess {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    XDG_CACHE_HOME: cache,
    XDG_RUNTIME_DIR: cwd,
    TMPDIR: cwd,
    SATCHEL_PROJECT: cwd,
  }
  return spawn(process.execPath, [SATCHEL, 'mcp'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
}

test('fifty clients that start a server twice and kill one leave no process, lock, socket or file', async (t) => {
  const cache = await temporaryFolder(t)
  await inWaves({ count: ROUNDS, most: AT_ONCE }, async (round) => {
    const folder = await temporaryFolder(t)
    const [probe, kept] = [startServer(folder, cache), startServer(folder, cache)]
    const ended = Promise.all([once(probe, 'exit'), once(kept, 'exit')])
    // Some clients kill the probe before it could say a word, some after.
    if (round % 2 === 0) probe.kill('SIGKILL')
    for (const server of [probe, kept]) {
      server.stdin?.on('error', () => {}) // the killed one reads no more
      server.stdin?.write(`${JSON.stringify(initialize())}\n`)
    }
    if (kept.stdout) await once(kept.stdout, 'data')
    probe.kill('SIGKILL')
    kept.stdin?.end()
    const [, [code]] = await ended

    assert.equal(code, 0)
    assert.deepEqual(readdirSync(folder), [])
  })
})
