import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startChroma } from '../../../test/chroma-server.ts'
import { freePort } from '../../../test/free-port.ts'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { listening } from '../../../test/harness/listening.ts'
import { lacksPackage } from '../../../test/optional-package.ts'
import { embeddingOptions } from '../config.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { writeManyRecords } from '../testing/many-records.ts'
import { OWN_QUERIES } from '../testing/own-corpus.ts'
import { storedItems } from '../testing/store-items.ts'
import { openStore } from './open-store.ts'
import { packText } from './packed-text.ts'

interface Hit {
  readonly id: string
  readonly distance: number
}

function hostIn(t: TestContext, root: string, embedding: object, more: object = {}): Promise<TestHost> {
  const settings = {
    output_dir: join(root, 'out'),
    clone_dir: join(root, 'clones'),
    embedding: { enabled: true, vectordb_path: join(root, 'vectors'), ...embedding },
    mcp: { auto_ingest: false },
    ...more,
  }
  return openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env: process.env })
}

const search = async (host: TestHost, input: object): Promise<Hit[]> =>
  (await host.call('search_modules_vector', { ...input }))['results'] as Hit[]

test('a real ChromaDB server and the file give the same first ten for the judged queries, filtered and not', async (t) => {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 42, 2)
  const port = await freePort()
  if (!(await startChroma(t, join(root, 'chroma'), port))) return
  const server = { vectordb_host: '127.0.0.1', vectordb_port: port }
  const { header, items } = storedItems(join(root, 'vectors/infra_modules'))
  const store = await openStore(embeddingOptions.parse(server), root)
  await store.apply(header, { upsert: items, touch: [], remove: [] })
  const embedded = await hostIn(t, root, {})
  const served = await hostIn(t, root, server)

  for (const { query } of OWN_QUERIES) {
    for (const filter of [{}, { provider: 'aws' }, { kind: 'root', repository: 'acme/terraform-sample-7' }]) {
      const [here, there] = [
        await search(embedded, { query, ...filter }),
        await search(served, { query, ...filter }),
      ]
      assert.deepEqual(
        there.map(({ id }) => id),
        here.map(({ id }) => id),
        query,
      )
      for (const [at, { distance }] of there.entries())
        assert.ok(Math.abs(distance - (here[at]?.distance ?? 0)) < 1e-4, query)
    }
  }
})

test('an ingest fills a real ChromaDB server, and a rebuild renews it after a change of the lexicon', async (t) => {
  const root = await temporaryFolder(t)
  const port = await freePort()
  if (!(await startChroma(t, join(root, 'chroma'), port))) return
  const url = await buildRemote(join(root, 'terraform-aws-network.git'), [
    { files: { 'main.tf': 'variable "subnets" {}\nresource "aws_vpc" "this" {}\n' }, tags: ['v1.0.0'] },
  ])
  const server = { vectordb_host: '127.0.0.1', vectordb_port: port }
  const host = await hostIn(t, root, server, { repositories: [{ url }] })
  await host.call('ingest_modules')
  await host.call('ingest_modules')
  const store = await openStore(embeddingOptions.parse(server), root)
  const header = await store.header()
  assert.ok(header)
  assert.equal(await store.count(), 1)
  assert.equal((await search(host, { query: 'private network' })).length, 1)

  const older = { ...server, collection_name: 'older_lexicon' }
  const olderStore = await openStore(embeddingOptions.parse(older), root)
  const [record] = await store.list({})
  assert.ok(record)
  const document = packText(record.document)
  const item = { ...record, document, vector: new Float32Array(header.dims).fill(0.05) }
  await olderStore.apply({ ...header, lexicon_version: '0' }, { upsert: [item], touch: [], remove: [] })
  const olderHost = await hostIn(t, root, older, { repositories: [{ url }] })
  await assert.rejects(search(olderHost, { query: 'network' }), {
    code: 'conflict',
    reason: 'embedding_mismatch',
  })

  const rebuilt = await olderHost.call('rebuild_modules')

  assert.equal(rebuilt['vectors'], 1)
  assert.deepEqual(await olderStore.header(), header)
  assert.equal((await search(olderHost, { query: 'network' })).length, 1)

  const foreign = { ...server, collection_name: 'with_others' }
  const foreignStore = await openStore(embeddingOptions.parse(foreign), root)
  const other = { ...item, id: 'f'.repeat(64) }
  await foreignStore.apply(
    { ...header, lexicon_version: '0' },
    { upsert: [item, other], touch: [], remove: [] },
  )
  await assert.rejects((await hostIn(t, root, foreign)).call('rebuild_modules'), {
    code: 'conflict',
    reason: 'embedding_mismatch',
  })
  assert.equal(await foreignStore.count(), 2)
  const model = { ...server, collection_name: 'of_a_model' }
  const modelStore = await openStore(embeddingOptions.parse(model), root)
  await modelStore.apply(
    { ...header, strategy: 'hosted-a', model: 'm' },
    { upsert: [item], touch: [], remove: [] },
  )
  await assert.rejects((await hostIn(t, root, model)).call('rebuild_modules'), {
    reason: 'embedding_mismatch',
  })
})

test('with the server down, an ingest is refused before any git work and a search says where it looked', async (t) => {
  if (await lacksPackage(t, 'chromadb')) return
  const root = await temporaryFolder(t)
  const port = await freePort()
  const url = join(root, 'missing.git')
  const host = await hostIn(
    t,
    root,
    { vectordb_host: '127.0.0.1', vectordb_port: port },
    { repositories: [{ url }] },
  )

  for (const call of [() => host.call('ingest_modules'), () => search(host, { query: 'network' })]) {
    await assert.rejects(call(), (error: Error & { code: string; reason: string; details: unknown }) => {
      assert.deepEqual([error.code, error.reason], ['unavailable', 'vector_store_unreachable'])
      assert.deepEqual(error.details, { host: '127.0.0.1', port })
      return true
    })
  }
})

test('what is not a ChromaDB server of this version, or refuses access, is told from one that is down', async (t) => {
  if (await lacksPackage(t, 'chromadb')) return
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 1, 1)
  const answers: [string, number, string, RegExp][] = [
    ['an older server without /api/v2', 404, '{"detail":"Not Found"}', /version 1/],
    ['a server that dropped this API', 410, '{"error":"Gone"}', /version 1/],
    ['another program', 200, '<html>hello</html>', /version 1/],
    ['other JSON', 200, '{"status":"ok"}', /version 1/],
    ['a server with a login', 401, '{}', /credentials/],
    ['a broken server', 503, 'busy', /does not answer/],
  ]
  for (const [name, status, body, message] of answers) {
    const server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': body.startsWith('<') ? 'text/html' : 'application/json' })
      response.end(body)
    })
    const { port } = await listening(t, server)
    const host = await hostIn(t, root, { vectordb_host: '127.0.0.1', vectordb_port: port })

    await assert.rejects(
      search(host, { query: 'network' }),
      (error: Error & { code: string; reason: string }) => {
        assert.deepEqual([error.code, error.reason], ['unavailable', 'vector_store_unreachable'], name)
        assert.match(error.message, message, name)
        return true
      },
    )
  }
})
