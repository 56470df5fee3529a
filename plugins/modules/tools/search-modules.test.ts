import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachDoor } from '../../../test/harness/index.ts'
import type { ModuleService } from '../service/module-service.ts'
import { ingested, type Rows } from '../testing/network-project.ts'
import { oneModule } from '../testing/one-module.ts'
import { searchModulesTool } from './search-modules.ts'

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
  assert.equal(none['next'], 'Known providers: aws, azurerm.')
  const { next } = all['truncated'] as { next: { tool: string; args: Record<string, unknown> } }
  const rest = await opened.call(next.tool, next.args)
  const names = [all, rest].flatMap((page) => (page['results'] as Rows).map(({ id }) => id))
  assert.equal(new Set(names).size, names.length)
})

test('where no module has a provider, a search for one says so', async (t) => {
  const { opened } = await oneModule(t, 'variable "size" {}\n')

  const none = await opened.call('search_modules', { query: 'size', provider: 'google' })

  assert.deepEqual([none['results'], none['next']], [[], 'No module has a provider.'])
})

test('of the parts that matched those with the most words of the query come first, of all kinds', async (t) => {
  const inputs = ['aws_tags', ...Array.from({ length: 9 }, (_, at) => `server_${at}`), 'server_endpoint_type']
  const resources = ['aws_eip', 'aws_transfer_user', 'aws_transfer_server']
  const { opened } = await oneModule(
    t,
    [
      ...inputs.map((name) => `variable "${name}" {}`),
      ...resources.map((type) => `resource "${type}" "this" {}`),
    ].join('\n'),
  )
  const namesFor = async (query: string) => {
    const { results } = (await opened.call('search_modules', { query })) as { results: Rows }
    return ((results[0]?.['matched'] ?? []) as Rows).map(({ name }) => name)
  }

  assert.deepEqual(await namesFor('aws_transfer_server'), ['aws_transfer_server', 'aws_transfer_user'])
  const [first, ...others] = await namesFor('endpoint type of the server')
  assert.equal(first, 'server_endpoint_type')
  assert.deepEqual(others, [])
  assert.equal((await namesFor('server')).length, 8)
})

test('a search by words ranks as the search by meaning does in its keyword mode', async (t) => {
  const { opened } = await ingested(t)

  for (const query of ['private network with NAT', 'storage', 'enable_nat', 'netwrok storrage', 'azure']) {
    const byWords = await opened.call('search_modules', { query, kind: 'root' })
    const byMode = await opened.call('search_modules_vector', { query, kind: 'root', mode: 'keyword' })
    const scores = (byWords['results'] as Rows).map(({ id, score }) => [id, score])
    const distances = (byMode['results'] as Rows).map(({ id, distance }) => [id, 1 - Number(distance)])
    assert.ok(scores.length > 0, query)
    assert.deepEqual(
      scores.map(([id]) => id),
      distances.map(([id]) => id),
      query,
    )
    for (const [at, [, score]] of scores.entries())
      assert.ok(Math.abs(Number(score) - Number(distances[at]?.[1])) < 2e-6, query)
  }
})

test('both searches refuse a query with NUL or half of a surrogate pair', async (t) => {
  const { opened } = await ingested(t)

  for (const query of ['a\0b', '\ud800', 'network \udc00']) {
    for (const tool of ['search_modules', 'search_modules_vector'])
      await assert.rejects(opened.call(tool, { query }), { code: 'invalid', reason: 'options_invalid' }, tool)
  }
})

test('every door says that nothing fits, as a search by meaning does, and shows the nearest', async (t) => {
  const { opened } = await ingested(t)

  await forEachDoor(t, opened, async (door) => {
    const told = []
    for (const query of ['azure data factory network', 'private network with NAT', 'enable_nat']) {
      const byWords = await door.call('search_modules', { query })
      const byMode = await door.call('search_modules_vector', { query, mode: 'keyword' })
      assert.ok(byWords.ok && byMode.ok, door.name)
      assert.equal(byWords.data['nothing_fits'], byMode.data['nothing_fits'], `${door.name}: ${query}`)
      told.push(byWords.data['nothing_fits'] ?? false)
      const { results, next } = byWords.data as { results: Rows; next?: string }
      assert.ok(results.length > 0 && results.length <= 3, door.name)
      assert.equal(/Nothing fits/.test(next ?? ''), byWords.data['nothing_fits'] === true)
    }
    assert.deepEqual(told, [true, false, false], door.name)
  })
  const { headline } = searchModulesTool({} as ModuleService) // it needs no service
  const told = await opened.call('search_modules', { query: 'azure data factory network' })
  assert.match(
    headline?.(told as never) ?? '',
    /^Nothing fits "azure data factory network"; the nearest \d module/,
  )
})

test('the nearest are listed to their end, in pages that say the same of what fits', async (t) => {
  const { opened } = await ingested(t)
  const asked = { query: 'azure data factory network', limit: 1 }

  const pages = []
  for (let args: Record<string, unknown> | undefined = asked; args; ) {
    const page = await opened.call('search_modules', args)
    pages.push(page)
    args = (page['truncated'] as { next: { args: Record<string, unknown> } } | undefined)?.next.args
  }
  const whole = await opened.call('search_modules', { query: asked.query })

  assert.deepEqual(
    pages.flatMap(({ results }) => results),
    whole['results'],
  )
  assert.ok(pages.every(({ nothing_fits }) => nothing_fits === true))
})
