import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openTestProject, SMALL } from '../plugins/handoff/testing/fixture.ts'
import { processStart } from '../server/platform/process-liveness.ts'
import { temporaryFolder } from './harness/index.ts'
import { EVENTS, endsWell, finishes, imported, inputFor, processorTime } from './hook-process.ts'
import { ordinaryUserOf } from './ordinary-user.ts'

/** Makes a store slow: the first look at it takes 2 s of processor time. */
const SLOW_STORE = imported(`
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const spentUs = () => { const { user, system } = process.cpuUsage(); return user + system }
  let isSlow = true
  for (const name of ['lstat', 'stat', 'open', 'readFile', 'readdir']) {
    const call = fs.promises[name]
    fs.promises[name] = (path, ...given) => {
      if (isSlow && String(path).includes('.handoffs')) {
        isSlow = false
        for (const endUs = spentUs() + 2e6; spentUs() < endUs; );
      }
      return call(path, ...given)
    }
  }
  syncBuiltinESMExports()
`)

/** Makes the file once standard input is read: from then on a hook waits for it. */
const noteReading = (path: string): string =>
  imported(`
    import { writeFileSync } from 'node:fs'
    const { stdin } = process
    const on = stdin.on
    stdin.on = function (event, listener) {
      if (event === 'data') writeFileSync(${JSON.stringify(path)}, '')
      return on.call(this, event, listener)
    }
  `)

test('a hook ends with 0 for any standard input', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const long = inputFor(project, { filler: 'y'.repeat(1024 * 1024) })
  const reads = join(await temporaryFolder(t), 'reads')
  const left = `${processorTime(reads)} ${noteReading(reads)}`

  for (const event of EVENTS) {
    for (const input of ['', '{"broken', long, undefined]) {
      rmSync(reads, { force: true })
      const preload = input === undefined ? left : processorTime()
      const { stdout, stderr } = await endsWell(project, event, input, { preload })
      assert.match(stderr, /no readable JSON object/)
      assert.equal(stdout, '', `${event} ${String(input).slice(0, 20)}`)
    }
    const { stdout } = await finishes(project, event, inputFor(project))
    assert.equal(stdout === '', event !== 'session-start', event)
  }
})

test('a hook finishes within its limit in a store that cannot be written, and leaves its bytes', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const { id } = await project.call('handoff_create', SMALL)
  await project.call('handoff_transition', { id, to: 'archived' })
  await finishes(project, 'pre-compact', inputFor(project))
  const path = project.files().find((file) => file.includes('/records/') && !file.includes(id)) ?? ''
  const before = project.read(path)
  project.write('src/callback.ts', 'changed\n') // for the skeleton to take up
  const { options, ...user } = await ordinaryUserOf(t, project.root)
  const store = join(project.root, '.handoffs')
  const folders = [
    store,
    ...readdirSync(store, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(store, name)),
  ]
  const files = project.files()

  for (const folder of folders) chmodSync(folder, 0o500)
  try {
    for (const event of EVENTS) {
      const { stdout, stderr } = await finishes(project, event, inputFor(project), { ...user, ...options })
      if (event === 'session-start') assert.match(stdout, /additionalContext/)
      if (event === 'pre-compact') assert.match(stderr, /cannot be used/)
    }
  } finally {
    for (const folder of folders) chmodSync(folder, 0o700)
  }

  assert.equal(project.read(path), before)
  assert.deepEqual(project.files(), files)
})

test('the check of the limit bites: a slow store is found', async (t) => {
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)

  await assert.rejects(
    finishes(project, 'session-start', inputFor(project), { preload: SLOW_STORE, tries: 1 }),
    /took too much processor time/,
  )
})

test('a hook ends when git hangs, and leaves no git behind', async (t) => {
  const tools = await openTestProject(t)
  const started = join(tools.root, 'pids')
  tools.write('bin/git', `#!/bin/sh\necho $$ >> '${started}'\nexec sleep 600\n`)
  chmodSync(join(tools.root, 'bin/git'), 0o755)
  const project = await openTestProject(t, { repository: true })
  await project.call('handoff_create', SMALL)
  const env = { PATH: `${tools.root}/bin:${process.env['PATH']}` }
  const pids: number[] = []

  for (const event of EVENTS) {
    rmSync(started, { force: true })
    await endsWell(project, event, inputFor(project), { env, preload: processorTime(started) })
    if (existsSync(started)) pids.push(...readFileSync(started, 'utf8').trim().split('\n').map(Number))
  }

  assert.ok(pids.length > 0)
  // A killed process exists until it next runs; without the kill it would run for ten minutes.
  for (const giveUp = performance.now() + 20_000; pids.some(isAlive) && performance.now() < giveUp; )
    await pause(25)
  assert.deepEqual(pids.filter(isAlive), [])
})

