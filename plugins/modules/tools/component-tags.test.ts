import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, temporaryFolder } from '../../../test/harness/index.ts'
import { createRemovals } from '../catalog/removed-paths.ts'
import { plugin } from '../index.ts'
import { buildRemote, type MadeCommit } from '../testing/build-remote.ts'

type Row = Record<string, unknown>

async function ingested(t: TestContext, commits: readonly MadeCommit[], entry: object = { max_tags: 0 }) {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'mono.git'), commits)
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url, recursive: true, ...entry }] } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  const report = await opened.call('ingest_modules', {})
  assert.deepEqual(report['failures'], [])
  return { opened, root, url }
}

const variable = (name: string): string => `variable "${name}" {}\n`

const COMPONENTS: readonly MadeCommit[] = [
  {
    files: { 'modules/vpc/main.tf': variable('cidr'), 'modules/db/main.tf': variable('d') },
    tags: ['db/v5.0.0', 'vpc/v1.0.0'],
  },
  { files: { 'modules/vpc/main.tf': variable('cidr_block') }, tags: ['vpc/v2.0.0'] },
]

test('a release of another component does not remove a module', async (t) => {
  const { opened } = await ingested(t, [
    { files: { 'modules/queue/main.tf': variable('q') }, tags: ['queue-v3.2.0'] },
    { files: { 'modules/topic/main.tf': variable('t') }, tags: ['topic-v1.0.0'] },
  ])

  const topic = await opened.call('module_usage', { repository: 'mono', path: 'modules/topic' })
  const queue = await opened.call('module_usage', { repository: 'mono', path: 'modules/queue' })
  const found = await opened.call('search_modules', {})

  assert.deepEqual([topic['ref'], topic['removed_since']], ['topic-v1.0.0', undefined])
  assert.deepEqual([queue['ref'], queue['removed_since']], ['queue-v3.2.0', undefined])
  assert.deepEqual(
    (found['results'] as Row[]).map(({ path, ref, removed_since }) => [path, ref, removed_since]).sort(),
    [
      ['modules/queue', 'queue-v3.2.0', undefined],
      ['modules/topic', 'topic-v1.0.0', undefined],
    ],
  )
})

test('the latest version of a module is one of its own component, and no other is proposed', async (t) => {
  const { opened, url } = await ingested(t, COMPONENTS)
  const call = (ref: string): string =>
    `module "net" {\n  source = "git::${url}//modules/vpc?ref=${ref}"\n  cidr_block = "10.0.0.0/16"\n}\n`

  const usage = await opened.call('module_usage', { repository: 'mono', path: 'modules/vpc' })
  const versions = await opened.call('list_module_versions', { repository: 'mono', path: 'modules/vpc' })
  const older = await opened.call('module_upgrade', { hcl: call('vpc/v1.0.0') })

  assert.deepEqual([usage['ref'], usage['required']], ['vpc/v2.0.0', ['cidr_block']])
  assert.deepEqual(
    (versions['versions'] as Row[]).map(({ ref, latest }) => [ref, latest]),
    [
      ['vpc/v2.0.0', true],
      ['vpc/v1.0.0', false],
      ['db/v5.0.0', false],
    ],
  )
  assert.equal((older['calls'] as Row[])[0]?.['to'], 'vpc/v2.0.0')
  await assert.rejects(opened.call('module_upgrade', { hcl: call('vpc/v2.0.0') }), {
    reason: 'nothing_to_upgrade',
  })
})

test('an index that was made again from its files tells components apart', async (t) => {
  const { opened, root } = await ingested(t, COMPONENTS)
  await rm(join(root, 'output', '.satchel', 'index.json'))
  await opened.call('rebuild_modules', {})

  const usage = await opened.call('module_usage', { repository: 'mono', path: 'modules/vpc' })

  assert.equal(usage['ref'], 'vpc/v2.0.0')
})

test('the newest tag of each component is read, however few are asked for', async (t) => {
  const { opened } = await ingested(t, COMPONENTS, {})

  const refs = async (path: string): Promise<unknown[]> => {
    const answer = await opened.call('list_module_versions', { repository: 'mono', path })
    return (answer['versions'] as Row[]).map(({ ref }) => ref)
  }

  assert.deepEqual(await refs('modules/vpc'), ['vpc/v2.0.0', 'db/v5.0.0'])
  assert.deepEqual(await refs('modules/db'), ['db/v5.0.0', 'vpc/v2.0.0'])
})

const UNNAMED: readonly MadeCommit[] = [
  { files: { 'util/main.tf': variable('a') }, tags: ['queue/v1.0.0', 'topic/v1.0.0'] },
  { files: { 'util/main.tf': variable('b') }, tags: ['queue/v1.1.0', 'topic/v7.0.0'] },
]

test('a call of a module that no component names stays in the series that it is pinned to', async (t) => {
  const { opened, url } = await ingested(t, UNNAMED)
  const hcl = `module "u" {\n  source = "git::${url}//util?ref=queue/v1.0.0"\n  a = 1\n}\n`

  const plan = await opened.call('module_upgrade', { hcl })

  assert.deepEqual((plan['calls'] as Row[])[0]?.['to'], 'queue/v1.1.0')
})

