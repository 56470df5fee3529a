import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import builtIn from '../assets/lexicon.json' with { type: 'json' }
import { ladder } from '../testing/arms.ts'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import { judge, meanQuality, pairedDifference, type Quality, relevantOnly } from '../testing/evaluation.ts'
import { OWN_IDS, OWN_QUERIES, OWN_SUMMARIES } from '../testing/own-corpus.ts'
import { buildKeywordIndex } from '../testing/small-keyword-index.ts'
import { documentVector, queryVector } from './dense-features.ts'
import { explainKeyword } from './explain.ts'
import { fuse } from './fusion.ts'
import { keywordDocument } from './keyword-document.ts'
import { createLexicon } from './lexicon.ts'
import { moduleFields, moduleTitle } from './module-fields.ts'
import { stem } from './stemmer.ts'
import { queryTokens, readmeProse, tokenize } from './tokens.ts'
import { WIDER } from './wider-concepts.ts'

const TESTDATA = join(import.meta.dirname, '../testdata')
const lexicon = createLexicon(builtIn.groups, String(builtIn.version))
const judged = { queries: OWN_QUERIES }
const summaries = OWN_SUMMARIES
const ids = OWN_IDS

test('words of one family share a stem', () => {
  const families: Record<string, string[]> = {
    subnet: ['subnet', 'subnets'],
    replic: ['replicate', 'replication', 'replicated'],
    encrypt: ['encrypt', 'encrypted', 'encryption', 'encrypting'],
    polici: ['policy', 'policies'],
    rout: ['route', 'routes', 'routing', 'routed'],
    scale: ['scale', 'scales', 'scaling', 'scaled'],
    hope: ['hope', 'hoping'],
    hop: ['hop', 'hopping', 'hops'],
    condit: ['conditional', 'condition'],
    oper: ['operator', 'operation', 'operate'],
    triplic: ['triplicate'],
    agre: ['agreed', 'agree'],
    cach: ['cache', 'caching', 'caches'],
    sky: ['sky'],
    is: ['is'],
  }
  for (const [expected, words] of Object.entries(families)) {
    for (const word of words) assert.equal(stem(word), expected, word)
  }
})

test('identifiers are split at underscores, hyphens, slashes and case, and kept joined as well', () => {
  assert.deepEqual(tokenize('enable_nat_gateway'), {
    words: ['enabl', 'nat', 'gateway'],
    joined: ['enablenatgateway'],
  })
  assert.deepEqual(tokenize('BigQuery').words, ['big', 'queri'])
  assert.deepEqual(tokenize('HTTPSListener').words, ['http', 'listen'])
  assert.deepEqual(tokenize('s3 ec2 ipv6 k8s').words, ['s3', 'ec2', 'ipv6', 'k8s'])
  assert.deepEqual(tokenize('the resource of a module 123456 2024').words, ['2024'])
  assert.deepEqual(tokenize('x'.repeat(41)).words, [])
})

test('a query of stop words only is used as it is', () => {
  assert.deepEqual(queryTokens('what is this').words, ['what', 'is', 'thi'])
  assert.deepEqual(queryTokens('the network').words, ['network'])
})

test('any text gives tokens, in bounded number, and README markup is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const { words, joined } = tokenize(text)
      assert.ok(words.every((word) => word.length > 0) && joined.every((word) => word.length > 0))
      readmeProse(text)
    }),
  )
  assert.ok(tokenize('word '.repeat(100_000)).words.length <= 20_000)
  assert.equal(
    readmeProse(
      '<!-- hidden --><b>Big</b> ![badge](https://x.test/b.svg) [docs](https://x.test) https://y.test end',
    )
      .replace(/\s+/g, ' ')
      .trim(),
    'Big [docs] end',
  )
})

test('markup bombs of a mebibyte are tokenised in bounded time', () => {
  for (const part of ['<!--', '![', '](', '<a ', 'https://', 'aB', '_-./', '[[']) {
    const bomb = part.repeat(Math.ceil(1_000_000 / part.length))
    const started = process.cpuUsage()
    tokenize(readmeProse(bomb))
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 4_000_000, `${part}: ${(user + system) / 1000} ms`)
  }
})

test('a concept is found by its longest phrase, also inside a joined name, and stop words do not hide it', () => {
  const small = createLexicon(
    [
      { id: 'network', phrases: ['vpc', 'virtual private cloud'] },
      { id: 'warehouse', phrases: ['bigquery'] },
      { id: 'network', phrases: ['cloud network'] },
    ],
    '1',
  )
  assert.deepEqual([...small.match(tokenize('a virtual private cloud'))], [['network', 3]])
  assert.deepEqual([...small.match(tokenize('BigQuery'))], [['warehouse', 1]])
  assert.deepEqual([...small.match(tokenize('virtual cloud'))], [])
  assert.deepEqual([...small.match(tokenize('a virtualprivatecloud'))], [['network', 3]])
  assert.deepEqual([...small.match(tokenize('a cloud network'))], [['network', 2]])
})

