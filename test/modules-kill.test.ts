import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { buildRemote } from '../plugins/modules/bench/build-remote.ts'
import { temporaryFolder } from './harness/index.ts'

/** `SATCHEL_KILLS=200` for the long run. */
const KILLS = Number(process.env['SATCHEL_KILLS'] ?? 8)
const SEED = Number(process.env['SATCHEL_SEED'] ?? 20_261_121)

const RUNNER = join(import.meta.dirname, 'fixtures/ingest-runner.ts')

interface Runner {
  readonly child: ChildProcess
  /** Starts the ingest; the promise gives what it printed, undefined when it was killed. */
  run(): Promise<Record<string, unknown> | undefined>
}

/** A process with everything loaded, waiting for the word to start. */
async function openRunner(t: TestContext, args: readonly string[]): Promise<Runner> {
  const child = spawn(process.execPath, ['--import', 'tsx', RUNNER, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  child.stdin.on('error', () => undefined) // it was killed: `closed` tells
  const closed = once(child, 'close')
  while (!said.includes('ready\n')) await once(child.stdout, 'data')
  return {
    child,
    async run() {
      child.stdin.write('go\n')
      await closed // a kill may come before it says that it started
      const last = said.trim().split('\n').at(-1) ?? ''
      return last.startsWith('{') ? JSON.parse(last) : undefined
    },
  }
}

function moduleText(at: number): string {
  return `variable "v${at}" {\n  description = "${'text '.repeat(50)}"\n}\nresource "aws_thing" "t${at}" {}\n`
}

async function makeRemotes(dir: string): Promise<string[]> {
  const urls: string[] = []
  for (const name of ['terraform-a-one', 'terraform-a-two', 'terraform-a-three']) {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`modules/m${at}/main.tf`, moduleText(at)]),
    )
    urls.push(
      await buildRemote(join(dir, `${name}.git`), [
        { files, tags: ['v1.0.0'] },
        ...Array.from({ length: 4 }, (_, at) => ({
          files: { [`modules/m${at}/more.tf`]: moduleText(100 + at) },
          tags: [`v1.${at + 1}.0`],
        })),
      ]),
    )
  }
  return urls
}

/** Every summary parses, and the index names only files that are there with the content it says. */
async function assertWhole(outputDir: string): Promise<number> {
  const names = await readdir(outputDir).catch(() => [])
  for (const name of names.filter((file) => file.endsWith('.json'))) {
    JSON.parse(await readFile(join(outputDir, name), 'utf8'))
  }
  const text = await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8').catch(() => undefined)
  if (text === undefined) return 0
  const { records } = JSON.parse(text) as {
    records: { summary_file: string; repository: string; ref: string; path: string }[]
  }
  for (const record of records) {
    const summary = JSON.parse(await readFile(join(outputDir, record.summary_file), 'utf8'))
    assert.deepEqual(
      [summary.repository, summary.ref, summary.path],
      [record.repository, record.ref, record.path],
      record.summary_file,
    )
  }
  return records.length
}

/** Names and hashes of all summaries, and the index without its times. */
async function stateOf(outputDir: string): Promise<unknown> {
  const names = (await readdir(outputDir)).sort()
  const hashes = await Promise.all(
    names
      .filter((name) => name !== '.satchel')
      .map(async (name) => [
        name,
        createHash('sha256')
          .update(await readFile(join(outputDir, name)))
          .digest('hex'),
      ]),
  )
  const index = JSON.parse(await readFile(join(outputDir, '.satchel', 'index.json'), 'utf8'))
  const records = index.records.map(({ last_updated: _, ...record }: Record<string, unknown>) => record)
  return { hashes, records }
}

