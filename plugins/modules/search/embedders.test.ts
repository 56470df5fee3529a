import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, temporaryFolder } from '../../../test/harness/index.ts'
import { listening } from '../../../test/harness/listening.ts'
import { lacksPackage } from '../../../test/optional-package.ts'
import { WORDS, writeTinyModel } from '../../../test/tiny-model.ts'
import { embeddingOptions } from '../config.ts'
import { plugin } from '../index.ts'
import { buildRemote } from '../testing/build-remote.ts'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import { type HostedSeams, hostedEmbedder } from './hosted.ts'
import { createLexicon } from './lexicon.ts'
import { moduleFields } from './module-fields.ts'
import { openEmbedder, requireKey } from './open-embedder.ts'

const EMPTY_FIELDS = moduleFields({ ...EMPTY_SUMMARY, repository: 'x' })

const KEY = 'sk-canary-key-0123456789'
const lexicon = createLexicon([], '1')

interface Asked {
  readonly authorization: string | undefined
  readonly body: { input: string[]; model: string; input_type?: string; encoding_format?: string }
}
type Reply = (asked: Asked, response: ServerResponse) => void

/** A service on loopback that plays one reply after another; the last one repeats. */
async function openStub(t: TestContext, ...replies: readonly Reply[]) {
  const asked: Asked[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const one: Asked = {
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString()),
    }
    asked.push(one)
    const reply = replies[Math.min(asked.length, replies.length) - 1]
    reply?.(one, response)
  })
  const { url } = await listening(t, server)
  return { asked, baseUrl: url }
}

const waited: number[] = []
const seams: HostedSeams = {
  wait: async (ms) => void waited.push(ms),
  random: () => 0.5,
}