test('a comparison with the latest of such a module stays in the series that it begins in, as an upgrade does', async (t) => {
  const commits = [{ files: { 'other/main.tf': variable('o') } }, ...UNNAMED]
  const [read, asked] = [
    await ingested(t, UNNAMED),
    await ingested(t, commits, { max_tags: 0, path: 'other' }),
  ]

  for (const { opened } of [read, asked]) {
    const util = { repository: 'mono', path: 'util' }
    const toOf = async (from: string) => (await opened.call('module_diff', { ...util, from }))['to']
    assert.equal(await toOf('queue/v1.0.0'), 'queue/v1.1.0')
    assert.equal(await toOf('topic/v1.0.0'), 'topic/v7.0.0')
    const other = await opened.call('module_diff', { ...util, from: 'queue/v1.0.0', to: 'topic/v7.0.0' })
    assert.equal(other['to'], 'topic/v7.0.0')
  }
  const vpc = await ingested(t, COMPONENTS)
  const named = { repository: 'mono', path: 'modules/vpc', from: 'db/v5.0.0' }
  assert.equal((await vpc.opened.call('module_diff', named))['to'], 'vpc/v2.0.0')
})

test('only the series that speaks for a directory tells that it was removed', () => {
  const reading = (ref: string, directories: string[], kind: 'tag' | 'branch' = 'tag') => ({
    ...{ ref, ref_kind: kind, path: '.', commit: 'c', options_digest: 'a', directories },
  })
  const main = (...directories: string[]) => reading('main', directories, 'branch')
  const rows: [readings: ReturnType<typeof reading>[], since: string | undefined][] = [
    [[reading('x/v1.0.0', ['x']), reading('y/v2.0.0', ['y'])], undefined],
    [[reading('x/v1.0.0', ['x']), reading('x/v1.1.0', []), reading('y/v2.0.0', ['x'])], 'x/v1.1.0'],
    [[reading('v1.0.0', ['x']), reading('v1.1.0', []), reading('y/v2.0.0', ['x'])], 'v1.1.0'],
    [[reading('v1.0.0', ['x']), reading('y/v2.0.0', [])], undefined],
    // none speaks for x
    [[reading('y/v1.0.0', ['x']), reading('z/v2.0.0', [])], undefined],
    [[reading('y/v1.0.0', ['x']), reading('z/v2.0.0', []), main()], 'main'],
    [[reading('y/v1.0.0', ['x']), reading('y/v2.0.0', []), reading('z/v2.0.0', []), main('x')], undefined],
    [[reading('y/v1.0.0', ['x']), reading('y/v1.1.0', []), reading('z/v2.0.0', [])], 'y/v1.1.0'],
    [[reading('y/v1.0.0', ['x']), reading('y/v1.1.0', []), reading('z/v2.0.0', ['x'])], undefined],
    [[reading('y/v1.0.0', []), reading('z/v1.0.0', []), main()], undefined],
  ]

  for (const [readings, since] of rows) {
    const repository = { repository: 'r', name: 'r', default_branch: 'main', readings }
    assert.equal(createRemovals({ repositories: [repository] })('r', 'x'), since, JSON.stringify(readings))
  }
})

test('of a repository that tags components a directory has the tags that speak for it', async (t) => {
  const files = ['vpc', 'db', 'queue', 'plain'].map((name) => [`modules/${name}/main.tf`, variable(name)])
  const tags = ['vpc/v1.0.0', 'vpc/v2.0.0', 'db/v5.0.0', 'queue-v3.0.0', 'aws-plain-v1.0.0']
  const commits: readonly MadeCommit[] = [{ files: Object.fromEntries(files), tags }]
  const refsOf = async (entry: object, more: readonly string[] = []) => {
    const { opened } = await ingested(t, [{ ...commits[0], tags: [...tags, ...more] }], {
      recursive: false,
      ...entry,
    })
    const { repositories } = await opened.call('list_repositories', {})
    return (repositories as { refs: string[] }[]).flatMap(({ refs }) => refs).sort()
  }
  const leaders = ['aws-plain-v1.0.0', 'db/v5.0.0', 'queue-v3.0.0', 'vpc/v2.0.0']

  assert.deepEqual(await refsOf({ path: 'modules/vpc' }), ['vpc/v2.0.0'])
  assert.deepEqual(await refsOf({ path: 'modules/vpc', max_tags: 0 }), ['vpc/v1.0.0', 'vpc/v2.0.0'])
  assert.deepEqual(await refsOf({ path: 'modules/queue', recursive: true }), ['queue-v3.0.0'])
  assert.deepEqual(await refsOf({ path: 'modules/plain' }), leaders) // perhaps aws-plain is another module
  assert.deepEqual(await refsOf({ path: 'modules', recursive: true }), leaders)
  assert.deepEqual(await refsOf({ path: 'modules/db' }, ['v9.0.0']), ['db/v5.0.0'])
  assert.deepEqual(
    await refsOf({ path: 'modules', recursive: true }, ['v9.0.0']),
    [...leaders, 'v9.0.0'].sort(),
  )
})
