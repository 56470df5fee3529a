import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryFolder } from './harness/index.ts'
import { initialize } from './mcp/stdio-client.ts'

const SATCHEL = join(import.meta.dirname, '..', 'dist', 'satchel.js')
const ROUNDS = 50
/** How many clients are at work at once. */
const AT_ONCE = 5
/** What a server would wait for calls in flight; whoever is gone well before it waited for nothing. */
const GRACE_AFTER_EOF_MS = 5_000

/** A shell that starts a server and holds the only writing end of its standard input. */
const PARENT = `mkfifo input
"$NODE" "$SATCHEL" mcp < input > output 2> errors &
echo $!
exec 3> input
echo '${JSON.stringify(initialize())}' >&3
while ! test -s output; do sleep 0.05; done
echo answered
wait`

/** Does `work` for each number below `count`, a few at a time. */
async function inWaves(count: number, work: (index: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const wave = Math.min(AT_ONCE, count - from)
    await Promise.all(Array.from({ length: wave }, (_, offset) => work(from + offset)))
  }
}

function startServer(cwd: string): ChildProcess {
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    XDG_RUNTIME_DIR: cwd,
    TMPDIR: cwd,
    SATCHEL_PROJECT: cwd,
  }
  return spawn(process.execPath, [SATCHEL, 'mcp'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Starts a parent with a server below it, kills the parent without a word, and gives how long the server lived on, in ms. */
async function outlived(t: TestContext): Promise<number> {
  const cwd = await temporaryFolder(t)
  const env = { PATH: process.env['PATH'], HOME: cwd, NODE: process.execPath, SATCHEL }
  const parent = spawn('sh', ['-c', PARENT], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]()
  const server = Number((await lines.next()).value)
  t.after(() => isAlive(server) && process.kill(server, 'SIGKILL'))
  assert.equal((await lines.next()).value, 'answered')

  parent.kill('SIGKILL')
  const killedAt = performance.now()
  while (isAlive(server) && performance.now() - killedAt < GRACE_AFTER_EOF_MS) await sleep(20)
  return performance.now() - killedAt
}

test('fifty clients that start a server twice and kill one leave no process, lock, socket or file', async (t) => {
  await inWaves(ROUNDS, async (round) => {
    const folder = await temporaryFolder(t)
    const [probe, kept] = [startServer(folder), startServer(folder)]
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

test('fifty parents that are killed leave no server behind', { skip: !existsSync('/bin/sh') }, async (t) => {
  const lived: number[] = []
  await inWaves(ROUNDS, async () => {
    lived.push(await outlived(t))
  })

  const longest = Math.round(Math.max(...lived))
  t.diagnostic(`${lived.length} servers, the last was gone ${longest} ms after its parent`)
  assert.equal(lived.length, ROUNDS)
  assert.ok(longest < GRACE_AFTER_EOF_MS * 0.9, `a server lived on for ${longest} ms`)
})