function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (_asked, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

/** The right answer: one two-dimensional vector per text, told apart by its length. */
const right: Reply = ({ body }, response) => {
  const data = body.input.map((text, index) => ({ index, embedding: [text.length, 1] }))
  json(200, { data })({ body } as Asked, response)
}

const hosted = (baseUrl: string, strategy: 'hosted-a' | 'hosted-b' = 'hosted-a') =>
  hostedEmbedder({ strategy, baseUrl, model: 'm', apiKey: KEY }, seams)

const signal = new AbortController().signal

test('each service is asked in its own words, with the key in one header', async (t) => {
  const stub = await openStub(t, right)

  await hosted(stub.baseUrl).embed(['one'], 'document', signal)
  await hosted(stub.baseUrl, 'hosted-b').embed(['one'], 'query', signal)

  assert.deepEqual(stub.asked[0], {
    authorization: `Bearer ${KEY}`,
    body: { model: 'm', input: ['one'], encoding_format: 'float' },
  })
  assert.deepEqual(stub.asked[1]?.body, { model: 'm', input: ['one'], input_type: 'query', truncation: true })
})

test('vectors come back in the order of the texts, with length 1, in batches of 64', async (t) => {
  const shuffled: Reply = ({ body }, response) => {
    const data = body.input.map((text, index) => ({ index, embedding: [Number(text), 1] })).reverse()
    json(200, { data })({ body } as Asked, response)
  }
  const stub = await openStub(t, shuffled)
  const texts = Array.from({ length: 130 }, (_, n) => String(n))

  const results = await hosted(stub.baseUrl).embed(texts, 'document', signal)

  assert.deepEqual(stub.asked.map(({ body }) => body.input.length).sort(), [2, 64, 64])
  for (const [n, result] of results.entries()) {
    assert.ok('vector' in result)
    assert.ok(Math.abs((result.vector[0] ?? 0) - n / Math.hypot(n, 1)) < 1e-5)
  }
})

test('base64 vectors are read too', async (t) => {
  const bytes = Buffer.from(new Float32Array([3, 4]).buffer).toString('base64')
  const stub = await openStub(t, json(200, { data: [{ index: 0, embedding: bytes }] }))

  const [result] = await hosted(stub.baseUrl).embed(['x'], 'document', signal)

  assert.ok(result && 'vector' in result)
  assert.deepEqual(
    [...result.vector].map((value) => value.toFixed(2)),
    ['0.60', '0.80'],
  )
})

test('what may pass is tried again, as long as the service says', async (t) => {
  const drop: Reply = (_asked, response) => void response.destroy()
  const truncated: Reply = (_asked, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"data":[{"index":0,"embedding":[0.1', () => response.destroy())
  }
  const passing: [string, Reply][] = [
    ['429', json(429, {}, { 'retry-after': '3' })],
    ['429 in milliseconds', json(429, {}, { 'retry-after-ms': '250' })],
    ['500', json(500, 'oops')],
    ['408', json(408, {})],
    ['HTML of a proxy', json(502, '<html>bad gateway</html>')],
    ['no JSON', json(200, '<html>')],
    ['a dropped connection', drop],
    ['a truncated answer', truncated],
  ]
  for (const [name, reply] of passing) {
    waited.length = 0
    const stub = await openStub(t, reply, right)

    const [result] = await hosted(stub.baseUrl).embed(['x'], 'document', signal)

    assert.ok(result && 'vector' in result, name)
    assert.equal(stub.asked.length, 2, name)
    if (name === '429') assert.deepEqual(waited, [3000])
    if (name === '429 in milliseconds') assert.deepEqual(waited, [250])
  }
})

test('what will not pass is asked once, and the message has no key', async (t) => {
  const final: [string, Reply][] = [
    ['400', json(400, { error: { message: KEY } })],
    ['401', json(401, { error: { message: `bad key ${KEY}` } })],
    ['403', json(403, {})],
    ['quota', json(429, { error: { code: 'insufficient_quota' } })],
    ['wrong count', json(200, { data: [] })],
    ['NaN', json(200, '{"data":[{"index":0,"embedding":[null]}]}')],
    ['infinity', json(200, '{"data":[{"index":0,"embedding":[1e400]}]}')],
    ['no list', json(200, { data: 7 })],
    ['wrong index', json(200, { data: [{ index: 9, embedding: [1] }] })],
    ['odd base64', json(200, { data: [{ index: 0, embedding: 'AAA=' }] })],
    ['a redirect', json(302, '', { location: 'http://127.0.0.1:9/' })],
  ]
  for (const [name, reply] of final) {
    const stub = await openStub(t, reply)

    const [result] = await hosted(stub.baseUrl).embed(['x'], 'document', signal)

    assert.ok(result && 'failed' in result, name)
    assert.ok(!result.failed.includes(KEY), name)
    assert.ok(stub.asked.length <= (name === 'a redirect' ? 5 : 1), `${name}: ${stub.asked.length}`)
  }
})

test('an answer of more than 64 MiB is not read to its end', async (t) => {
  let sent = 0
  const endless: Reply = (_asked, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const part = Buffer.alloc(1024 * 1024, ' ')
    const more = (): void => {
      if (response.destroyed || sent >= 200) return void response.end()
      sent++
      response.write(part, more)
    }
    more()
  }
  const stub = await openStub(t, endless)

  const [result] = await hosted(stub.baseUrl).embed(['x'], 'document', signal)

  assert.ok(result && 'failed' in result && /64 MiB/.test(result.failed))
  assert.equal(stub.asked.length, 1)
  assert.ok(sent < 100, `${sent} MiB were sent`)
})

test('a failed batch fails only its own texts, and another size of vectors is refused', async (t) => {
  const second: Reply = ({ body }, response) =>
    body.input.includes('130')
      ? json(400, {})({ body } as Asked, response)
      : right({ body } as Asked, response)
  const stub = await openStub(t, second)
  const texts = Array.from({ length: 131 }, (_, n) => String(n))

  const results = await hosted(stub.baseUrl).embed(texts, 'document', signal)

  assert.equal(results.filter((result) => 'failed' in result).length, 3)
  const grows = await openStub(t, right, json(200, { data: [{ index: 0, embedding: [1, 2, 3] }] }))
  const embedder = hosted(grows.baseUrl)
  await embedder.embed(['x'], 'document', signal)
  const [other] = await embedder.embed(['x'], 'document', signal)
  assert.ok(other && 'failed' in other)
})

test('an ingest sends what is new once: nothing at the second run, only what is missing after a failure', async (t) => {
  const root = await temporaryFolder(t)
  const url = await buildRemote(join(root, 'terraform-aws-net.git'), [
    {
      files: {
        'main.tf': 'variable "cidr" {}\n',
        'modules/a/main.tf': 'variable "first" {}\n',
        'modules/b/main.tf': 'variable "second" {}\n',
      },
      tags: ['v1.0.0'],
    },
  ])
  const stub = await openStub(t, json(400, { error: { message: 'no' } }), right)
  const settings = {
    repositories: [{ url, recursive: true }],
    output_dir: join(root, 'out'),
    clone_dir: join(root, 'clones'),
    mcp: { auto_ingest: false },
    embedding: {
      enabled: true,
      vectordb_path: join(root, 'vectors'),
      strategy: 'hosted-a',
      hosted_a_api_key: KEY,
      hosted_a_base_url: stub.baseUrl,
    },
  }
  const host = await openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env: process.env })

  const failed = await host.call('ingest_modules')
  const repaired = await host.call('ingest_modules')
  const asked = stub.asked.length
  const still = await host.call('ingest_modules')
  const names = await readdir(join(root, 'vectors'), { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile())
  const texts = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  )

  const reasons = (report: Record<string, unknown>) =>
    (report['failures'] as { reason: string }[]).map(({ reason }) => reason)
  assert.deepEqual(reasons(failed), Array(3).fill('embedding_failed'))
  assert.equal(failed['modules'], 3)
  assert.deepEqual(repaired['vectors'], { strategy: 'hosted-a', upserted: 3, unchanged: 0 })
  assert.deepEqual(still['vectors'], { strategy: 'hosted-a', upserted: 0, unchanged: 3 })
  assert.deepEqual([asked, stub.asked.length], [2, 2])
  assert.ok(texts.length > 0)
  assert.ok(!`${texts.join('')}${JSON.stringify([failed, repaired, still])}`.includes(KEY))
})

test('an aborted run stops asking', async (t) => {
  const stub = await openStub(t, () => {})
  const controller = new AbortController()

  const asking = hosted(stub.baseUrl).embed(['x'], 'document', controller.signal)
  setTimeout(() => controller.abort(), 20)

  await assert.rejects(asking)
})

test('the key goes nowhere but to https or loopback', () => {
  for (const baseUrl of [
    'http://example.test/v1',
    'ftp://x',
    'https://user:pass@example.test',
    'not a url',
    'http://169.254.169.254',
  ]) {
    assert.throws(() => hosted(baseUrl), { reason: 'embedding_url_refused' }, baseUrl)
  }
  hosted('https://example.test/v1')
  hosted('http://localhost:1')
  hosted('http://[::1]:1')
})

test('a hosted strategy without its key is refused before anything else, naming field and variable', () => {
  for (const [strategy, variable] of [
    ['hosted-a', 'HOSTED_A_API_KEY'],
    ['hosted-b', 'HOSTED_B_API_KEY'],
  ]) {
    assert.throws(
      () => requireKey(embeddingOptions.parse({ strategy })),
      (error: Error & { reason: string }) => {
        assert.equal(error.reason, 'embedding_key_missing')
        return error.message.includes(variable ?? '')
      },
    )
  }
  requireKey(embeddingOptions.parse({ strategy: 'vectordb-default' }))
})

const NO_PLAN = {
  text: '',
  terms: [],
  names: [],
  inputs: [],
  concepts: new Map(),
  corrections: [],
  translations: [],
  coined: [],
  strange: [],
  products: [],
}

test('a local model gives mean-pooled vectors of length 1; padding changes nothing; words of one group are near', async (t) => {
  if (await lacksPackage(t, '@huggingface/transformers')) return
  const folder = await temporaryFolder(t)
  const { rows } = writeTinyModel(`${folder}/tiny`)
  const options = embeddingOptions.parse({
    strategy: 'local-transformers',
    sentence_transformers_model: './tiny',
  })
  const embedder = await openEmbedder(options, { lexicon, workingDirectory: folder, env: {} })
  t.after(() => embedder.close())
  const embed = async (texts: readonly string[]) => {
    const results = []
    for (const text of texts) {
      const got = await embedder.query({ ...NO_PLAN, text }, undefined, signal)
      assert.ok('vector' in got)
      results.push(got.vector)
    }
    return results
  }
  const [network, subnet, database, both] = await embed(['network', 'subnet', 'database', 'network database'])
  assert.ok(network && subnet && database && both)

  assert.equal(network.length, 32)
  assert.ok(Math.abs(dot(network, network) - 1) < 1e-5)
  assert.ok(dot(network, subnet) > 0.9, `one group: ${dot(network, subnet)}`)
  assert.ok(dot(network, database) < 0.5, `two groups: ${dot(network, database)}`)
  const mean = pooled(['network', 'database'].map((word) => rows.get(word) ?? []))
  for (const [n, value] of both.entries()) assert.ok(Math.abs(value - (mean[n] ?? 0)) < 1e-4)

  const item = (description: string) => ({ document: description, fields: { ...EMPTY_FIELDS, title: '' } })
  const batch = await embedder.modules([item('network'), item('network database network database')], signal)
  const [alone] = batch
  assert.ok(alone && 'vector' in alone)
  assert.ok(Math.abs(dot(alone.vector, network) - 1) < 1e-5, 'padding changes nothing')
  assert.equal(
    embedder.header({ description: true, readme: true, variables: true, outputs: true, resource_types: true })
      .dims,
    32,
  )
  assert.ok(WORDS.length > 20)
})

test('a model that is not there names the field and both remedies, and asks no network for a folder', async (t) => {
  if (await lacksPackage(t, '@huggingface/transformers')) return
  const folder = await temporaryFolder(t)
  const options = embeddingOptions.parse({
    strategy: 'local-transformers',
    sentence_transformers_model: './missing',
  })

  await assert.rejects(
    openEmbedder(options, { lexicon, workingDirectory: folder, env: {} }),
    (error: Error & { reason: string }) => {
      assert.equal(error.reason, 'model_unavailable')
      return /sentence_transformers_model/.test(error.message) && /folder/.test(error.message)
    },
  )
})

test('a model that has to be loaded first says so where there is no network', async (t) => {
  if (await lacksPackage(t, '@huggingface/transformers')) return
  const folder = await temporaryFolder(t)
  t.mock.method(globalThis, 'fetch', () => Promise.reject(new TypeError('fetch failed')))
  const options = embeddingOptions.parse({ strategy: 'local-transformers' })

  await assert.rejects(
    openEmbedder(options, { lexicon, workingDirectory: folder, env: { XDG_CACHE_HOME: folder } }),
    (error: Error & { code: string; reason: string }) => {
      assert.deepEqual([error.code, error.reason], ['unavailable', 'model_unavailable'])
      return /network/.test(error.message) && /folder/.test(error.message)
    },
  )
})

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0)
}

/** Mean over all tokens, the zero rows of [CLS] and [SEP] included, with length 1. */
function pooled(vectors: readonly (readonly number[])[]): number[] {
  const sum = Array.from({ length: 32 }, (_, n) =>
    vectors.reduce((total, vector) => total + (vector[n] ?? 0), 0),
  )
  const norm = Math.hypot(...sum)
  return sum.map((value) => value / norm)
}
