import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gitAfter } from '../../../test/fixtures/shadow-git.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { processesLeft, processesMarked, TEST_MARK } from '../../../test/marked-processes.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { openIngests } from '../testing/ingest-entries.ts'
import { readClone } from './clone-reader.ts'

interface Clone {
  /** What the root of the commit has, or an error. */
  names(
    signal?: AbortSignal,
    meanwhile?: () => Promise<unknown>,
  ): Promise<readonly (string | undefined)[] | undefined>
  /** How often a git that reads objects was started. */
  starts(): Promise<number>
  readonly mark: string
}

/** The clone that an ingest left, read with a git that counts its starts. */
async function openClone(t: TestContext): Promise<Clone> {
  const dir = await temporaryFolder(t)
  const url = await buildRemote(join(dir, 'net.git'), [
    { files: { 'main.tf': 'variable "a" {}\n', 'CHANGELOG.md': 'first\n' } },
  ])
  const env = { PATH: String(process.env['PATH']), HOME: dir, GIT_CONFIG_NOSYSTEM: '1', [TEST_MARK]: dir }
  await (await openIngests(t, dir))([{ url }], { env })
  const commit = execFileSync('git', ['rev-parse', 'main'], {
    cwd: join(dir, 'net.git'),
    encoding: 'utf8',
  }).trim()
  const log = join(dir, 'starts')
  const place = {
    cloneDir: join(dir, 'clones'),
    repository: url,
    commit,
    env: { ...env, PATH: gitAfter(join(dir, 'bin'), `echo >> '${log}'`) },
  }
  return {
    mark: dir,
    names: (signal = new AbortController().signal, meanwhile = async () => undefined) =>
      readClone({ ...place, signal }, async (trees) => {
        await meanwhile()
        const root = await trees.entryAt(commit, '.')
        return root?.entries?.map(({ name }) => name)
      }),
    starts: async () => (await readFile(log, 'utf8')).length,
  }
}

const FILES = ['CHANGELOG.md', 'main.tf']

test('reads of a clone that overlap share one process, and it ends with the last of them', async (t) => {
  const clone = await openClone(t)

  const read = await Promise.all(Array.from({ length: 20 }, () => clone.names()))

  assert.deepEqual(read, Array(20).fill(FILES))
  assert.equal(await clone.starts(), 1)
  assert.deepEqual(await processesLeft(clone.mark), [])
  assert.deepEqual(await clone.names(), FILES)
  assert.equal(await clone.starts(), 2)
})

test('a caller that gives up is told so and takes nothing from the others', async (t) => {
  const clone = await openClone(t)
  const ending = new AbortController()
  let giveUp = (): void => undefined
  const given = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const other = clone.names(undefined, () => given)
  const own = clone.names(ending.signal, () => given)

  ending.abort()
  await assert.rejects(own, { code: 'cancelled' })
  giveUp()

  assert.deepEqual(await other, FILES)
  assert.deepEqual(await processesLeft(clone.mark), [])
})

test('after the process was killed its reads give nothing, and the next read starts another', async (t) => {
  const clone = await openClone(t)
  const kill = async (): Promise<void> => {
    for (const pid of await processesMarked(clone.mark)) process.kill(Number(pid), 'SIGKILL')
    await processesLeft(clone.mark)
  }

  assert.equal(await clone.names(undefined, kill), undefined)
  assert.deepEqual(await clone.names(), FILES)
})
