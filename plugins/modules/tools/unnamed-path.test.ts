import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { forEachDoor, openHost, temporaryFolder } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { buildRemote, type MadeCommit } from '../testing/build-remote.ts'

type Row = Record<string, unknown>

const variable = (name: string): string => `variable "${name}" {}\n`

const HISTORY: readonly MadeCommit[] = [
  {
    files: { 'modules/vpc/main.tf': variable('cidr'), 'modules/db/main.tf': variable('size') },
    tags: ['v1.0.0'],
  },
  {
    files: { 'modules/vpc/main.tf': variable('block'), 'modules/db/main.tf': variable('storage') },
    tags: ['v2.0.0'],
  },
  { branch: 'work', files: { 'modules/db/main.tf': variable('draft') } },
]

async function ingested(t: TestContext, entry: object, commits = HISTORY) {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'mono.git'), commits)
  const opened = await openHost(t, {
    plugins: [{ plugin, settings: { repositories: [{ url, ...entry }] } }],
    projectRoot: root,
    env: { PATH: process.env['PATH'] },
  })
  await opened.call('ingest_modules', {})
  return { opened, url }
}

const MONO = { repository: 'mono' }

test('the name of a repository means the only directory that the configuration names, where it has no root', async (t) => {
  const { opened } = await ingested(t, { path: 'modules/vpc', max_tags: 1 })

  for (const tool of ['get_module', 'module_usage', 'list_module_versions'])
    assert.equal((await opened.call(tool, MONO))['path'], 'modules/vpc', tool)
  assert.equal((await opened.call('get_module', { ...MONO, ref: 'v1.0.0' }))['path'], 'modules/vpc')
  const diff = await opened.call('module_diff', { ...MONO, from: 'v1.0.0' })
  assert.deepEqual([diff['path'], diff['to']], ['modules/vpc', 'v2.0.0'])
})

test('a repository without a root is refused with directories that it has and a search in it', async (t) => {
  const many = Object.fromEntries(
    ['a', 'b', 'c', 'deep/d', 'examples/x'].map((at) => [`${at}/main.tf`, variable('v')]),
  )
  const { opened, url } = await ingested(t, { recursive: true }, [{ files: many, tags: ['v1.0.0'] }])

  for (const [tool, more] of [
    ['get_module', {}],
    ['get_module', { ref: 'v1.0.0' }],
    ['module_usage', {}],
    ['list_module_versions', {}],
    ['module_diff', { from: 'v1.0.0' }],
  ] as const)
    await assert.rejects(opened.call(tool, { ...MONO, ...more }), (thrown: unknown) => {
      const { reason, message, details, next } = thrown as Row & { message: string; next: Row }
      assert.equal(reason, 'module_not_found')
      assert.match(message, /no module at its root\. It has a, b, c, and 2 more\. Name one as path\./)
      assert.deepEqual(details, { path: '.', nearest: ['a', 'b', 'c'] })
      assert.deepEqual([next['tool'], next['args']], ['search_modules', { repository: url }])
      return true
    })
})

test('the newest version of a directory that no ingest was asked for is read', async (t) => {
  const { opened, url } = await ingested(t, { path: 'modules/vpc', max_tags: 0, branches: ['work'] })
  const db = { ...MONO, path: 'modules/db' }
  const hcl = (ref: string): string => `module "d" {\n  source = "git::${url}//modules/db${ref}"\n}\n`

  for (const tool of ['get_module', 'module_usage']) {
    assert.equal((await opened.call(tool, db))['ref'], 'v2.0.0', tool)
    assert.equal((await opened.call(tool, { ...db, ref: 'latest' }))['ref'], 'v2.0.0', tool)
  }
  assert.equal((await opened.call('module_diff', { ...db, from: 'v1.0.0' }))['to'], 'v2.0.0')
  const { calls } = await opened.call('module_upgrade', { hcl: hcl('?ref=v1.0.0') })
  assert.deepEqual(
    (calls as Row[]).map(({ from, to }) => [from, to]),
    [['v1.0.0', 'v2.0.0']],
  )
  const { blocks } = await opened.call('module_check', { hcl: hcl('') })
  assert.match(JSON.stringify(blocks), /"ref":"main".*missing_input/)
  await assert.rejects(opened.call('get_module', { ...MONO, path: 'modules/vcp' }), {
    reason: 'module_not_found',
    message: /Nearest: modules\/vpc/,
  })
})

test('the newest version of a directory that was not asked for is not a tag of another component', async (t) => {
  const { opened, url } = await ingested(t, { path: 'modules/vpc', max_tags: 0, branches: ['main'] }, [
    {
      files: { 'modules/vpc/main.tf': variable('a'), 'modules/db/main.tf': variable('b') },
      tags: ['db/v1.0.0', 'vpc/v3.0.0', 'vpc/v2.0.0'],
    },
  ])
  const { ref } = await opened.call('get_module', { ...MONO, path: 'modules/db' })
  const hcl = `module "d" {\n  source = "git::${url}//modules/db?ref=vpc/v2.0.0"\n}\n`
  const { calls } = await opened.call('module_upgrade', { hcl })

  assert.equal(ref, 'main')
  assert.deepEqual(
    (calls as Row[]).map(({ from, to }) => [from, to]),
    [['vpc/v2.0.0', 'main']],
  )
})

test('a filter for a repository that there is not is refused at every door, with the nearest', async (t) => {
  const { opened } = await ingested(t, { recursive: true })

  await forEachDoor(t, opened, async (door) => {
    for (const [tool, more] of [
      ['search_modules', {}],
      ['search_modules', { query: 'cidr' }],
      ['search_modules_vector', { query: 'cidr', mode: 'keyword' }],
    ] as const) {
      if (!door.serves(tool)) continue
      const outcome = await door.call(tool, { ...more, repository: 'mnoo' })
      assert.ok(!outcome.ok, `${tool} at ${door.name}`)
      assert.equal(outcome.error.reason, 'module_not_found')
      const { message = 'no repository "mnoo". Nearest: mono' } = outcome.error // a door may tell the reason alone
      assert.match(message, /no repository "mnoo"\. Nearest: mono/)
      assert.ok((await door.call(tool, { ...more, repository: 'mono' })).ok)
    }
  })
})