/** Numbers between 0 and 1, the same for the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test(`killed at ${KILLS} random moments, an ingest leaves whole files, and the next run ends like an undisturbed one`, async (t) => {
  const dir = await temporaryFolder(t)
  const urls = await makeRemotes(dir)
  const calm = [join(dir, 'calm-out'), join(dir, 'calm-clones'), ...urls]
  const undisturbed = await openRunner(t, calm)
  const began = performance.now()
  const report = await undisturbed.run()
  const tookMs = performance.now() - began
  assert.deepEqual(report?.['failures'], [])
  const next = random(SEED)
  t.diagnostic(`seed ${SEED}, undisturbed run ${Math.round(tookMs)} ms`)

  const disturbed = [join(dir, 'out'), join(dir, 'clones'), ...urls]
  const startAnew = () =>
    Promise.all(['out', 'clones'].map((name) => rm(join(dir, name), { recursive: true, force: true })))
  let killed = 0
  let reachMs = tookMs
  let upcoming = openRunner(t, disturbed)
  for (let round = 0; killed < KILLS && round < KILLS * 3; round++) {
    const runner = await upcoming
    upcoming = openRunner(t, disturbed)
    const timer = setTimeout(() => runner.child.kill('SIGKILL'), next() * reachMs)
    const started = performance.now()
    const answer = await runner.run()
    clearTimeout(timer)
    const endedMs = performance.now() - started
    await assertWhole(join(dir, 'out'))
    if (answer === undefined) killed++
    else {
      // It was done first: what was killed before it did no harm, and the next begins with nothing.
      assert.deepEqual(await stateOf(join(dir, 'out')), await stateOf(join(dir, 'calm-out')))
      reachMs = endedMs
      await startAnew()
    }
  }
  const last = await (await upcoming).run()

  assert.equal(killed, KILLS)
  assert.deepEqual(last?.['failures'], [])
  assert.equal(await assertWhole(join(dir, 'out')), 3 * 6 * 12)
  assert.deepEqual(await stateOf(join(dir, 'out')), await stateOf(join(dir, 'calm-out')))
})

test('of two processes at one output directory one works and the other is told at once', async (t) => {
  const dir = await temporaryFolder(t)
  const urls = await makeRemotes(dir)
  const args = [join(dir, 'out'), join(dir, 'clones'), ...urls]
  const runners = await Promise.all([openRunner(t, args), openRunner(t, args)])

  const answers = await Promise.all(runners.map((runner) => runner.run()))

  assert.equal(answers.filter((answer) => answer?.['reason'] === 'ingest_running').length, 1)
  assert.equal(answers.filter((answer) => answer?.['written'] === 3 * 6 * 12).length, 1)
  assert.equal(await assertWhole(join(dir, 'out')), 3 * 6 * 12)
})

/** A small disk of its own for `out`: full in the middle of the first run, made larger for the second. */
const SMALL_DISK = `
mount -t tmpfs -o size=400k tmpfs "$DIR/out"
echo go | "$@" > "$DIR/first"; cp -r "$DIR/out" "$DIR/after-first"
mount -o remount,size=64m "$DIR/out"
echo go | "$@" > "$DIR/second"; cp -r "$DIR/out" "$DIR/after-second"
`

test('on a disk that is full an ingest says so and leaves whole files, and the next run completes', async (t) => {
  if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0) {
    t.skip('NOT RUN: this system lends no small disk (unshare, tmpfs)')
    return
  }
  const dir = await temporaryFolder(t)
  const urls = await makeRemotes(dir)
  const calm = await (await openRunner(t, [join(dir, 'calm-out'), join(dir, 'calm-clones'), ...urls])).run()
  assert.deepEqual(calm?.['failures'], [])
  await mkdir(join(dir, 'out'))
  const runner = [process.execPath, '--import', import.meta.resolve('tsx'), RUNNER]
  const args = [
    '-rm',
    'sh',
    '-euc',
    SMALL_DISK,
    'sh',
    ...runner,
    join(dir, 'out'),
    join(dir, 'clones'),
    ...urls,
  ]

  const child = spawn('unshare', args, { env: { ...process.env, DIR: dir }, stdio: 'inherit' })
  const [code] = await once(child, 'close')

  const answerOf = async (name: string) =>
    JSON.parse((await readFile(join(dir, name), 'utf8')).trim().split('\n').at(-1) ?? '')
  assert.equal(code, 0)
  assert.equal((await answerOf('first')).reason, 'storage_failed')
  assert.ok((await assertWhole(join(dir, 'after-first'))) < 3 * 6 * 12)
  assert.deepEqual((await answerOf('second')).failures, [])
  assert.deepEqual(await stateOf(join(dir, 'after-second')), await stateOf(join(dir, 'calm-out')))
})
