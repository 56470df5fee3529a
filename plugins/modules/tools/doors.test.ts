import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDoors } from '../../../test/harness/index.ts'
import { ingested, openStage, type Rows } from '../testing/network-project.ts'

test('the tools of ingested modules give equal data at every door', async (t) => {
  const { opened, network } = await ingested(t)
  const found = await opened.call('search_modules', { query: 'private network nat gateway' })
  const id = String((found['results'] as Rows)[0]?.['id'])
  const hcl = `module "n" {\n  source = "git::${network}?ref=v2.0.0"\n  cidr = 5\n  cidrs = []\n}\n`
  const calls: [string, Record<string, unknown>][] = [
    ['list_repositories', { filter: 'network' }],
    ['search_modules', { query: 'nat', provider: 'amazon' }],
    ['search_modules', {}],
    ['get_module', { id }],
    ['get_module', { id, detail: 'full' }],
    ['get_module', { id, fields: ['outputs', 'resources'] }],
    ['list_module_versions', { id }],
    ['module_usage', { id, optional: true }],
    ['module_check', { hcl }],
    ['module_diff', { repository: 'terraform-aws-network', from: 'v1.0.0', to: 'v2.0.0' }],
    ['get_module', { id: 'ffffffff' }],
  ]
  const plain = (outcome: unknown): unknown =>
    JSON.parse(
      JSON.stringify(outcome).replace(
        /<<<untrusted-[0-9a-f]{16} [^\n\\]*\\n(.*?)\\nuntrusted-[0-9a-f]{16}>>>/gs,
        '$1',
      ),
    )

  for (const [tool, input] of calls) {
    let first: unknown
    for (const door of await openDoors(t, opened)) {
      if (!door.serves(tool)) continue
      const outcome = await door.call(tool, input)
      const data = plain(outcome.ok ? outcome.data : [outcome.error.code, outcome.error.reason])
      // The MCP doors clean what others wrote: that is tested below.
      const comparable = input['detail'] === 'full' ? Object.keys(data as object) : data
      first ??= comparable
      assert.deepEqual(comparable, first, `${tool} at ${door.name}`)
    }
  }
})

test('an ingest and an analysis answer alike at every door', async (t) => {
  const { opened, root } = await openStage(t)
  const entry = { url: './terraform-aws-network.git', max_tags: 1 }
  const asked: [string, Record<string, unknown>][] = [
    ['ingest', { repositories: [entry, { url: './none.git' }] }],
    ['ingest_modules', { repositories: [entry, { url: './none.git' }] }],
    ['ingest_repositories', { repositories: [entry, { url: './none.git' }] }],
    ['ingest_from_yaml', { yaml: JSON.stringify({ repositories: [entry, { url: './none.git' }] }) }],
  ]
  const reports: [string, unknown][] = []
  const analyses: [string, unknown][] = []

  for (const door of await openDoors(t, opened)) {
    for (const [tool, input] of asked.filter(([name]) => door.serves(name))) {
      await rm(join(root, 'output'), { recursive: true, force: true })
      const outcome = await door.call(tool, input)
      assert.ok(outcome.ok, `${tool} at ${door.name}`)
      const { duration_ms: _, summaries: __, count: ___, message: ____, ...report } = outcome.data
      reports.push([`${tool} at ${door.name}`, report])
    }
    if (!door.serves('analyze_repository')) continue
    const outcome = await door.call('analyze_repository', { repository_url: './terraform-aws-network.git' })
    analyses.push([door.name, outcome.ok && outcome.data])
  }

  const ways = reports.map(([where]) => where)
  for (const where of ['ingest at cli', 'ingest_modules at stdio', 'ingest_repositories at rest']) {
    assert.ok(ways.includes(where), ways.join())
  }
  for (const [where, report] of reports) assert.deepEqual(report, reports[0]?.[1], where)
  assert.ok(analyses.length >= 2)
  for (const [where, analysis] of analyses) assert.deepEqual(analysis, analyses[0]?.[1], where)
})

test('unknown ids, repositories and refs name what is near', async (t) => {
  const { opened } = await ingested(t)

  await assert.rejects(opened.call('get_module', { repository: 'terraform-aws-netwrk' }), {
    code: 'not_found',
    reason: 'module_not_found',
    message: /terraform-aws-network/,
  })
  await assert.rejects(opened.call('get_module', { repository: 'terraform-aws-network', ref: 'v2.0.1' }), {
    reason: 'module_not_found',
    message: /v2\.0\.0/,
  })
  await assert.rejects(opened.call('get_module', {}), { code: 'invalid', reason: 'options_invalid' })
  await assert.rejects(opened.call('get_module', { id: 'abc' }), { code: 'not_found' })
  await assert.rejects(opened.call('search_modules', { query: 'x', cursor: '-1' }), {
    reason: 'options_invalid',
  })
})
