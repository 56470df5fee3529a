import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { awaiting, gitAfter, onFetch } from '../../../test/fixtures/shadow-git.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { assertWhole, makeRemotes, openRunner, stateOf } from '../testing/ingest-process.ts'

const SUMMARIES_A_REPOSITORY = 6 * 12

type Report = Record<string, unknown> | undefined

function reasonsOf(report: Report): string[] {
  assert.ok(report, 'the process ended with a report')
  return (report['failures'] as { reason: string }[]).map(({ reason }) => reason)
}

/** Every clone is one that git finds whole. */
async function assertClonesWhole(cloneDir: string): Promise<void> {
  const clones = (await readdir(cloneDir)).filter((name) => name.endsWith('.git'))
  assert.equal(clones.length, 3)
  for (const clone of clones) {
    execFileSync('git', ['fsck', '--full'], {
      env: { ...process.env, GIT_DIR: join(cloneDir, clone) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }
}

/** A `git` first on the PATH whose fetch says that it has begun, and goes on once it is let. */
async function slowFetch(
  dir: string,
): Promise<{ path: string; begun(count: number): Promise<void>; letGo(): Promise<void> }> {
  const marks = join(dir, 'marks')
  await mkdir(marks)
  const wait = `touch "${marks}/begun-$$"; ${awaiting(`${marks}/go`)}`
  return {
    path: gitAfter(join(dir, 'tools'), onFetch(wait)),
    async begun(count) {
      while ((await readdir(marks)).length < count) await sleep(20)
    },
    letGo: () => writeFile(join(marks, 'go'), ''),
  }
}

async function openStage(t: TestContext) {
  const dir = await temporaryFolder(t)
  const urls = await makeRemotes(dir)
  const clones = join(dir, 'clones')
  const outputs = { one: join(dir, 'one'), other: join(dir, 'other') }
  const run = async (output: string, env?: Record<string, string>) =>
    await openRunner(t, [output, clones, ...urls], env)
  return { dir, clones, outputs, run }
}

test('a clone that another ingest is fetching is left to it: this one says so immediately, reads the rest, and the next run has all', async (t) => {
  const { dir, clones, outputs, run } = await openStage(t)
  const git = await slowFetch(dir)
  const [slow, quick] = await Promise.all([run(outputs.one, { PATH: git.path }), run(outputs.other)])

  const slowly = slow.run()
  await git.begun(2) // of three local repositories two are read concurrently
  const quickly = await quick.run()
  await git.letGo()
  const slowReport = await slowly

  assert.deepEqual(reasonsOf(quickly), ['ingest_running', 'ingest_running'])
  assert.equal(quickly?.['written'], SUMMARIES_A_REPOSITORY)
  assert.deepEqual(reasonsOf(slowReport), [])
  assert.equal(slowReport?.['written'], 3 * SUMMARIES_A_REPOSITORY)
  await assertClonesWhole(clones)
  const again = await (await run(outputs.other)).run()
  assert.deepEqual(reasonsOf(again), [])
  assert.equal(again?.['written'], 2 * SUMMARIES_A_REPOSITORY)
  assert.equal(await assertWhole(outputs.other), 3 * SUMMARIES_A_REPOSITORY)
  assert.deepEqual(await stateOf(outputs.other), await stateOf(outputs.one))
})

test('two ingests that begin together with the same clones tear nothing: each has a repository whole or says who has it', async (t) => {
  const { clones, outputs, run } = await openStage(t)
  const runners = await Promise.all([run(outputs.one), run(outputs.other)])

  const reports = await Promise.all(runners.map((runner) => runner.run()))

  for (const [at, output] of [outputs.one, outputs.other].entries()) {
    const reasons = reasonsOf(reports[at])
    assert.deepEqual([...new Set(reasons)].join(), reasons.length === 0 ? '' : 'ingest_running')
    assert.equal(await assertWhole(output), (3 - reasons.length) * SUMMARIES_A_REPOSITORY)
  }
  await assertClonesWhole(clones)
  for (const output of [outputs.one, outputs.other]) {
    assert.deepEqual(reasonsOf(await (await run(output)).run()), [])
  }
  assert.deepEqual(await stateOf(outputs.one), await stateOf(outputs.other))
})
