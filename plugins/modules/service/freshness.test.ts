import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildRemote } from '../testing/build-remote.ts'
import { openStage, type Rows } from '../testing/network-project.ts'

test('the first call of a module tool over MCP starts the first ingest, and later calls find it', async (t) => {
  const { opened } = await openStage(t)

  await assert.rejects(opened.call('list_repositories'), {
    code: 'unavailable',
    reason: 'first_ingest_running',
  })
  let listed: Record<string, unknown> | undefined
  // Answers during the ingest say what is read so far.
  while (listed === undefined || 'partial' in listed) {
    await sleep(25)
    listed = await opened.call('list_repositories').catch(() => undefined)
  }

  assert.equal(listed?.['total'], 2)
})

test('with ingest_on_startup a server ingests unasked, and one that is ended immediately does not', async (t) => {
  const settings = { mcp: { ingest_on_startup: true, auto_ingest: false } }
  const brief = await openStage(t, settings)
  await brief.opened.host.stop()

  const { root } = await openStage(t, settings)
  const early = (await readdir(root)).includes('output')
  const finished = async (): Promise<boolean> => {
    const text = await readFile(join(root, 'output/.satchel/index.json'), 'utf8').catch(() => '{}')
    return typeof JSON.parse(text).finished_at === 'string'
  }
  while (!(await finished())) await sleep(25)

  assert.equal(early, false)
  assert.ok((await readdir(join(root, 'output'))).includes('terraform-azurerm-store_1.0.json'))
  assert.ok(!(await readdir(brief.root)).includes('output'))
})

test('an index older than the refresh interval is brought up to date in the background', async (t) => {
  let hours = 0
  const clock = () => new Date(1_800_000_000_000 + hours * 3_600_000)
  const { opened, root } = await openStage(t, { mcp: { refresh_interval_hours: 24 } }, clock)
  await opened.call('ingest_modules', {})
  await buildRemote(join(root, 'terraform-aws-network.git'), [
    { continues: true, files: { 'main.tf': 'variable "renewed" {}\n' }, tags: ['v3.0.0'] },
  ])
  const latest = async () => {
    const { repositories } = (await opened.call('list_repositories', { filter: 'network' })) as {
      repositories: Rows
    }
    return repositories[0]?.['latest']
  }
  const changed: string[] = []
  t.after(opened.host.hub.on('*', (change) => change.kind === 'resource' && changed.push(change.uri)))

  hours = 23
  const early = await latest()
  hours = 25
  let late = await latest()
  // The hints follow the index.
  while (late !== 'v3.0.0' || changed.length === 0) {
    await sleep(25)
    late = await latest()
  }

  assert.equal(early, 'v2.0.0')
  assert.equal(late, 'v3.0.0')
  assert.ok(changed.includes('module://terraform-aws-network/v3.0.0/.'), changed.join('\n'))
  assert.ok(!changed.some((uri) => uri.includes('/v2.0.0/')))
})

test('without auto_ingest, and at other doors, nothing is ingested unasked', async (t) => {
  const off = await openStage(t, { mcp: { auto_ingest: false } })
  const on = await openStage(t)

  const empty = await off.opened.call('list_repositories')
  const atHttp = await on.opened.call('list_repositories', {}, { door: 'http' })

  assert.equal(empty['total'], 0)
  assert.equal(atHttp['total'], 0)
  await assert.rejects(off.opened.call('get_module', { repository: 'x' }), {
    code: 'not_found',
    reason: 'no_index',
    message: /Run `satchel ingest`/,
    next: undefined, // a list of repositories would say the same again
  })
  assert.ok(!(await readdir(off.root)).includes('output'))
  assert.ok(!(await readdir(on.root)).includes('output'))
})
