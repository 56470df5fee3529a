import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openHost, type TestHost, temporaryFolder } from '../../../test/harness/index.ts'
import { plugin } from '../index.ts'
import { writeManyRecords } from '../testing/many-records.ts'
import { OWN_QUERIES } from '../testing/own-corpus.ts'
import { searchIndexFolder } from './search-index-file.ts'

interface Hit {
  readonly id: string
  readonly metadata: { readonly repository: string; readonly ref: string }
  readonly distance: number
  readonly other_refs?: string[]
  readonly explain?: {
    readonly keyword: { readonly terms: Share[]; readonly concepts: Share[] }
    readonly weights: unknown
    readonly fused: number
    readonly decided: readonly { readonly by: string; readonly effect: number; readonly what: string }[]
  }
}

interface Share {
  readonly share: number
}

/** Our judged modules at `refs` tags each, found by a server with these embedding options. */
async function openJudged(t: TestContext, refs: number) {
  const root = await temporaryFolder(t)
  await writeManyRecords(root, 42, refs)
  const open = (embedding: object = {}): Promise<TestHost> => {
    const settings = {
      output_dir: join(root, 'out'),
      embedding: { enabled: true, vectordb_path: join(root, 'vectors'), ...embedding },
      mcp: { auto_ingest: false },
    }
    return openHost(t, { plugins: [{ plugin, settings }], projectRoot: root, env: process.env })
  }
  return { open, root }
}

const search = async (host: TestHost, input: object): Promise<Hit[]> =>
  (await host.call('search_modules_vector', { ...input }))['results'] as Hit[]

test('five tags of each module give the ten results that one tag gives, with their other refs', async (t) => {
  const one = await (await openJudged(t, 1)).open()
  const five = await (await openJudged(t, 5)).open()

  for (const { query } of OWN_QUERIES) {
    const single = await search(one, { query })
    const crowded = await search(five, { query })
    const places = (hits: readonly Hit[]) => hits.map(({ id, distance }) => [id, distance])
    assert.deepEqual(places(crowded), places(single), query)
    for (const { other_refs, metadata } of crowded) {
      assert.equal(metadata.ref, 'v2.0.0')
      assert.deepEqual(other_refs, ['v1.4.0', 'v1.3.0', 'v1.2.0', 'v1.1.0'])
    }
  }
})

test('weights of 1 and 0, 0 and 1, and the same for both rank as keyword, vector and hybrid do', async (t) => {
  const { open } = await openJudged(t, 1)
  const orders = new Map<string, string>()
  for (const [mode, keyword_weight, vector_weight] of [
    ['keyword', 1, 0],
    ['vector', 0, 1],
    ['hybrid', 0.5, 0.5],
  ] as const) {
    const weighted = await open({ keyword_weight, vector_weight })
    const plain = await open()
    const order: string[] = []
    for (const { query } of OWN_QUERIES.slice(0, 12)) {
      const byWeights = await search(weighted, { query, limit: 5 })
      const byMode = await search(plain, { query, limit: 5, mode })
      assert.deepEqual(
        byWeights.map(({ id }) => id),
        byMode.map(({ id }) => id),
        `${mode}: ${query}`,
      )
      order.push(...byMode.map(({ id }) => id))
    }
    orders.set(mode, order.join())
  }
  assert.equal(new Set(orders.values()).size, 3)
})

test('a search says why: the shares of words and concepts sum to 1', async (t) => {
  const host = await (await openJudged(t, 1)).open()
  for (const { query } of OWN_QUERIES) {
    for (const { explain } of await search(host, { query, explain: true, limit: 50 })) {
      const shares = [...(explain?.keyword.terms ?? []), ...(explain?.keyword.concepts ?? [])]
      const sum = shares.reduce((total, { share }) => total + share, 0)
      assert.ok(shares.length === 0 || Math.abs(sum - 1) < 1e-6, `${query}: ${sum}`)
      assert.deepEqual(explain?.weights, { keyword: 0.5, vector: 0.5 })
    }
  }
})

test('an explanation lists what decided by its effect, and all effects together are the score', async (t) => {
  const host = await (await openJudged(t, 1)).open()
  const asked = ['azure version of eks', 'gogle cluter', 'enable_nat_gateway', 'input for bucket name']
  for (const query of [...asked, ...OWN_QUERIES.map((one) => one.query)]) {
    for (const mode of ['hybrid', 'keyword', 'vector']) {
      for (const { explain } of await search(host, { query, mode, explain: true, limit: 50 })) {
        const { decided, fused } = explain ?? assert.fail('no explanation')
        const effects = decided.map(({ effect }) => effect)
        const byEffect = effects.toSorted((a, b) => Math.abs(b) - Math.abs(a))
        const sum = effects.reduce((total, effect) => total + effect, 0)
        assert.deepEqual(effects, byEffect, query)
        assert.ok(Math.abs(sum - fused) < 1e-5, `${mode} ${query}: ${sum} of ${fused}`)
      }
    }
  }
})

