import assert from 'node:assert/strict'
import { test } from 'node:test'
import { captureRepository } from './repository.ts'
import type { GitAnswer } from './run-git.ts'
import { sharedGit } from './shared-git.ts'

/** git whose runs end when the test says so. */
function heldGit(clock?: () => number, isOutside?: () => boolean) {
  const runs: {
    readonly args: readonly string[]
    end(stdout: string): void
    endOutside(): void
    fail(): void
  }[] = []
  const git = sharedGit(
    (...args) =>
      new Promise<GitAnswer>((resolve, reject) => {
        runs.push({
          args,
          end: (stdout) => resolve({ kind: 'done', stdout }),
          endOutside: () => resolve({ kind: 'failed', reason: 'no_repository' }),
          fail: () => reject(new Error('planted')),
        })
      }),
    { ...(clock && { clock }), ...(isOutside && { isOutside }) },
  )
  const started = async (count: number): Promise<void> => {
    while (runs.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { runs, git, started }
}

const textOf = (answer: GitAnswer): string => (answer.kind === 'done' ? answer.stdout : answer.reason)

test('calls that come while a command runs share the next run, and get nothing that is older than they are', async () => {
  const { runs, git, started } = heldGit()

  const first = git('status')
  const later = [git('status'), git('status'), git('status')]
  runs[0]?.end('old')
  await first
  await started(2)
  const last = git('status')
  runs[1]?.end('new')

  assert.equal(textOf(await first), 'old')
  assert.deepEqual((await Promise.all(later)).map(textOf), ['new', 'new', 'new'])
  await started(3)
  runs[2]?.end('newest')
  assert.equal(textOf(await last), 'newest')
  assert.equal(runs.length, 3)
})

test('a single caller starts immediately, and different commands do not wait for each other', async () => {
  const { runs, git } = heldGit()

  const answers = [git('status'), git('log')]
  assert.equal(runs.length, 2)
  for (const run of runs) run.end('x')
  await Promise.all(answers)
  const again = git('status')

  assert.equal(runs.length, 3)
  runs[2]?.end('y')
  assert.equal(textOf(await again), 'y')
})

test('a run that fails is told to its own callers, and the next one runs', async () => {
  const { runs, git, started } = heldGit()

  const first = git('status')
  const second = git('status')
  runs[0]?.fail()
  await assert.rejects(first, /planted/)
  await started(2)
  runs[1]?.end('x')

  assert.equal(textOf(await second), 'x')
})

const WHERE = ['rev-parse', '--is-inside-work-tree', '--show-prefix'] as const

test('where the repository is, is asked once a second however many ask, and again by the next caller after no answer', async () => {
  let now = 0
  const { runs, git } = heldGit(() => now)

  const first = [git(...WHERE), git(...WHERE)]
  runs[0]?.end('true')
  assert.deepEqual((await Promise.all(first)).map(textOf), ['true', 'true'])
  now = 999
  assert.equal(textOf(await git(...WHERE)), 'true')
  assert.equal(runs.length, 1)

  now = 1000
  const failed = git(...WHERE)
  runs[1]?.fail()
  await assert.rejects(failed, /planted/)
  const again = git(...WHERE)

  assert.equal(runs.length, 3)
  runs[2]?.end('true')
  assert.equal(textOf(await again), 'true')
})

test('a capture never shares the state of the work tree with an earlier one', async () => {
  let statuses = 0
  const git = sharedGit(async (...args) => {
    if (args[0] === 'status') statuses++
    return { kind: 'done', stdout: args[0] === 'rev-parse' ? 'true\n\n' : '' }
  })

  await captureRepository(git, '.handoffs/')
  await captureRepository(git, '.handoffs/')

  assert.equal(statuses, 2)
})

test('a command that found no repository is started again once there can be one, and others are not answered by it', async () => {
  let isOutside = true
  const { runs, git } = heldGit(undefined, () => isOutside)

  const first = git('status')
  runs[0]?.endOutside()
  const answers = [await first, await git('status'), await git('status')]
  const other = git('log')
  runs[1]?.end('x')
  isOutside = false
  const last = git('status')
  runs[2]?.end('clean')

  assert.deepEqual(answers.map(textOf), ['no_repository', 'no_repository', 'no_repository'])
  assert.equal(textOf(await other), 'x')
  assert.equal(textOf(await last), 'clean')
})
