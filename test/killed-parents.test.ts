import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { initialize } from '../server/mcp/testing/messages.ts'
import { systemProcesses } from '../server/platform/process-liveness.ts'
import { inWaves } from './harness/in-waves.ts'
import { temporaryFolder } from './harness/index.ts'
import { until } from './harness/until.ts'

const SATCHEL = join(import.meta.dirname, '..', 'dist', 'satchel.js')
const ROUNDS = 50
/** How many parents run concurrently. */
const AT_ONCE = 3
/**
 * A server looks for its parent, too, once its input was silent for a minute. One whose parent seems never to change is
 * ended by its input, or never. How long an exit may take is `satchel bench start`'s to judge.
 */
const ONE_PARENT = `--import=data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'ppid', { value: process.ppid })",
)}`

/** A shell that starts a server and holds the only writing end of its standard input. */
const PARENT = `mkfifo input
"$NODE" "$ONE_PARENT" "$SATCHEL" mcp < input > output 2> errors &
echo $!
exec 3> input
echo '${JSON.stringify(initialize())}' >&3
while ! test -s output; do sleep 0.05; done
echo answered
wait`

/** Starts a parent with a server below it, kills the parent without a word, and gives how long the server lived on, in ms. */
async function outlived(t: TestContext): Promise<number> {
  const cwd = await temporaryFolder(t)
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    NODE: process.execPath,
    ONE_PARENT,
    SATCHEL,
    NODE_V8_COVERAGE: '', // Node would fill it in, and no report counts what runs of the bundle
  }
  const { parent, server } = await startedBy(t, { script: PARENT, said: 'answered', cwd, env })

  parent.kill('SIGKILL')
  const killedAt = performance.now()
  await until(() => !systemProcesses.isRunning(server), 'the server ends')
  return performance.now() - killedAt
}

interface Start {
  /** Prints the id of the server that it starts, then `said`. */
  readonly script: string
  readonly said: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** A shell and the server that it started; the server ends with the test. */
async function startedBy(t: TestContext, { script, said, cwd, env }: Start) {
  const parent = spawn('sh', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]()
  const server = Number((await lines.next()).value)
  t.after(() => systemProcesses.isRunning(server) && process.kill(server, 'SIGKILL'))
  assert.equal((await lines.next()).value, said)
  return { parent, server }
}

test('fifty parents that are killed leave no server behind', { skip: !existsSync('/bin/sh') }, async (t) => {
  const lived: number[] = []
  await inWaves({ count: ROUNDS, most: AT_ONCE }, async () => {
    lived.push(await outlived(t))
  })

  const longest = Math.round(Math.max(...lived))
  t.diagnostic(`${lived.length} servers, the last ended ${longest} ms after its parent`)
  assert.equal(lived.length, ROUNDS)
})

/** What `npx` starts: a shell that waits for the server, and does not pass a signal on. */
const NPX_SHELL = `"$NODE" "$SATCHEL" serve --host 127.0.0.1 --port 0 --json > output 2> errors &
echo $!
while ! test -s output; do sleep 0.05; done
echo serves
wait`

test('a server over HTTP ends with the npx that started it', { skip: !existsSync('/bin/sh') }, async (t) => {
  const cwd = await temporaryFolder(t)
  const own = { PATH: process.env['PATH'], HOME: cwd, NODE_V8_COVERAGE: '' }
  const env = { ...own, NODE: process.execPath, SATCHEL, npm_lifecycle_event: 'npx' }
  const { parent, server } = await startedBy(t, { script: NPX_SHELL, said: 'serves', cwd, env })

  parent.kill('SIGTERM')

  await until(() => !systemProcesses.isRunning(server))
})
