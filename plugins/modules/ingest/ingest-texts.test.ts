import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { modulesConfig } from '../config.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { MAIN, openWorld } from '../testing/ingest-world.ts'
import type { RepositoryPlan } from './plan.ts'
import { type RunRequest, sayOf } from './run.ts'

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 120\n`

test('a pointer of Git LFS is named as one, once for all refs', async (t) => {
  const world = await openWorld(t)
  const tags = ['v1.0.0', 'v1.1.0', 'v1.2.0', 'v1.3.0', 'v1.4.0']
  const url = await buildRemote(join(world.dir, 'large.git'), [
    { files: { 'main.tf': MAIN, 'large.tf': POINTER, 'more.tf': POINTER, 'last.tf': POINTER }, tags },
  ])

  const { warnings, failures } = await world.run([{ url, max_tags: 0 }])

  assert.deepEqual(failures, [])
  assert.deepEqual(
    warnings.map(({ code, ref }) => [code, ref]),
    [['file_not_understood', 'v1.0.0']],
  )
  assert.match(
    warnings[0]?.message ?? '',
    /^large\.tf was not read whole: It is a pointer of Git LFS, .*git lfs migrate.* The same goes for 2 more files of this ref: last\.tf, …\. The same at 4 more refs: v1\.1\.0, v1\.2\.0, v1\.3\.0, …\.$/,
  )
})

test('progress says which ref failed, not that the repository did', async (t) => {
  const world = await openWorld(t)
  const url = await buildRemote(join(world.dir, 'odd.git'), [
    { files: { 'main.tf': MAIN }, tags: ['v1.0.0'] },
  ])
  const said: string[] = []
  const progress = (_done: number, _total: number | undefined, message?: string): void => {
    if (message !== undefined) said.push(message)
  }

  await world.run([{ url, branches: ['absent', 'main'] }, { url: `${url}.none` }], { progress })

  assert.ok(
    said.some((line) => /^odd: done but for absent: ref_not_found$/.test(line)),
    said.join('\n'),
  )
  assert.ok(
    said.some((line) => /failed: repository_not_found$/.test(line)),
    said.join('\n'),
  )
})

test('progress over several repositories is told in plain numbers', () => {
  const plans = ['a', 'b', 'c'].map((url) => ({ entries: [], remote: { url } }) as unknown as RepositoryPlan)
  const told: number[] = []
  const say = sayOf(plans, { progress: (done: number) => told.push(done) } as unknown as RunRequest)

  for (const [at, share] of [1, 0.1, 0.1].entries()) say(plans[at] as RepositoryPlan, share, 'reading')

  assert.deepEqual(told, [1, 1.1, 1.2])
})

test('an address alone in the list of repositories is told how an entry is written', () => {
  const { error } = modulesConfig.safeParse({ repositories: ['https://git.example.com/net'] })
  const other = modulesConfig.safeParse({ repositories: [{ url: 1 }] }).error

  assert.deepEqual(
    error?.issues.map(({ path, message }) => [path.join('.'), message]),
    [['repositories.0', 'an entry is a mapping: write `- url: https://…`']],
  )
  assert.doesNotMatch(other?.issues[0]?.message ?? '', /an entry is/)
})
