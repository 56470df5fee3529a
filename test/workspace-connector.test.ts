import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { realWorld } from '../plugins/workspace/connection/clock.ts'
import { workspacePlugin } from '../plugins/workspace/index.ts'
import { modern } from '../server/mcp/testing/messages.ts'
import { openStdio } from '../server/mcp/testing/stdio-client.ts'
import { openHost, temporaryFolder } from './harness/index.ts'
import { listenerOf } from './workspace-server-fixture.ts'

const PLAN = '# Plan\n\n## Goals\n\nA shop for tea.\n\n## Risks\n\n<<<rain\n'

async function openClient(t: TestContext, settings: Record<string, unknown>) {
  const file = join(await temporaryFolder(t), 'plan.md')
  await writeFile(file, PLAN)
  const plugins = [{ plugin: workspacePlugin(realWorld), settings: { file, ...settings } }]
  const client = openStdio(t, (await openHost(t, { plugins, openListener: listenerOf({}) })).host)
  let id = 0
  const call = async (name: string, args: object) => {
    id += 1
    client.send(modern(id, 'tools/call', { name, arguments: args }))
    const { result } = (await client.answer(id)) as {
      result: {
        content: { type: string; text: string }[]
        isError?: boolean
        structuredContent: Record<string, unknown>
      }
    }
    return result
  }
  const names = async () => {
    id += 1
    client.send(modern(id, 'tools/list'))
    const { result } = (await client.answer(id)) as { result: { tools: { name: string }[] } }
    return result.tools.map(({ name }) => name)
  }
  return { call, names }
}

test('a connector finds and reads by search and fetch: one text, which is the data as JSON', async (t) => {
  const { call } = await openClient(t, { connector: true })
  const proposed = await call('workspace_propose', {
    base_version: 1,
    summary: 'More tea',
    content: '# Plan\n',
  })
  const proposal = `proposal:${String(proposed.structuredContent['proposal_id'])}`

  const found = await call('search', { query: 'TEA' })
  const { results } = JSON.parse(found.content[0]?.text ?? '') as {
    results: { id: string; title: string; url: string }[]
  }
  const read = async (id: string) => JSON.parse((await call('fetch', { id })).content[0]?.text ?? '')

  assert.equal(found.content.length, 1)
  assert.deepEqual(found.structuredContent, { results })
  assert.deepEqual(results.map(({ id }) => id).slice(0, 2), ['section:Plan/Goals', proposal])
  for (const one of results) assert.deepEqual(Object.keys(one), ['id', 'title', 'url'])
  const section = await read('section:Plan/Goals')
  assert.deepEqual(Object.keys(section).sort(), ['id', 'metadata', 'text', 'title', 'url'])
  assert.equal(section.text, '## Goals\n\nA shop for tea.\n\n')
  assert.equal((await read('document')).text, PLAN)
  assert.equal((await read('version:1')).metadata.version, '1')
  assert.match((await read(proposal)).text, /-A shop for tea/)
  const event = results.find(({ id }) => id.startsWith('event:'))?.id ?? ''
  assert.equal((await read(event)).title, 'proposal.created')
})

test('an id that no search gave is refused, and without the setting the tools are not there', async (t) => {
  const { call, names } = await openClient(t, { connector: true })
  const reasons: unknown[] = []
  for (const id of [
    '',
    'version:x',
    'version:99',
    'section:Plan/None',
    'event:99',
    'proposal:x',
    'document:1',
    'toString',
  ]) {
    const refused = await call('fetch', { id })
    reasons.push(refused.isError && (refused.structuredContent['error'] as { reason: string }).reason)
  }
  const bad = 'invalid_request'

  assert.deepEqual(reasons.slice(1), [
    bad,
    'version_not_found',
    'invalid_region',
    bad,
    'proposal_not_found',
    bad,
    bad,
  ])
  assert.ok(reasons[0])
  const listed = await names()
  const plain = await (await openClient(t, {})).names()
  assert.ok(listed.includes('search') && listed.includes('fetch'))
  assert.ok(!plain.includes('search') && !plain.includes('fetch'))
})
