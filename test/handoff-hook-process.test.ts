import assert from 'node:assert/strict'
import { type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Bench, openBench, SMALL } from '../plugins/handoff/testing/fixture.ts'
import { sampleId, sampleRecord } from '../plugins/handoff/testing/sample-record.ts'
import { processStart } from '../server/platform/process-liveness.ts'
import { ordinaryUserOf } from './ordinary-user.ts'

const SATCHEL = join(import.meta.dirname, '../dist/satchel.js')
const EVENTS = ['pre-compact', 'session-start', 'session-end', 'stop']
const PROMISED_MS = 2000 // design handoff-store, section 3

/** What a hook may say of its records: nothing where it saw them all, else how many it did not see. */
const SEEN =
  /^(?:satchel handoff hook [a-z-]+: [0-9]+ records (?:were not read in time|were not checked for changes in time).*\n)?$/

interface Answered {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
}

interface HookOptions extends SpawnOptions {
  readonly flags?: readonly string[]
  readonly program?: readonly [node: string, satchel: string]
}

/** A hook as a harness runs it. `input` undefined: standard input is never closed. */
async function runHook(
  bench: Bench,
  event: string,
  input: string | undefined,
  {
    flags = [],
    program: [node, satchel] = [process.execPath, SATCHEL],
    env = {},
    ...options
  }: HookOptions = {},
): Promise<Answered> {
  const { CLAUDE_PROJECT_DIR: _, SATCHEL_PROJECT: _2, SATCHEL_SESSION: _3, ...inherited } = process.env
  const started = performance.now()
  const child = spawn(node, [satchel, 'handoff', 'hook', event, ...flags], {
    cwd: bench.root,
    env: { ...inherited, ...env },
    ...options,
    stdio: 'pipe',
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk
  })
  child.stdin?.on('error', () => {}) // a hook that has read enough closes its end
  if (input !== undefined) child.stdin?.end(input)
  const [code] = await once(child, 'close')
  return { code, stdout, stderr, ms: performance.now() - started }
}

/** What a hook says whose time was over before its work was: it promises an end, and no more. */
const RAN_OUT = /it took too long/
const TRIES = 5

/**
 * What every hook promises, and what one says that had the time for its work: other work on the machine takes it from some, not
 * from all.
 */
async function keepsItsPromise(
  bench: Bench,
  event: string,
  input: string | undefined,
  options?: HookOptions,
): Promise<Answered> {
  let best: Answered | undefined
  for (let attempt = 0; attempt < TRIES && !(best && isWhole(best)); attempt++) {
    const answered = await runHook(bench, event, input, options)
    assert.equal(answered.code, 0, `${event}: ${answered.stderr}`)
    assert.ok(answered.stderr.split('\n').length <= 2, `${event}: ${answered.stderr}`)
    if (answered.stdout !== '') assert.equal(typeof JSON.parse(answered.stdout), 'object')
    if (best === undefined || isWhole(answered) || answered.ms < best.ms) best = answered
  }
  assert.ok(best && best.ms <= PROMISED_MS, `${event}: ${best?.ms} ms`)
  return best
}

function isWhole({ ms, stderr }: Answered): boolean {
  return ms <= PROMISED_MS && !RAN_OUT.test(stderr)
}

const inputFor = (bench: Bench, more: object = {}) =>
  JSON.stringify({ session_id: 'one', cwd: bench.root, source: 'compact', trigger: 'auto', ...more })

test('a hook answers within 2 s and exits 0, whatever stands on its standard input', async (t) => {
  const bench = await openBench(t, { repository: true })
  await bench.call('handoff_create', SMALL)
  const long = inputFor(bench, { filler: 'y'.repeat(1024 * 1024) })

  for (const event of EVENTS) {
    for (const input of ['', '{"broken', long, undefined]) {
      const { stdout } = await keepsItsPromise(bench, event, input)
      assert.equal(stdout, '', `${event} ${String(input).slice(0, 20)}`)
    }
    const { stdout } = await keepsItsPromise(bench, event, inputFor(bench))
    assert.equal(stdout === '', event !== 'session-start', event)
  }
})

