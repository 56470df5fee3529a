import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ingested, type Rows } from '../testing/network-project.ts'

test('a search by words finds the module and says which of its parts matched', async (t) => {
  const { opened } = await ingested(t)

  const found = await opened.call('search_modules', { query: 'private network with NAT' })
  const azure = await opened.call('search_modules', { query: 'storage', provider: 'azure' })
  const none = await opened.call('search_modules', { query: 'storage', provider: 'google' })
  const all = await opened.call('search_modules', { limit: 2 })

  const [best] = found['results'] as Rows
  assert.deepEqual([best?.['name'], best?.['path'], best?.['ref']], ['terraform-aws-network', '.', 'v2.0.0'])
  assert.ok(
    ((best?.['matched'] ?? []) as Rows).some(
      ({ field, name }) => field === 'variables' && name === 'enable_nat',
    ),
  )
  assert.equal(azure['count'], 1)
  assert.ok(Number((await opened.call('search_modules', { query: 'a the' }))['count']) >= 1)
  assert.deepEqual(none['results'], [])
  const { next } = all['truncated'] as { next: { tool: string; args: Record<string, unknown> } }
  const rest = await opened.call(next.tool, next.args)
  const names = [all, rest].flatMap((page) => (page['results'] as Rows).map(({ id }) => id))
  assert.equal(new Set(names).size, names.length)
})
