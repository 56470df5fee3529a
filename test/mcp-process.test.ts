import assert from 'node:assert/strict'
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { initialize, type Message, modern } from '../server/mcp/testing/messages.ts'
import { temporaryFolder } from './harness/temporary-folder.ts'
import { KEPT_CODE, SATCHEL } from './satchel-process.ts'

/**
 * The time that calls in flight have after stdin ended is never over: a server that waited for it would never end.
 * `satchel bench start` times an end.
 */
const ENDLESS_GRACE = `--import=data:text/javascript,${encodeURIComponent(`
  import { syncBuiltinESMExports } from 'node:module'
  import timers from 'node:timers/promises'
  const sleep = timers.setTimeout
  timers.setTimeout = (ms, ...rest) => sleep(ms === 5_000 ? 2 ** 31 - 1 : ms, ...rest)
  syncBuiltinESMExports()`)}`

/** A plugin that prints by every way there is, and keeps a timer, a watcher, a socket and a worker alive. */
const NOISY = `
import { execFile } from 'node:child_process'
import { watch } from 'node:fs'
import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { z } from '${import.meta.resolve('zod')}'
export default {
  name: 'noisy', version: '1.0.0', apiVersion: 1, config: z.object({}),
  async setup() {
    console.log('log'); console.info('info'); console.debug('debug'); console.table([1]); console.dir({ a: 1 })
    process.stdout.write('raw\\n')
    execFile(process.execPath, ['-e', 'console.log("child")'])
    new Worker('console.log("worker"); setInterval(() => {}, 1000)', { eval: true })
    setInterval(() => {}, 1000)
    watch('.')
    createServer().listen(0, '127.0.0.1')
    return { tools: [] }
  },
}
`

interface Run {
  readonly child: ChildProcessWithoutNullStreams
  readonly lines: string[]
  readonly stderr: () => string
  readonly exit: Promise<{ code: number | null; signal: string | null }>
  send(...messages: Message[]): void
  answer(id: number): Promise<Message>
}

async function start(t: TestContext, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const [program, ...words] = SATCHEL
  const child = spawn(program, [...words, 'mcp'], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, SATCHEL_PROJECT: cwd, ...KEPT_CODE, ...env },
  })
  t.after(() => child.kill('SIGKILL'))
  child.stdin.on('error', () => undefined) // who has ended reads no more
  const lines: string[] = []
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    child,
    lines,
    stderr: () => stderr,
    exit,
    send: (...messages) => {
      for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    async answer(id) {
      for (;;) {
        const found = lines.map((line) => JSON.parse(line) as Message).find((message) => message.id === id)
        if (found) return found
        await Promise.race([once(reader, 'line'), exit])
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended with ${child.exitCode ?? child.signalCode}`)
      }
    },
  }
}

async function noisyProject(t: TestContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'noisy.mjs'), NOISY)
  await writeFile(join(folder, 'satchel.yaml'), 'plugins:\n  "./noisy.mjs": {}\n')
  return folder
}

test('stdout holds only JSON-RPC lines although other code prints, and EOF ends the process with all it kept alive', async (t) => {
  const options = `${process.env['NODE_OPTIONS'] ?? ''} ${ENDLESS_GRACE}`
  const run = await start(t, await noisyProject(t), { NODE_OPTIONS: options })
  run.send(modern(1, 'server/discover'), modern(2, 'tools/list'))
  await run.answer(2)
  while (!/^worker$/m.test(run.stderr())) await sleep(25)

  const endedAt = performance.now()
  run.child.stdin.end()
  const { code } = await run.exit

  t.diagnostic(`exit ${Math.round(performance.now() - endedAt)} ms after EOF`)
  assert.equal(code, 0)
  for (const line of run.lines) assert.equal((JSON.parse(line) as Message)['jsonrpc'], '2.0')
  for (const word of ['log', 'info', 'debug', 'raw', 'worker'])
    assert.match(run.stderr(), new RegExp(`^${word}$`, 'm'))
})

test('two starts, one killed, and no call: no file is left', async (t) => {
  const folder = await temporaryFolder(t)
  const [first, second] = await Promise.all([start(t, folder), start(t, folder)])
  second.send(initialize())
  await second.answer(0)

  first.child.kill('SIGKILL')
  second.child.stdin.end()
  await Promise.all([first.exit, second.exit])

  assert.deepEqual(await readdir(folder), [])
})

test('calls whose input ends immediately are answered before the exit', async (t) => {
  const run = await start(t, await temporaryFolder(t))

  run.send(modern(1, 'server/discover'), modern(2, 'tools/list'), modern(3, 'resources/list'))
  run.child.stdin.end()
  const { code } = await run.exit

  assert.equal(code, 0)
  assert.deepEqual(run.lines.map((line) => (JSON.parse(line) as Message).id).sort(), [1, 2, 3])
})

test('a client that closes its end of stdout ends the process with 0', async (t) => {
  const run = await start(t, await temporaryFolder(t))
  run.send(modern(1, 'server/discover'))
  await run.answer(1)

  run.child.stdout.destroy()
  run.send(modern(2, 'tools/list'), modern(3, 'tools/list'))

  assert.deepEqual(await run.exit, { code: 0, signal: null })
})

for (const [signal, expected] of [
  ['SIGTERM', 0],
  ['SIGHUP', 0],
  ['SIGINT', 130],
] as const) {
  test(`${signal} ends the process with ${expected}`, async (t) => {
    const run = await start(t, await temporaryFolder(t))
    run.send(modern(1, 'tools/list'))
    await run.answer(1)

    run.child.kill(signal)

    assert.deepEqual(await run.exit, { code: expected, signal: null })
  })
}

test('a signal ends the process with the same code at every moment of its start', async (t) => {
  for (const afterMs of [60, 90, 120, 180, 250, 350, 500]) {
    const run = await start(t, await temporaryFolder(t))
    run.send(modern(1, 'tools/list'))
    await run.answer(1)
    await sleep(afterMs)

    run.child.kill('SIGTERM')

    assert.deepEqual(await run.exit, { code: 0, signal: null }, `${afterMs} ms after the lists`)
  }
})

test('a boot that fails is said on stderr, and the exit code names it', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'satchel.yaml'), 'handof:\n  store: x\n')
  const run = await start(t, folder)

  const { code } = await run.exit

  assert.equal(code, 3)
  assert.deepEqual(run.lines, [])
})
