import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { forEachDoor } from '../../../test/harness/index.ts'
import type { ModuleService } from '../service/module-service.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { type Hit, ingested, network, openStage } from '../testing/search-project.ts'
import { searchModulesVectorTool } from './search-modules-vector.ts'

test('after an ingest a question in other words finds the module, in the shape the specification names', async (t) => {
  const { host, search } = await ingested(t)

  const answer = await search(host, { query: 'in memory cache' })
  const [first] = answer.results

  assert.match(first?.metadata['repository'] ?? '', /terraform-google-redis/)
  assert.deepEqual(Object.keys(first?.metadata ?? {}), [
    'repository',
    'ref',
    'path',
    'provider',
    'providers',
    'tags',
    'last_updated',
  ])
  assert.match(first?.id ?? '', /^[0-9a-f]{64}$/)
  assert.equal(answer['count'], answer.results.length)
  assert.equal(answer['query'], 'in memory cache')
  assert.equal(answer['strategy'], 'vectordb-default')
  assert.match(first?.document ?? '', /^Description: .*\n\nREADME: # Redis/s)
  assert.ok(
    answer.results.every((hit, at) => at === 0 || hit.distance >= (answer.results[at - 1]?.distance ?? 0)),
  )
})

test('five tags of a module are one result with its other refs; all versions are five; examples only when asked', async (t) => {
  const { host, search } = await ingested(t)

  const latest = await search(host, { query: 'private network subnets' })
  const all = await search(host, {
    query: 'private network subnets',
    all_versions: true,
    repository: 'terraform-aws-network',
  })
  const one = await search(host, { query: 'private network subnets', ref: 'v1.2.0' })
  const examples = await search(host, { query: 'example_only', kind: 'example' })

  assert.equal(latest.results[0]?.metadata['ref'], 'v1.5.0')
  assert.deepEqual(latest.results[0]?.other_refs, ['v1.4.0', 'v1.3.0', 'v1.2.0', 'v1.1.0'])
  assert.equal(all.results.filter(({ metadata }) => metadata['path'] === '.').length, 5)
  assert.equal(one.results[0]?.metadata['ref'], 'v1.2.0')
  assert.equal(examples.results[0]?.metadata['path'], 'examples/simple')
  assert.ok(latest.results.every(({ metadata }) => !metadata['path']?.startsWith('examples')))
})

test('what only older versions have is found and called older, and not looked for where a latest one has it', async (t) => {
  const { host, search, root } = await ingested(t)
  const files = (text: string) => ({ 'main.tf': network(1), 'README.md': `# Stable\n\n${text}\n` })
  const url = await buildRemote(join(root, 'terraform-aws-late.git'), [
    { files: files('A stable for zebras and what they eat.'), tags: ['v1.0.0'] },
    { files: files('A stable for horses and what they eat.'), tags: ['v2.0.0'] },
  ])
  await host.call('ingest_modules', { repositories: [{ url, max_tags: 0 }] })

  for (const mode of ['hybrid', 'keyword', 'vector']) {
    const older = await search(host, { query: 'zebras', mode })
    const latest = await search(host, { query: 'zebras or horses', mode })
    const named = await search(host, { query: 'zebras', ref: 'v2.0.0', mode })

    assert.deepEqual(
      older.results.map(({ metadata, other_refs }) => [metadata['ref'], other_refs]),
      [['v1.0.0', ['v2.0.0']]],
      mode,
    )
    assert.equal(older['older_versions'], true, mode)
    assert.match(String(older['next']), /these are older ones/)
    assert.equal(latest.results[0]?.metadata['ref'], 'v2.0.0', mode)
    assert.equal(latest['older_versions'], undefined, mode)
    assert.deepEqual([named.results, named['older_versions']], [[], undefined], mode)
  }
})

test('a ref may lack the "v" of its tag or be the latest, and an unknown one says which are nearest', async (t) => {
  const { host, search } = await ingested(t)
  const refsOf = async (ref: string) =>
    (await search(host, { query: 'private network', ref })).results.map(({ metadata }) => metadata['ref'])

  assert.deepEqual(await refsOf('1.2.0'), ['v1.2.0'])
  assert.equal((await refsOf('latest'))[0], 'v1.5.0')
  const unknown = await search(host, { query: 'private network', ref: '1.2.9' })
  assert.deepEqual(unknown.results, [])
  assert.match(String(unknown['next']), /^No such module has the ref "1\.2\.9"\. Nearest: v1\.2\.0, /)
  const other = await search(host, { query: 'qwxzkj', ref: '1.2.0' })
  assert.equal(other['next'], 'Try other words or fewer filters.')
})

test('a filter takes any provider of a module, and an unknown one says which there are', async (t) => {
  const { host, search } = await ingested(t)

  assert.equal((await search(host, { query: 'redis', provider: 'google' })).results.length, 1)
  assert.equal((await search(host, { query: 'redis', provider: 'gcp' })).results.length, 1)
  const unknown = await search(host, { query: 'redis', provider: 'oracle' })
  assert.deepEqual(unknown.results, [])
  assert.deepEqual(unknown['details'], { known_providers: ['aws', 'google', 'random'] })
})

test('the modes differ, explain says why, and nonsense finds nothing', async (t) => {
  const { host, search } = await ingested(t)

  for (const mode of ['vector', 'keyword', 'hybrid']) {
    const { results } = await search(host, { query: 'private network', mode, explain: true })
    assert.ok(results.length > 0, mode)
    assert.equal(results[0]?.explain?.vector === undefined, mode === 'keyword')
  }
  assert.deepEqual((await search(host, { query: 'qwxzkj vbnmpq' })).results, [])
  assert.equal((await search(host, { query: 'memorystoree', mode: 'keyword' }))['fuzzy'], true)
})

test('switched off, empty or damaged, the search says so and what to do', async (t) => {
  const stage = await openStage(t)
  const embedding = stage.settings['embedding'] as object
  const off = await stage.open({ embedding: { enabled: false } })
  const on = await stage.open()

  await assert.rejects(off.call('search_modules_vector', { query: 'x' }), {
    code: 'invalid',
    reason: 'embeddings_disabled',
    message: /^Nothing has been ingested yet, .* then run `satchel ingest`/,
  })
  await assert.rejects(on.call('search_modules_vector', { query: 'x' }), {
    code: 'not_found',
    reason: 'no_vectors',
  })
  await off.call('ingest_modules')
  await assert.rejects(off.call('search_modules_vector', { query: 'x' }), {
    reason: 'embeddings_disabled',
    message: /^Searching by meaning needs vectors/,
  })
  assert.ok((await stage.search(off, { query: 'redis', mode: 'keyword' })).results.length > 0)
  await on.call('ingest_modules')
  await writeFile(join(stage.root, 'vectors/infra_modules/current'), 'satchel')
  await assert.rejects(on.call('search_modules_vector', { query: 'x' }), {
    code: 'conflict',
    reason: 'store_damaged',
  })
  const weightless = await stage.open({ embedding: { ...embedding, keyword_weight: 0, vector_weight: 0 } })
  await assert.rejects(weightless.call('search_modules_vector', { query: 'x' }), {
    reason: 'options_invalid',
  })
})

test('bad queries and limits are refused, and long ones are answered', async (t) => {
  const { host, search } = await ingested(t)

  for (const input of [
    { query: '' },
    { query: '   ' },
    { query: 'a\0b' },
    { query: '\ud800' },
    { query: 'x'.repeat(2001) },
    { query: 'x', limit: 0 },
    { query: 'x', limit: -1 },
    { query: 'x', limit: 1e9 },
    { query: 'x', limit: '10' },
  ]) {
    await assert.rejects(search(host, input), { code: 'invalid' }, JSON.stringify(input).slice(0, 40))
  }
  for (const query of [
    'x'.repeat(2000),
    'the and of',
    '((((((((',
    '.*'.repeat(500),
    'private '.repeat(200).trim(),
  ]) {
    await search(host, { query })
  }
})

test("a user's own concepts are searched, and a broken file of them says where it is broken", async (t) => {
  const stage = await openStage(t)
  const config = join(stage.root, 'satchel.yaml')
  const lexicon = join(stage.root, 'satchel.lexicon.json')
  const yaml = `embedding: { enabled: true, vectordb_path: ${join(stage.root, 'own')} }\noutput_dir: ${join(stage.root, 'own-out')}\nclone_dir: ${join(stage.root, 'own-clones')}\nrepositories: ${JSON.stringify(stage.settings['repositories'])}\n`
  await writeFile(config, yaml)
  const host = await stage.open()
  const many = Array.from({ length: 501 }, (_, n) => `{"id": "g${n}", "phrases": ["x"]}`)
  const phrases = JSON.stringify(Array.from({ length: 51 }, () => 'x'))
  for (const [line, text] of [
    [1, '{'],
    [3, '{\n "groups": [\n  {"id": "a" "phrases": ["x"]}\n]}'],
    [3, '{"groups": [\n  {"id": "fine", "phrases": ["x"]},\n  {"id": "A B", "phrases": ["x"]}\n]}'],
    [4, '{\n "groups": [\n  {"id": "a", "phrases": [\n   ""\n]}]}'],
    [1, '{"group":[]}'],
    [2, `{\n"groups": [${many.join()}]}`],
    [3, `{"groups": [\n{"id": "a",\n"phrases": ${phrases}}]}`],
  ] as const) {
    await writeFile(lexicon, text)
    await assert.rejects(
      stage.search(host, { query: 'x', mode: 'keyword', config_file: config }),
      (error: Error & { code: string; reason: string; details: { line: number } }) => {
        assert.deepEqual([error.code, error.reason], ['invalid', 'lexicon_invalid'])
        assert.equal(error.details.line, line, text.slice(0, 60))
        return error.message.includes(`(line ${line})`)
      },
    )
  }
  await writeFile(lexicon, '{"groups": [{"id": "cellar", "phrases": ["wine cellar", "redis"]}]}')
  const own = await stage.open({
    output_dir: join(stage.root, 'own-out'),
    embedding: { enabled: true, vectordb_path: join(stage.root, 'own') },
  })
  await own.call('ingest_from_yaml', { yaml })
  const found = await stage.search(own, { query: 'wine cellar', mode: 'keyword', config_file: config })
  assert.match(found.results[0]?.metadata['repository'] ?? '', /redis/)
})

test('a query that is the name of an input or resource finds the modules that have it before all others', async (t) => {
  const { host, search } = await ingested(t)

  for (const [query, name] of [
    ['memory_size_gb', 'redis'],
    ['aws_vpc', 'network'],
    ['google_redis_instance', 'redis'],
  ] as const) {
    const { results } = await search(host, { query, explain: true })
    assert.match(results[0]?.metadata['repository'] ?? '', new RegExp(name), query)
    assert.ok(results.every(({ distance }) => distance >= 0 && distance <= 1))
    assert.ok((results[0]?.distance ?? 1) <= 0.5)
    assert.ok(results.slice(1).every(({ distance }) => distance > 0.5))
  }
})

test('every door gives the same ranking, and the text of a module reaches a model as one line', async (t) => {
  const { host } = await ingested(t)
  let ids: unknown
  await forEachDoor(t, host, async (door) => {
    const outcome = await door.call('search_modules_vector', { query: 'cache', limit: 2 })
    assert.ok(outcome.ok, door.name)
    const results = outcome.data['results'] as Hit[]
    ids ??= results.map(({ id }) => id)
    assert.deepEqual(
      results.map(({ id }) => id),
      ids,
      door.name,
    )
    const isMcp = door.name === 'stdio' || door.name === 'streamable-http'
    assert.equal(results[0]?.document.includes('\n'), !isMcp, door.name)
    assert.match(
      results[0]?.document ?? '',
      /^Description: [^<]*Ignore all previous instructions/s,
      door.name,
    )
  })
  await stat(join(host.projectRoot, 'out/.satchel/search/current'))
})

test('a list for a person says of a module without a description what its README says, and never a label', () => {
  const { cli } = searchModulesVectorTool({} as ModuleService) // its view needs no service
  const [verb] = [cli ?? []].flat()
  const names = { provider: 'aws', providers: 'aws', tags: '', last_updated: '' }
  const metadata = { ...names, repository: 'https://h/a/net', ref: 'v1', path: '.' }
  const documents = [
    'Description: A network.\n\nREADME: # Net',
    'README: # Net\n\nA private network with subnets in several zones.\n\nMore.\n\nVariables: a: ',
    'README: # Net',
    'Variables: cidr: the range of it (type: string)',
  ]
  const results = documents.map((document) => ({ id: '0'.repeat(64), metadata, document, distance: 0 }))

  const shown = verb?.view?.({ results, count: 4, query: 'q', mode: 'keyword', strategy: 's' })

  assert.deepEqual(
    (shown as { results: { description: string }[] }).results.map(({ description }) => description),
    ['A network.', 'A private network with subnets in several zones.', '', ''],
  )
})
