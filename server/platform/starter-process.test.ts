import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { FROM_SOURCES } from '../../test/from-sources.ts'
import type { ChildCall } from './child-process.ts'
import { isZombie, systemProcesses } from './process-liveness.ts'
import { createStarter, type Starter } from './starter-process.ts'

const env = { PATH: process.env['PATH'] }
const busy = { busyMs: 0, quietMs: 60_000 }

const node = (starter: Starter, script: string, call: Partial<ChildCall> = {}) =>
  starter.run(process.execPath, ['-e', script], { cwd: tmpdir(), ...call, env })

const FOREVER = 'setInterval(() => {}, 1000)'

test('a small process starts programs, and answers as a start by this process does', async () => {
  const starter = createStarter(busy)
  const script = `process.stdin.resume().on('end', () => { console.log(process.ppid); console.error('err'); process.exitCode = 3 })`

  const ended = await node(starter, script)

  const by = starter.pid()
  assert.notEqual(by, undefined)
  assert.deepEqual(ended, { kind: 'exited', code: 3, stdout: `${by}\n`, stderr: 'err\n' })
})

test('limits hold, and each has its own reason', async () => {
  const starter = createStarter(busy)
  const abort = new AbortController()
  const aborted = node(starter, FOREVER, { signal: abort.signal })
  abort.abort()

  assert.deepEqual(await aborted, { kind: 'stopped', reason: 'aborted' })
  assert.deepEqual(await node(starter, FOREVER, { limitMs: 100 }), { kind: 'stopped', reason: 'timeout' })
  const much = "setInterval(() => process.stdout.write('x'.repeat(1000)), 1)"
  assert.deepEqual(await node(starter, much, { maxBytes: 5000 }), {
    kind: 'stopped',
    reason: 'too_much_output',
  })
  assert.deepEqual(await starter.run('satchel-has-no-such-program', [], { cwd: tmpdir(), env }), {
    kind: 'stopped',
    reason: 'missing',
  })
})

test('a process that starts few programs starts them itself', async () => {
  const starter = createStarter({ busyMs: 60_000, quietMs: 60_000 })
  const paused = createStarter({ busyMs: 1, quietMs: -1 })

  assert.equal(await node(starter, ''), undefined)
  assert.equal(await node(starter, ''), undefined)
  await node(paused, '')
  await wait(5)
  assert.equal(await node(paused, ''), undefined)
  assert.deepEqual([starter.pid(), paused.pid()], [undefined, undefined])
})

test('where the small process is killed, its callers are told, and the next one has another', async () => {
  const starter = createStarter(busy)
  const waiting = node(starter, FOREVER)
  const first = starter.pid()
  assert.ok(first)

  process.kill(first, 'SIGKILL')

  assert.equal(await waiting, undefined)
  assert.equal((await node(starter, ''))?.kind, 'exited')
  assert.notEqual(starter.pid(), first)
})

test('the small process ends after a while without work', async () => {
  const starter = createStarter({ ...busy, idleMs: 20 })

  assert.equal((await node(starter, 'setTimeout(() => {}, 60)'))?.kind, 'exited')
  const pid = starter.pid()

  await ended(pid)
  assert.equal(starter.pid(), undefined)
})

test('the small process and what it runs end with the process that started them', async () => {
  const module = JSON.stringify(import.meta.resolve('./starter-process.ts'))
  const script = `
    const { createStarter } = await import(${module})
    const starter = createStarter({ busyMs: 0 })
    void starter.run('sh', ['-c', 'echo $$ > child.pid; exec sleep 300'], { cwd: process.argv[1], env: process.env })
    console.log(starter.pid())
    setInterval(() => {}, 1000)`
  const folder = mkdtempSync(join(tmpdir(), 'satchel-starter-'))
  const parent = spawn(process.execPath, [...FROM_SOURCES, '--input-type=module', '-e', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const helper = Number(await new Promise((told) => parent.stdout.once('data', told)))
  const file = join(folder, 'child.pid')
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await wait(20)
  const child = Number(readFileSync(file, 'utf8'))

  parent.kill('SIGKILL')

  await Promise.all([ended(helper), ended(child)])
  rmSync(folder, { recursive: true })
})

async function ended(pid: number | undefined): Promise<void> {
  assert.ok(pid)
  while (systemProcesses.isRunning(pid) && !isZombie(pid)) await wait(20) // the test's own limit ends this
}