test('the lexicon keeps its size, its slugs and its distance from the judged queries', () => {
  const queries: { query: string }[] = JSON.parse(readFileSync(join(TESTDATA, 'retrieval-dev.json'), 'utf8'))
  assert.ok(builtIn.groups.length >= 60 && builtIn.groups.length <= 150)
  assert.equal(new Set(builtIn.groups.map(({ id }) => id)).size, builtIn.groups.length)
  for (const { id, phrases } of builtIn.groups) {
    assert.match(id, /^[a-z0-9-]+$/)
    for (const phrase of phrases) {
      assert.ok(tokenize(phrase).words.length > 0, `${id}: ${phrase} says nothing`)
      const isLong = phrase.split(' ').length >= 4
      if (isLong) assert.ok(!queries.some(({ query }) => query.toLowerCase().includes(phrase)), phrase)
    }
  }
})

test('what is known of clouds, words and languages takes at most 300 kB packed', () => {
  const files = ['assets/lexicon.json', 'assets/glossary.json', 'assets/products.json']
  const made = ['lexicon-phrases.ts', 'english-words.ts'].map((name) => `../../generated/${name}`)
  const sizes = [...files, ...made].map(
    (file) => gzipSync(readFileSync(join(import.meta.dirname, '..', file))).length,
  )

  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 300_000, `${sizes}`)
})

test('the same module and the same query give the same vectors, of length 1, with six decimals', () => {
  const [summary] = summaries
  assert.ok(summary)
  const first = documentVector(moduleFields(summary), lexicon)
  const again = documentVector(moduleFields(summary), createLexicon(builtIn.groups, 'x'))

  assert.deepEqual(first, again)
  assert.ok(Math.abs(first.reduce((sum, value) => sum + value * value, 0) - 1) < 1e-4)
  assert.equal(first.length, 384)
  const { plan } = buildKeywordIndex([], lexicon)
  assert.deepEqual(queryVector(plan('private network')), queryVector(plan('private network')))
  assert.deepEqual(queryVector(plan('')), new Float32Array(384))
})

test('of a long README the vector keeps the features that weigh most, in any order of its words', () => {
  const fields = { title: 'queue', description: '', varnames: '', variables: '', outputs: '', resources: '' }
  const words = Array.from({ length: 150 }, (_, n) => `word${n}`)
  const short = documentVector({ ...fields, readme: '' }, lexicon)
  const long = documentVector({ ...fields, readme: words.join(' ') }, lexicon)
  const longer = documentVector({ ...fields, readme: [...words, ...words].join(' ') }, lexicon)
  const reversed = documentVector({ ...fields, readme: words.toReversed().join(' ') }, lexicon)

  assert.deepEqual(reversed, long)
  assert.ok(longer.filter((value) => value !== 0).length <= 2 * 100)
  assert.ok(short.reduce((sum, value, at) => sum + value * (long[at] ?? 0), 0) > 0.3)
})

test('a query without an exact match finds similar spellings and says so', () => {
  const index = buildKeywordIndex(
    summaries.map((summary, at) => keywordDocument(ids[at] ?? '', summary)),
    lexicon,
  )

  const found = index.search('dynamodbb')

  assert.equal(found.fuzzy, true)
  assert.match(found.hits[0]?.id ?? '', /dynamodb/)
  assert.deepEqual(index.search('qqqqqqqqqq'), { hits: [], fuzzy: false })
})

test('a module is about what its name or description says, and not about what its README mentions', () => {
  const plain = { description: '', readme: '', varnames: '', variables: '', outputs: '', resources: '' }
  const documents = [
    { ...plain, id: 'named', name: 'aws sqs' },
    { ...plain, id: 'described', name: 'one', description: 'a message queue' },
    { ...plain, id: 'mentioned', name: 'two', readme: 'It may send to a message queue.' },
  ]
  const { hits } = buildKeywordIndex(documents, lexicon).search('message queue')
  const about = Object.fromEntries(hits.map((hit) => [hit.id, hit.about]))

  assert.deepEqual(about, { named: ['queue'], described: ['queue'], mentioned: [] })
})

test('a module of a wider concept is about the kind of it that it mentions', () => {
  const plain = {
    description: '',
    readme: 'Engines: MariaDB.',
    varnames: '',
    variables: '',
    outputs: '',
    resources: '',
  }
  const documents = [
    { ...plain, id: 'described', name: 'one', description: 'a relational database' },
    { ...plain, id: 'named', name: 'digitalocean database' },
    { ...plain, id: 'other', name: 'two' },
  ]
  const { hits } = buildKeywordIndex(documents, lexicon).search('mariadb')
  const says = Object.fromEntries(hits.map((hit) => [hit.id, hit.says]))

  assert.deepEqual(says, { described: ['mysql'], named: ['mysql'], other: [] })
  const groups = new Set(builtIn.groups.map(({ id }) => id))
  for (const [group, { concepts }] of Object.entries(WIDER))
    for (const one of [group, ...concepts]) assert.ok(groups.has(one), one)
})

