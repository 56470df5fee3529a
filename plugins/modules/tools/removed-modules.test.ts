import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openHost, temporaryFolder } from '../../../test/harness/index.ts'
import { createRemovals } from '../catalog/removed-paths.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { upgradeProject } from '../testing/upgrade-project.ts'

type Row = Record<string, unknown>

test('a directory that the newest release lacks is marked everywhere, ranks last, and is not proposed without its ref', async (t) => {
  const { opened } = await upgradeProject(t)
  const name = { repository: 'terraform-aws-cluster', path: 'modules/node' }
  const marks = (answer: Row): unknown[] =>
    (answer['results'] as Row[]).map((row) => [row['path'], row['removed_since']])

  const found = await opened.call('search_modules', { query: 'pool of nodes' })
  const all = await opened.call('search_modules', {})
  const meant = await opened.call('search_modules_vector', { query: 'pool of nodes', mode: 'keyword' })
  const versions = await opened.call('list_module_versions', name)
  const repositories = await opened.call('list_repositories', {})
  const diff = await opened.call('module_diff', { ...name, from: 'v1.0.0' })
  const pinned = await opened.call('module_usage', { ...name, ref: 'v1.0.0' })
  const living = await opened.call('list_module_versions', { ...name, path: 'modules/worker' })

  assert.deepEqual(marks(found).slice(0, 2), [
    ['modules/worker', undefined],
    ['modules/node', 'v2.0.0'],
  ])
  assert.deepEqual(marks(all).at(-1), ['modules/node', 'v2.0.0'])
  const hits = (meant['results'] as { metadata: Row; removed_since?: string; distance: number }[]).map(
    ({ metadata, removed_since, distance }) => [metadata['path'], removed_since, Number.isFinite(distance)],
  )
  assert.deepEqual(hits.slice(0, 2), [
    ['modules/worker', undefined, true],
    ['modules/node', 'v2.0.0', true],
  ])
  assert.deepEqual([versions['removed_since'], versions['moved_to']], ['v2.0.0', 'modules/worker'])
  assert.deepEqual([living['removed_since'], living['moved_to']], [undefined, undefined])
  assert.equal((repositories['repositories'] as Row[])[0]?.['module_count'], 2)
  assert.equal(diff['verdict'], 'breaking')
  assert.match(JSON.stringify(diff['changes']), /module_removed.*removed in v2\.0\.0/)
  assert.equal(pinned['removed_since'], 'v2.0.0')
  for (const input of [name, { ...name, ref: 'latest' }, { id: String(pinned['id']) }]) {
    await assert.rejects(opened.call('module_usage', input), {
      code: 'conflict',
      reason: 'module_removed',
      message: /removed from .* in v2\.0\.0; v1\.0\.0 was .* Perhaps it is modules\/worker now \(a guess/,
    })
  }
  await assert.rejects(opened.call('module_usage', { ...name, ref: 'v2.0.0' }), {
    code: 'not_found',
    reason: 'module_not_found',
    message: /no module at modules\/node in v2\.0\.0/,
  })
})

test('a directory that its branch no longer has is marked, not proposed, and a call of it is not judged by what it was', async (t) => {
  const root = await temporaryFolder(t)
  const remote = join(root, 'terraform-aws-net.git')
  const moved = {
    'modules/old/main.tf': 'variable "name" {}\n',
    'modules/peering/main.tf': 'variable "size" {}\n',
  }
  const url = await buildRemote(remote, [{ files: moved }])
  const settings = { repositories: [{ url, branches: ['main'], include_tags: false, recursive: true }] }
  const env = { PATH: process.env['PATH'] }
  const opened = await openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env })
  await opened.call('ingest_modules', {})
  const renamed = { 'modules/older/main.tf': 'variable "name" {}\n' }
  await buildRemote(remote, [{ continues: true, removes: ['modules/old/main.tf'], files: renamed }])
  await opened.call('ingest_modules', {})
  const name = { repository: 'terraform-aws-net', path: 'modules/old' }

  const found = (await opened.call('search_modules', {}))['results'] as Row[]
  const calls = ['?ref=main', ''].map(
    (ref, at) => `module "m${at}" {\n  source = "git::${url}//modules/old${ref}"\n  name   = "x"\n}\n`,
  )
  const { blocks } = await opened.call('module_check', { hcl: calls.join('') })

  assert.deepEqual(
    found.map(({ path, removed_since }) => [path, removed_since]),
    [
      ['modules/older', undefined],
      ['modules/peering', undefined],
      ['modules/old', 'main'],
    ],
  )
  const said = (blocks as { findings: Row[] }[]).map(({ findings }) =>
    findings.map(({ code, message }) => `${String(code)}: ${String(message)}`),
  )
  const missing = `module_missing: ${url} has no module at modules/old in main. Nearest: modules/older, modules/peering.`
  assert.deepEqual(said, [[missing], [missing]])
  for (const input of [name, { ...name, ref: 'main' }])
    await assert.rejects(opened.call('module_usage', input), {
      code: 'not_found',
      message: /no module at modules\/old in main\. Nearest: modules\/older/,
    })
})

test('only releases that were read alike tell that a directory was removed', () => {
  const reading = (ref: string, directories: string[], more: object = {}) => ({
    ...{ ref, ref_kind: 'tag' as const, path: '.', commit: 'c', options_digest: 'a', directories },
    ...more,
  })
  const rows: [readings: ReturnType<typeof reading>[], since: string | undefined][] = [
    [[reading('v1.0.0', ['x']), reading('v2.0.0', ['.'])], 'v2.0.0'],
    [[reading('v1.0.0', ['x']), reading('v1.9.0', []), reading('v1.10.0', [])], 'v1.9.0'],
    [[reading('v1.0.0', ['x']), reading('v2.0.0', []), reading('v3.0.0', ['x'])], undefined],
    [[reading('v1.0.0', ['x']), reading('v2.0.0', [], { options_digest: 'b' })], undefined],
    [[reading('v1.0.0', ['x']), reading('v2.0.0', [], { path: 'y' })], undefined],
    [[reading('v1.0.0', ['x']), reading('v2.0.0-rc1', [])], undefined],
    [[reading('v1.0.0', []), reading('main', ['x'], { ref_kind: 'branch' })], undefined],
    [[reading('v1.0.0', ['x']), reading('v2.0.0', []), reading('v2.0.0', ['x'], { path: 'x' })], undefined],
    // a deleted release
    [[reading('v1.0.0', ['x']), reading('v2.0.0', [], { commit: '' })], undefined],
  ]

  for (const [readings, since] of rows) {
    const repository = { repository: 'r', name: 'r', default_branch: null, readings }
    assert.equal(createRemovals({ repositories: [repository] })('r', 'x'), since, JSON.stringify(readings))
  }
})