test('an explanation tells the provider from the name that is asked for, each with what it did', async (t) => {
  const host = await (await openJudged(t, 1)).open()
  const reasons = async (query: string) =>
    (await search(host, { query, explain: true })).map(({ explain }) =>
      Object.fromEntries(
        (explain?.decided ?? []).map(({ by, effect, what }) => [by, `${Math.sign(effect)} ${what}`]),
      ),
    )

  const provider = await reasons('google cluster')
  const name = await reasons('enable_nat_gateway')
  const corrected = await reasons('kubernetes clutser')

  assert.equal(provider[0]?.['provider'], undefined, 'what is of the provider keeps its score')
  assert.ok(provider.some((one) => one['provider'] === '-1 google'))
  assert.equal(name[0]?.['name'], '1 names in the query')
  assert.ok(name.every((one) => one['kind'] === undefined && one['provider'] === undefined))
  assert.equal(corrected[0]?.['corrections'], '1 cluster')
})

test('a module that shares no word and no concept with a query is not a result, in any mode', async (t) => {
  const host = await (await openJudged(t, 1)).open()
  let results = 0
  for (const { query } of OWN_QUERIES) {
    const whole = { query, limit: 50 }
    const byWords = new Set((await search(host, { ...whole, mode: 'keyword' })).map(({ id }) => id))
    for (const mode of ['vector', 'hybrid']) {
      for (const { id } of await search(host, { ...whole, mode })) {
        results++
        assert.ok(byWords.has(id), `${mode}: ${query}`)
      }
    }
  }
  assert.ok(results > 2 * OWN_QUERIES.length)
})

test('the same questions get the same answers from every server, one after another and concurrently', async (t) => {
  const { open } = await openJudged(t, 2)
  const [host, other] = [await open(), await open()]
  const queries = OWN_QUERIES.slice(0, 8)

  const atOnce = await Promise.all(queries.map(({ query }) => search(host, { query })))
  const inTurn: Hit[][] = []
  for (const { query } of queries) inTurn.push(await search(other, { query }))

  assert.deepEqual(atOnce, inTurn)
})

test('an index on disk that is damaged, cut off, newer or older gives the answers of a whole one', async (t) => {
  const { open, root } = await openJudged(t, 2)
  const withFormat = (format: number) => (whole: Buffer) => {
    const changed = Buffer.from(whole)
    changed.writeUInt32LE(format, 8)
    return changed
  }
  const damages: Record<string, (whole: Buffer) => Uint8Array> = {
    empty: () => new Uint8Array(0),
    'cut off': (whole) => whole.subarray(0, whole.length / 2),
    // Far behind its head: only a search that reads there notices.
    damaged: (whole) =>
      whole.map((byte, at) => (at > 0.1 * whole.length && at < 0.3 * whole.length ? byte ^ 0x10 : byte)),
    newer: withFormat(99),
    older: withFormat(0),
  }
  const answers = async () => {
    const host = await open()
    return [
      await host.call('search_modules', { query: 'managed kubernetes cluster' }),
      await host.call('search_modules_vector', { query: 'private network', all_versions: true }),
      await host.call('search_modules_vector', { query: 'message queue', ref: 'v1.1.0' }),
    ]
  }
  const whole = await answers()

  const folder = searchIndexFolder(join(root, 'out'))
  for (const name of await readdir(folder)) {
    const bytes = await readFile(join(folder, name))
    for (const [what, damage] of Object.entries(damages)) {
      await writeFile(join(folder, name), damage(bytes))
      assert.deepEqual(await answers(), whole, `${name} ${what}`)
    }
    await writeFile(join(folder, name), bytes)
  }
})

test('odd queries are answered by both searches, the same each time', async (t) => {
  const { open } = await openJudged(t, 1)
  const host = await open()
  const odd = [
    'network '.repeat(250),
    'the of and with',
    '...---!?',
    'réseau ネットワーク сеть network',
    'private\u0007network\u001b[31m',
    '(.*)+$[a-z]{9}|^network\\b',
  ]

  for (const query of odd) {
    for (const tool of ['search_modules', 'search_modules_vector']) {
      const first = await host.call(tool, { query })
      assert.deepEqual(await host.call(tool, { query }), first, `${tool}: ${query.slice(0, 40)}`)
    }
  }
  for (const query of [odd[0], odd[3], odd[4], odd[5]]) {
    const [best] = await search(host, { query: query ?? '' })
    assert.ok(best, query?.slice(0, 40))
  }
})