test('fusion is a weighted sum of scaled lists, and a missing score counts nothing', () => {
  const order = (keyword: number, vector: number): string => {
    const { scores } = fuse(Float64Array.of(10, 5, 0), Float64Array.of(0, 0.9, 0.1), { keyword, vector })
    return [0, 1, 2]
      .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0))
      .map((at) => 'abc'[at])
      .join('')
  }

  assert.deepEqual([order(1, 0), order(0, 1), order(0.5, 0.5)], ['abc', 'bca', 'bac'])
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, min: 0, max: 1000 })),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (scores, weight) => {
        const keyword = Float64Array.from(scores)
        const fused = fuse(
          keyword,
          keyword.map(() => 0),
          { keyword: weight, vector: 1 - weight },
        )
        for (const score of fused.scores) assert.ok(score >= 0 && score <= 1)
      },
    ),
  )
})

test('the shares of an explanation sum to 1', () => {
  const index = buildKeywordIndex(
    summaries.map((summary, at) => keywordDocument(ids[at] ?? '', summary)),
    lexicon,
  )
  for (const { query } of judged.queries) {
    for (const hit of index.search(query).hits) {
      const { terms, concepts } = explainKeyword(hit, 1)
      const sum = [...terms, ...concepts].reduce((total, { share }) => total + share, 0)
      assert.ok(Math.abs(sum - 1) < 1e-9, `${query}: ${sum}`)
    }
  }
  assert.deepEqual(explainKeyword(undefined, 0), { score: 0, scaled: 0, terms: [], concepts: [] })
})

test('the title of a module is its repository without terraform-, and its path without modules/', () => {
  assert.equal(
    moduleTitle({ repository: 'git@github.test:acme/terraform-aws-iam.git', path: 'modules/role' }),
    'aws-iam role',
  )
  assert.equal(moduleTitle({ repository: 'https://github.test/acme/network/', path: '.' }), 'network')
})

test('quality counts which result has which rank', () => {
  const both = relevantOnly(['a', 'b'])
  assert.deepEqual(judge(['a', 'b'], both), { ndcg10: 1, hit1: 1, mrr: 1, recall5: 1 })
  const second = { ndcg10: 1 / Math.log2(3), hit1: 0, mrr: 0.5, recall5: 1 }
  assert.deepEqual(judge(['x', 'a'], { a: 1 }), second)
  assert.deepEqual(judge([], both), { ndcg10: 0, hit1: 0, mrr: 0, recall5: 0 })
  assert.ok(judge(['b', 'a'], { a: 2, b: 1 }).ndcg10 < judge(['a', 'b'], { a: 2, b: 1 }).ndcg10)
})

test('a difference is as sure as its queries agree, and the same on every run', () => {
  const better = pairedDifference([0.9, 0.8, 0.9, 1], [0.5, 0.4, 0.5, 0.6])
  const unsure = pairedDifference([1, 0, 1, 0, 0.2], [0, 1, 0, 1, 0])

  assert.ok(Math.abs(better.mean - 0.4) < 1e-9 && better.low > 0.39 && better.high < 0.41)
  assert.ok(unsure.low < 0 && unsure.high > 0 && unsure.low <= unsure.mean && unsure.mean <= unsure.high)
  assert.deepEqual(pairedDifference([1, 0.5], [0.2, 0.9]), pairedDifference([1, 0.5], [0.2, 0.9]))
  assert.deepEqual(pairedDifference([], []), { mean: 0, low: 0, high: 0 })
})

test('on our own judged modules the mix of meaning and keywords is the best, and it does not get worse', async () => {
  const scores = new Map<string, Quality>()
  const names = new Map<string, number>()
  for (const { name, answer } of await ladder({ ids, summaries }, lexicon)) {
    const all: (Quality & { readonly kind: string })[] = []
    for (const { query, grades, kind } of judged.queries)
      all.push({ ...judge((await answer(query)).ranking, grades), kind })
    scores.set(name, meanQuality(all))
    names.set(name, meanQuality(all.filter(({ kind }) => kind === 'variable')).ndcg10)
  }
  const of = (name: string) => scores.get(name)?.ndcg10 ?? 0
  for (const [name, { ndcg10, mrr, recall5 }] of scores) {
    process.stdout.write(
      `${name}: nDCG@10 ${ndcg10.toFixed(3)}, MRR ${mrr.toFixed(3)}, R5 ${recall5.toFixed(3)}\n`,
    )
  }

  assert.ok(of('hybrid') >= of('keyword'))
  assert.ok(of('hybrid') >= of('vector'))
  assert.ok(of('hybrid') > of('hybrid without lexicon'))
  assert.ok(of('hybrid') >= FROZEN_NDCG - 0.02)
  assert.ok(
    names.get('hybrid') === 1 && names.get('hybrid without lexicon') === 1,
    'names of inputs come first',
  )
})