for (const [fault, config, told] of [
  ['does not parse', 'handoff: {bad\n', /satchel\.yaml:\d/],
  ['has an unknown key', 'handof: {}\n', /satchel\.yaml:1: unknown key "handof"/],
  ['has a wrong value', 'handoff: { inject_on: 1 }\n', /handoff\.inject_on/],
] as const) {
  test(`a hook goes on with the default configuration where satchel.yaml ${fault}, and says so`, async (t) => {
    const project = await openTestProject(t, { repository: true })
    const { id } = await project.call('handoff_create', SMALL)
    await project.call('handoff_transition', { id, to: 'archived' })
    project.write('satchel.yaml', config)

    const saved = await finishes(project, 'pre-compact', inputFor(project))
    const shown = await finishes(project, 'session-start', inputFor(project))

    assert.match(shown.stdout, /additionalContext/)
    for (const { stderr } of [saved, shown]) {
      assert.match(stderr, told)
      assert.match(stderr, /default configuration\.\n$/)
    }
    assert.equal(project.files().filter((file) => file.includes('/records/')).length, 2)
  })
}

test('a hook with wrong arguments or in a project that does not exist ends with 0 and says why', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['stop', '--harnes', 'x'], /unknown option '--harnes'/],
    [['stop', '--harnes', 'x', '--json'], /unknown option '--harnes'/],
    [[], /missing <event>/],
    [['stop', 'extra'], /too many arguments/],
    [['precompact'], /there is no such event/],
    [['stop', '--project', 'nowhere'], /nowhere/],
  ]

  for (const [words, told] of cases) {
    const { stdout, stderr } = await endsWell(project, words, inputFor(project))
    assert.equal(stdout, '', words.join(' '))
    assert.match(stderr, told)
  }
})

function isAlive(pid: number): boolean {
  return processStart(pid) !== undefined
}

for (const place of ['named', 'absolute'] as const) {
  test(`a hook finds the store that --store names (${place})`, async (t) => {
    const project = await openTestProject(t, { repository: true, config: { store: 'elsewhere' } })
    await project.call('handoff_create', SMALL)
    const store = place === 'named' ? 'elsewhere' : join(project.root, 'elsewhere')

    const flags = ['--store', store]
    const withFlag = await finishes(project, 'session-start', inputFor(project), { flags })
    const without = await finishes(project, 'session-start', inputFor(project))

    assert.match(withFlag.stdout, /additionalContext/)
    assert.equal(without.stdout, '')
  })
}

/** A plugin whose evidence never ends to be checked. */
const SLOW_PLUGIN = `export default {
  name: 'slow', version: '1.0.0', apiVersion: 1,
  config: { parse: (value) => value, safeParse: (data) => ({ success: true, data }) },
  setup: async () => ({
    evidence: [{
      name: 'oracle',
      takes: 'anything',
      capture: async (named) => ({ facts: { named }, verdict: 'holds', reason: 'seen' }),
      verify: () => new Promise(() => setInterval(() => {}, 1000)),
      describe: () => 'An oracle said so',
    }],
  }),
}
`

test('a hook does not wait for the checks of other plugins, and says what they left open', async (t) => {
  const project = await openTestProject(t, { repository: true })
  const oracle = { kind: 'oracle', oracle: { named: 1 } }
  const evidence = Array.from({ length: 20 }, (_, at) => ({
    type: 'observation',
    claim: `the oracle said ${at}`,
    ...oracle,
  }))
  await project.call('handoff_create', { ...SMALL, evidence })
  project.write('slow.js', SLOW_PLUGIN)
  project.write('satchel.yaml', 'plugins: { ./slow.js: {} }\nhandoff: { inject_on: [compact] }\n')
  const { stdout } = await finishes(project, 'session-start', inputFor(project))

  const { hookSpecificOutput } = JSON.parse(stdout) as { hookSpecificOutput: { additionalContext: string } }
  assert.match(hookSpecificOutput.additionalContext, /claims: 20 unverifiable/)
})
