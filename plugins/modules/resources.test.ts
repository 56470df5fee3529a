import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { deleteRefs } from './testing/build-remote.ts'
import { ingested, openStage } from './testing/network-project.ts'

test('a resource gives any ref and path without loss, and completes names', async (t) => {
  const { opened } = await ingested(t)
  const [owned] = opened.host.registry.resources
  const ctx = opened.context()
  const entries = (await owned?.resource.list?.(ctx)) ?? []

  assert.ok(entries.length >= 3)
  for (const { uri } of entries) {
    const [repository = '', ref = '', path = ''] = uri
      .slice('module://'.length)
      .split('/')
      .map(decodeURIComponent)
    const read = await owned?.resource.read(ctx, uri, { repository, ref, path })
    const summary = JSON.parse(read?.text ?? '')
    assert.deepEqual([summary.repository, summary.ref, summary.path], [repository, ref, path])
    assert.doesNotMatch(read?.text ?? '', /obey me/)
  }
  assert.deepEqual(await owned?.resource.complete?.(ctx, 'repository', 'terraform-az'), [
    'terraform-azurerm-store',
  ])
  assert.deepEqual(await owned?.resource.complete?.(ctx, 'ref', 'v'), ['v1.0.0', 'v2.0.0'])
  await assert.rejects(async () => owned?.resource.read(ctx, '', { repository: 'x', ref: 'y', path: '.' }), {
    code: 'not_found',
  })
})

test('a subscriber to the latest version of a module is told of a newer one and of the removal of the newest', async (t) => {
  const { opened, root } = await openStage(t, { repositories: [{ url: './terraform-aws-network.git' }] })
  const told: string[] = []
  opened.host.hub.on('*', (signal) => {
    if (signal.kind === 'resource') told.push(signal.uri)
  })
  const uris = async (input: Record<string, unknown>): Promise<string[]> => {
    told.length = 0
    await opened.call('ingest_modules', input)
    await setImmediate()
    return told.filter((uri) => uri.startsWith('module://terraform-aws-network/')).sort()
  }
  const at = (ref: string) => `module://terraform-aws-network/${ref}/.`

  const first = await uris({})
  const again = await uris({})
  await deleteRefs(join(root, 'terraform-aws-network.git'), ['refs/tags/v2.0.0'])
  const left = await uris({ prune: true })

  assert.deepEqual(first, [at('latest'), at('v2.0.0')])
  assert.deepEqual(again, [])
  assert.deepEqual(left, [at('latest'), at('v1.0.0'), at('v2.0.0')])
})
