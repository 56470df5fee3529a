import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { assertWhole, makeRemotes, openRunner, RUNNER, stateOf } from '../testing/ingest-process.ts'

test('of two processes at one output directory one works and the other is told immediately', async (t) => {
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
    t.skip('NOT RUN: this system has no small disk (unshare, tmpfs)')
    return
  }
  const dir = await temporaryFolder(t)
  const urls = await makeRemotes(dir)
  const calm = await (await openRunner(t, [join(dir, 'calm-out'), join(dir, 'calm-clones'), ...urls])).run()
  assert.deepEqual(calm?.['failures'], [])
  await mkdir(join(dir, 'out'))
  const runner = [process.execPath, RUNNER]
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