test('a hook answers within 2 s in a store that cannot be written, and leaves its bytes', async (t) => {
  const bench = await openBench(t, { repository: true })
  const { path } = await bench.call('handoff_create', SMALL)
  const before = bench.read(path)
  const { options, ...user } = await ordinaryUserOf(t, bench.root)
  const store = join(bench.root, '.handoffs')
  const folders = [
    store,
    ...readdirSync(store, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(store, name)),
  ]
  const files = bench.files()

  for (const folder of folders) chmodSync(folder, 0o500)
  try {
    for (const event of EVENTS) {
      const { stdout, stderr } = await keepsItsPromise(bench, event, inputFor(bench), { ...user, ...options })
      if (event === 'session-start') assert.match(stdout, /additionalContext/)
      if (event === 'pre-compact') assert.match(stderr, /cannot be used/)
    }
  } finally {
    for (const folder of folders) chmodSync(folder, 0o700)
  }

  assert.equal(bench.read(path), before)
  assert.deepEqual(bench.files(), files)
})

test('a hook answers within 2 s in a store of 10,000 records, whether there is an index or not', async (t) => {
  const bench = await openBench(t, { repository: true })
  for (let n = 0; n < 10_000; n++) {
    bench.write(`.handoffs/records/${sampleId(n)}.json`, JSON.stringify(sampleRecord(n, 1300)))
  }
  const { id } = await bench.call('handoff_create', SMALL)
  const cache = join(bench.root, '.handoffs/.cache')

  for (const event of EVENTS) {
    rmSync(cache, { recursive: true, force: true })
    const { ms, stdout, stderr } = await keepsItsPromise(bench, event, inputFor(bench))
    t.diagnostic(`${event} without an index: ${Math.round(ms)} ms ${stderr.trim()}`)
    assert.equal(stdout === '', event !== 'session-start', `${event}: ${stderr}`)
    assert.match(stderr, SEEN)
  }
  rmSync(cache, { recursive: true, force: true })
  const other = { session_id: 'two' }
  const { stdout } = await keepsItsPromise(bench, 'session-start', inputFor(bench, other))
  assert.match(JSON.parse(stdout).hookSpecificOutput.additionalContext, new RegExp(`${id.slice(-8)}`))

  await bench.call('handoff_list')
  assert.ok(existsSync(join(cache, 'index.json')))
  for (const event of EVENTS) {
    const { ms, stdout, stderr } = await keepsItsPromise(bench, event, inputFor(bench))
    t.diagnostic(`${event} with an index: ${Math.round(ms)} ms ${stderr.trim()}`)
    assert.equal(stdout === '', event !== 'session-start', `${event}: ${stderr}`)
    assert.match(stderr, SEEN)
  }
})

test('a hook answers within 2 s when git hangs, and leaves no git behind', async (t) => {
  const tools = await openBench(t)
  tools.write('bin/git', `#!/bin/sh\necho $$ >> '${tools.root}/pids'\nexec sleep 60\n`)
  chmodSync(join(tools.root, 'bin/git'), 0o755)
  const bench = await openBench(t, { repository: true })
  await bench.call('handoff_create', SMALL)
  const env = { PATH: `${tools.root}/bin:${process.env['PATH']}` }

  for (const event of EVENTS) await keepsItsPromise(bench, event, inputFor(bench), { env })

  const pids = readFileSync(join(tools.root, 'pids'), 'utf8').trim().split('\n').map(Number)
  assert.ok(pids.length > 0)
  // One that is killed is there until it next gets the processor; left alone it would be for a minute.
  for (const giveUp = performance.now() + 20_000; pids.some(isAlive) && performance.now() < giveUp; )
    await pause(25)
  assert.deepEqual(pids.filter(isAlive), [])
})

function isAlive(pid: number): boolean {
  return processStart(pid) !== undefined
}

for (const place of ['named', 'absolute'] as const) {
  test(`a hook finds the store that --store names (${place})`, async (t) => {
    const bench = await openBench(t, { repository: true, config: { store: 'elsewhere' } })
    await bench.call('handoff_create', SMALL)
    const store = place === 'named' ? 'elsewhere' : join(bench.root, 'elsewhere')

    const flags = ['--store', store]
    const withFlag = await keepsItsPromise(bench, 'session-start', inputFor(bench), { flags })
    const without = await keepsItsPromise(bench, 'session-start', inputFor(bench))

    assert.match(withFlag.stdout, /additionalContext/)
    assert.equal(without.stdout, '')
  })
}