/** Measured when the lexicon was last changed; raise it with the lexicon. */
const FROZEN_NDCG = 0.968

const input = (name: string) => ({
  name,
  type: 'any',
  description: '',
  default: null,
  required: true,
  nullable: true,
  sensitive: false,
  validations: [],
})

test('what has an input of the name that is asked for comes first, a part before a root that lacks it', async () => {
  const repository = 'https://git.example.com/acme/terraform-aws-network'
  const words = 'Network with flow logs, their retention and a trail. Flow log retention, flow log retention.'
  const corpus = [
    { ...EMPTY_SUMMARY, repository, description: words, readme_content: words },
    {
      ...EMPTY_SUMMARY,
      repository,
      path: 'modules/trail',
      kind: 'submodule' as const,
      variables: [input('flow_log_retention')],
    },
    { ...EMPTY_SUMMARY, variables: [input('queue_name')] },
  ]
  const arms = await ladder({ ids: ['root', 'part', 'queue'], summaries: corpus }, lexicon)
  const hybrid = arms.find(({ name }) => name === 'hybrid')
  const first = async (query: string) => (await hybrid?.answer(query))?.ranking[0]

  for (const query of [
    'flow_log_retention',
    'var.flow_log_retention',
    'flow_log_retention variable',
    'input for flow log retention',
  ])
    assert.equal(await first(query), 'part', query)
  assert.equal(await first('network with flow logs'), 'root')
})

test('a name may be as long as those that modules have', async () => {
  const type = 'azurerm_subnet_network_security_group_association'
  const long = 'public_subnet_enable_resource_name_dns_aaaa_record_on_launch'
  const repository = 'https://git.example.com/acme/terraform-azurerm-network'
  const words = `Associates network security groups with subnets. ${type.replaceAll('_', ' ')}, ${long.replaceAll('_', ' ')}.`
  const corpus = [
    { ...EMPTY_SUMMARY, repository, description: words, readme_content: words },
    {
      ...EMPTY_SUMMARY,
      repository,
      path: 'modules/rules',
      kind: 'submodule' as const,
      variables: [input(long)],
      resources: [{ type, name: 'this', position: { file: 'main.tf', line: 1 } }],
    },
    { ...EMPTY_SUMMARY, variables: [input('queue_name')] },
  ]
  const arms = await ladder({ ids: ['root', 'part', 'queue'], summaries: corpus }, lexicon)
  const hybrid = arms.find(({ name }) => name === 'hybrid')

  for (const query of [type, `which module has ${type}`, long, `input for ${long.replaceAll('_', ' ')}`])
    assert.equal((await hybrid?.answer(query))?.ranking[0], 'part', query)
})

test('a module whose own name is in the query comes before one that says its words', async () => {
  const repository = 'https://h/a/terraform-google-sql-db'
  const words = 'Databases with access to a private service'
  const corpus = [
    { ...EMPTY_SUMMARY, repository, description: words, readme_content: words },
    { ...EMPTY_SUMMARY, repository, path: 'modules/private_service_access', kind: 'submodule' as const },
    { ...EMPTY_SUMMARY, repository: 'https://h/a/terraform-google-queue' },
  ]
  const arms = await ladder({ ids: ['about', 'named', 'queue'], summaries: corpus }, lexicon)
  const hybrid = arms.find(({ name }) => name === 'hybrid')
  const first = async (query: string) => (await hybrid?.answer(query))?.ranking[0]

  assert.equal(await first('where is private service access'), 'named')
  assert.equal(await first('private_service_access'), 'named')
})

test('a module of which one input has all words of the query comes before one that is about them', async () => {
  const about = 'Settings of hosts and of the most sessions that are allowed'
  const corpus = [
    { ...EMPTY_SUMMARY, repository: 'https://h/a/terraform-aws-hosts', description: about },
    {
      ...EMPTY_SUMMARY,
      repository: 'https://h/a/terraform-aws-pool',
      variables: ['virtual_host_pool_sessions_allowed', 'name', 'tags'].map(input),
    },
  ]
  const arms = await ladder({ ids: ['about', 'input'], summaries: corpus }, lexicon)

  const { ranking } =
    (await arms.find(({ name }) => name === 'hybrid')?.answer('sessions allowed host')) ?? {}

  assert.deepEqual(ranking, ['input', 'about'])
})
