import assert from 'node:assert/strict'
import { symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { openHost, temporaryFolder } from '../../../test/harness/index.ts'
import { listening } from '../../../test/harness/listening.ts'
import { plugin } from '../index.ts'
import { ingested, openStage } from '../testing/search-project.ts'

test('a configuration or store outside the allowed folders is refused', async (t) => {
  const { host, root } = await ingested(t)
  await writeFile(join(root, 'away.yaml'), 'embedding: { enabled: true, vectordb_path: /etc }\n')

  await assert.rejects(host.call('search_modules_vector', { query: 'x', config_file: '/etc/passwd' }), {
    reason: 'path_refused',
  })
  await assert.rejects(host.call('search_modules_vector', { query: 'x', config_file: '../../../x.yaml' }), {
    reason: 'path_refused',
  })
  await assert.rejects(host.call('search_modules_vector', { query: 'x', config_file: 'away.yaml' }), {
    reason: 'path_refused',
  })
  await symlink('/etc', join(root, 'way-out'))
  await writeFile(join(root, 'linked.yaml'), 'embedding: { enabled: true, vectordb_path: way-out/vectors }\n')
  for (const config_file of ['way-out/hostname', 'linked.yaml']) {
    await assert.rejects(host.call('search_modules_vector', { query: 'x', config_file }), {
      reason: 'path_refused',
    })
  }
  await assert.rejects(host.call('search_modules_vector', { query: 'x', config_file: 'missing.yaml' }), {
    code: 'not_found',
  })
})

test("a caller's configuration sends no text and no key to a service the operator did not name", async (t) => {
  const stage = await openStage(t)
  const asked: string[] = []
  const trap = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization}`)
    response.end('{}')
  })
  const { port } = await listening(t, trap)
  const host = await openHost(t, {
    plugins: [{ plugin, settings: stage.settings }],
    projectRoot: stage.root,
    env: { ...process.env, HOSTED_A_API_KEY: 'sk-canary-of-the-operator' },
  })
  const repositories = `repositories: ${JSON.stringify(stage.settings['repositories'])}\n`
  for (const [reason, embedding] of [
    ['host_refused', `strategy: hosted-a, hosted_a_base_url: 'http://127.0.0.1:${port}'`],
    ['host_refused', "strategy: hosted-a, hosted_a_base_url: 'https://169.254.169.254/v1'"],
    ['host_refused', `vectordb_host: 127.0.0.1, vectordb_port: ${port}`],
    ['path_refused', 'vectordb_path: /etc/vectors'],
    ['path_refused', 'strategy: local-transformers, sentence_transformers_model: /etc'],
  ] as const) {
    const yaml = `${repositories}embedding: { enabled: true, ${embedding} }\n`
    await writeFile(join(stage.root, 'theirs.yaml'), yaml)
    for (const call of [
      () => host.call('ingest_from_yaml', { yaml }),
      () => host.call('ingest_modules', { config_file: 'theirs.yaml' }),
      () => host.call('search_modules_vector', { query: 'x', config_file: 'theirs.yaml' }),
    ]) {
      await assert.rejects(call(), { code: 'forbidden', reason }, embedding)
    }
  }
  assert.deepEqual(asked, [])
})

test("where a caller's configuration names no service, its texts and the key go to the one the operator named", async (t) => {
  const stage = await openStage(t)
  const asked: (string | undefined)[] = []
  const service = createServer(async (request, response) => {
    asked.push(request.headers.authorization)
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] }
    const data = input.map((text, index) => ({ index, embedding: [text.length, 1] }))
    response.end(JSON.stringify({ data }))
  })
  const { port } = await listening(t, service)
  const embedding = { enabled: true, strategy: 'hosted-a', hosted_a_base_url: `http://127.0.0.1:${port}` }
  const host = await openHost(t, {
    plugins: [{ plugin, settings: { ...stage.settings, embedding } }],
    projectRoot: stage.root,
    env: { ...process.env, HOSTED_A_API_KEY: 'sk-canary-of-the-operator' },
  })
  const repositories = `repositories: ${JSON.stringify(stage.settings['repositories'])}\n`

  const report = await host.call('ingest_from_yaml', {
    yaml: `${repositories}embedding: { enabled: true, strategy: hosted-a, vectordb_path: theirs }\n`,
  })

  assert.deepEqual(report['failures'], [])
  assert.ok((report['vectors'] as { upserted: number }).upserted > 0)
  assert.deepEqual([...new Set(asked)], ['Bearer sk-canary-of-the-operator'])
})

test("the operator's SERVICE_OUTPUT_DIR counts for a caller's configuration too, wherever it lies", async (t) => {
  const stage = await openStage(t)
  const elsewhere = await temporaryFolder(t)
  const host = await openHost(t, {
    plugins: [{ plugin, settings: { ...stage.settings, output_dir: elsewhere } }],
    projectRoot: stage.root,
    env: { ...process.env, SERVICE_OUTPUT_DIR: elsewhere },
  })
  const yaml = `repositories: ${JSON.stringify(stage.settings['repositories'])}\noutput_dir: theirs\nembedding: { enabled: true }\n`
  await writeFile(join(stage.root, 'theirs.yaml'), yaml)

  const report = await host.call('ingest_from_yaml', { yaml })
  const found = await stage.search(host, { query: 'redis', config_file: 'theirs.yaml' })

  assert.equal(report['output_dir'], elsewhere)
  assert.ok(found.results.length > 0)
  await assert.rejects(
    host.call('ingest_repositories', {
      repositories: stage.settings['repositories'],
      output_dir: join(elsewhere, 'more'),
    }),
    { reason: 'path_refused' },
  )
})
