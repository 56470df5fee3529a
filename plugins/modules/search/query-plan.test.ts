import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { IN_USE, knowledge, plan, vocabularyOf } from '../testing/query-words.ts'
import { preferRoots } from './preferences.ts'
import { planQuery } from './query-plan.ts'
import { stem } from './stemmer.ts'
import type { Vocabulary } from './vocabulary.ts'

test('misspelt words are taken for words in use, and words in use and names are left alone', () => {
  const corrections: Record<string, string[]> = {
    'opensarch domian': ['opensearch', 'domain'],
    'kuberntes clutser': ['kubernetes', 'cluster'],
    'secuirty group': ['security'],
    'dynmodb tabel': ['dynamodb', 'table'],
    loadbalancer: ['load balancer'],
    'redis cache cluster': [],
    enable_nat_gateway: [],
    zscaler: [],
  }
  for (const [query, expected] of Object.entries(corrections)) {
    assert.deepEqual(
      plan(query).corrections.map(({ to }) => to),
      expected,
      query,
    )
  }
})

test('three words or more are looked up as the name that they form, stop words between them included', () => {
  const vocabulary = vocabularyOf(['deletionwindowindays', 'loggroup', 'securitygrouprules', 'grouprules'])
  const names = (query: string) => planQuery(query, knowledge, vocabulary).names
  const rules = stem('securitygrouprules')

  assert.deepEqual(names('deletion window in days'), [
    { term: stem('deletionwindowindays'), share: 1, isSure: false },
  ])
  assert.deepEqual(names('kms deletion window in days'), [
    { term: stem('deletionwindowindays'), share: 3 / 4, isSure: false },
  ])
  assert.deepEqual(names('where are security group rules'), [{ term: rules, share: 1, isSure: false }])
  assert.deepEqual(names('log group'), [])
  assert.deepEqual(names('in days deletion window'), [])
})

test('a name is sure where it is written as one, or called an input or the like', () => {
  const vocabulary = vocabularyOf(['deletionwindowindays', 'loggroup', 'securitygrouprules', 'grouprules'])
  const planned = (query: string) => planQuery(query, knowledge, vocabulary)
  const group = { term: stem('loggroup'), share: 1, isSure: true }

  for (const query of [
    'log_group',
    'var.log_group',
    'log_group variable',
    'variable log group',
    'where do I set log group',
    'the log group input',
  ]) {
    assert.deepEqual(planned(query).names, [group], query)
    assert.deepEqual(
      planned(query).terms.filter(({ term }) => /^(variabl|var|input|set)$/.test(term)),
      [],
      query,
    )
  }
  assert.deepEqual(planned('log_group redis cache').names, [{ ...group, share: 2 / 4 }])
  assert.deepEqual(planned('input for security group rules').names, [
    { term: stem('securitygrouprules'), share: 1, isSure: true },
  ])
  assert.deepEqual(planned('variable cluster').names, [])
  assert.ok(planned('variable cluster').terms.some(({ term }) => term === stem('variable')))
})

test('a word that many modules have is right however it is spelled', () => {
  const { corrections } = planQuery('databse', knowledge, vocabularyOf([...IN_USE, 'databse']))
  assert.deepEqual(corrections, [])
})

test('a query of another language is read in English, and an English one is not', () => {
  const english: Record<string, string> = {
    'Lastverteiler für mein Netzwerk': 'load-balancer',
    'file d’attente de messages': 'queue',
    'base de datos relacional': 'relational-database',
    'função sem servidor': 'function',
    コンテナレジストリ: 'container-registry',
    消息队列: 'queue',
    秘密情報: 'secret',
  }
  for (const [query, concept] of Object.entries(english)) {
    const { concepts, translations } = plan(query)
    assert.ok(concepts.has(concept), `${query}: ${[...concepts.keys()]}`)
    assert.ok(translations.length > 0, query)
  }
  for (const query of ['red hat server', 'the die is cast', 'storage for a data centre']) {
    assert.deepEqual(plan(query).translations, [], query)
  }
})

test('what people say who do not know the product means its concept', () => {
  const meant: Record<string, string> = {
    "let's encrypt for a site": 'certificate',
    'acme issuer': 'certificate',
    'certificates for ingress': 'kubernetes-addons',
    'pods need access to a bucket': 'workload-identity',
    'run a docker image without managing servers': 'container-service',
    'docker container serverless': 'container-service',
  }
  for (const [query, concept] of Object.entries(meant)) {
    const { concepts } = plan(query)
    assert.equal(concepts.get(concept)?.weight, 1, `${query}: ${[...concepts.keys()]}`)
  }
})

test('words of other languages are known in other numbers and genders, and German ones written as one', () => {
  const concepts = (query: string) => [...plan(query).concepts.keys()]

  assert.ok(concepts('función sin servidor programada').includes('scheduled-function'))
  assert.ok(concepts('Datenbankserver mit Verschlüsselung').includes('encryption'))
  assert.ok(concepts('Datenbankserver mit Verschlüsselung').includes('relational-database'))
  assert.deepEqual(plan('dynmodb tabel').translations, [])
})

test('a letter too many is left out, also where the wrong word has a stem in use', () => {
  const vocabulary = {
    ...vocabularyOf(IN_USE),
    count: (term: string) => (term === stem('autoscaling') ? 20 : term === stem('autoscalling') ? 5 : 0),
  }
  const [correction] = planQuery('autoscalling group', knowledge, vocabulary).corrections

  assert.equal(correction?.to, 'autoscaling')
})

test('everyday words count little beside what a query is about', () => {
  const { terms, concepts } = plan('find out who deleted the jump server last week')
  const weightOf = (word: string) => terms.find(({ term }) => term === stem(word))?.weight ?? 0

  assert.ok(weightOf('last') < weightOf('delete') && weightOf('week') < weightOf('jump'))
  assert.ok((concepts.get('virtual-machine')?.weight ?? 0) < (concepts.get('bastion')?.weight ?? 0))
  assert.equal(plan('server').concepts.get('virtual-machine')?.weight, 1)
  assert.equal(plan('no one creates a bucket').terms.find(({ term }) => term === 'bucket')?.weight, 1)
})

test('the provider that a query wants is told from the one it compares with', () => {
  const wanted: Record<string, readonly [provider: string, kind: string] | undefined> = {
    'google load balancer': ['google', 'named'],
    'azure equivalent of s3': ['azurerm', 'equivalent'],
    'the amazon version of key vault': ['aws', 'equivalent'],
    'what azure offers instead of route53': ['azurerm', 'equivalent'],
    'like elasticache but on google cloud': ['google', 'equivalent'],
    'gcp service like amazon redshift': ['google', 'equivalent'],
    'oracle counterpart of eks': ['oci', 'equivalent'],
    'move data from aws to azure': undefined,
    'a private network': undefined,
  }
  for (const [query, expected] of Object.entries(wanted)) {
    const { provider } = plan(query)
    const found = provider && [provider.providers[0], provider.kind]
    assert.deepEqual(found, expected, query)
  }
})

test('words after "without" count little and mean no concept', () => {
  const { concepts, terms } = plan('containers without a kubernetes cluster')
  const weight = terms.find(({ term }) => term === stem('kubernetes'))?.weight ?? 1
  assert.equal(weight < 0.5, true)
  assert.deepEqual([concepts.has('kubernetes'), concepts.has('container-service')], [false, true])
})

test('an exclusion ends before a word that turns from it, a provider, and what is asked for', () => {
  const excluded: Record<string, string> = {
    'bucket without public access azure': 'public access',
    'bastion host no public ip aws': 'public ip',
    'no public ip virtual machine on gcp': 'public ip',
    'no public ip vm gcp': 'public ip',
    'without public ip': '',
    'no downtime deployment on azure': '',
    'containers without managing a kubernetes cluster': 'managing kubernetes cluster',
    'database not in public subnet with backups': 'public subnet',
    'queue without encryption and dead letters': 'encryption',
  }
  for (const [query, expected] of Object.entries(excluded)) {
    const { terms, provider } = plan(query)
    const light = terms.filter(({ weight }) => weight < 0.4).map(({ term }) => term)
    assert.deepEqual(light, expected === '' ? [] : expected.split(' ').map(stem), query)
    const cloud = ['aws', 'azure', 'gcp'].find((name) => query.includes(name))
    assert.equal(provider?.words, cloud, query)
    assert.equal(terms.find(({ term }) => term === cloud)?.weight ?? 1, 1, query)
  }
  assert.ok(plan('no public ip vm gcp').concepts.has('virtual-machine'))
})

test('a query in plain words means the concept that its words speak for together, though no phrase is among them', () => {
  const guessed: Record<string, string> = {
    'servers get security updates every sunday night': 'patching',
    'two colleagues overwrite the infrastructure changes of each other': 'remote-state',
    'the computers of our developers sleep when the office is empty': 'instance-schedule',
    'auditor wants a list of what administrators did': 'audit',
  }
  for (const [query, concept] of Object.entries(guessed)) {
    assert.ok((plan(query).concepts.get(concept)?.weight ?? 0) > 0, query)
  }
})

test('nothing is guessed of a name, nor of words that are phrases by themselves', () => {
  const guessesIn = (query: string, vocabulary: Vocabulary): boolean =>
    [...planQuery(query, knowledge, vocabulary).concepts.values()].some(({ certainty }) => certainty === 0)
  const query = 'colleague overwrite changes'
  assert.ok(guessesIn(query, vocabularyOf(IN_USE)))
  assert.ok(!guessesIn(query, vocabularyOf([...IN_USE, 'colleagueoverwritechanges'])))
  assert.ok(!guessesIn('colleague_overwrite_changes', vocabularyOf(['colleagueoverwritechanges'])))
  assert.ok(!guessesIn('rds postgresql vpc', vocabularyOf(IN_USE)))
  assert.ok(!guessesIn(query, { ...vocabularyOf(IN_USE), named: () => [7] }))
  assert.deepEqual(planQuery(query, knowledge, { ...vocabularyOf(IN_USE), named: () => [7] }).inputs, [7])
})

test('the name of a provider and the words that compare say nothing of what is compared', () => {
  const concepts = (query: string) => [...plan(query).concepts.keys()]
  assert.deepEqual(concepts('microsoft alternative to eks'), ['kubernetes'])
})

test('the words of a comparison mean no concept', () => {
  const { concepts } = plan("google's version of event hubs")
  assert.ok(concepts.has('streaming'))
  assert.ok(!concepts.has('versioning'))
})

test('words that follow one another are looked up as one, where a text has that and they say no concept', () => {
  const vocabulary = vocabularyOf([
    'botservice',
    'stickysessions',
    'loadbalancer',
    'sticky',
    'sessions',
    'load',
  ])
  const weights = (query: string) =>
    planQuery(query, knowledge, vocabulary).terms.map(({ term, weight }) => [term, weight] as const)
  assert.deepEqual(weights('bot service'), [
    ['bot', 1],
    ['servic', 1],
    ['botservic', 0.5],
  ])
  assert.ok(weights('sticky sessions').some(([term]) => term === stem('stickysessions')))
  assert.ok(!weights('load balancer').some(([term]) => term === stem('loadbalancer')))
})

test('what something is for is not asked for', () => {
  assert.deepEqual(plan('private virtual network for jumpcloud').products, [])
  assert.deepEqual(plan('jumpcloud network').products, [['jumpcloud']])
})

test('a root comes before its submodule unless the query names the submodule or the root hardly matches', () => {
  const places = [
    { repository: 'r', path: '.', kind: 'root' },
    { repository: 'r', path: 'modules/profile', kind: 'submodule' },
  ]
  const scored = (query: string, root: number): number[] => {
    const scores = Float64Array.of(root, 1)
    preferRoots(scores, [0, 1], (at) => places[at] ?? { repository: '', path: '', kind: '' }, plan(query))
    return [...scores]
  }
  const isRootFirst = ([root = 0, part = 0]: readonly number[]): boolean => root > part

  assert.equal(isRootFirst(scored('cluster', 0.7)), true)
  assert.equal(isRootFirst(scored('cluster profile', 0.7)), false)
  assert.equal(isRootFirst(scored('cluster', 0.2)), false)
})

test('a submodule that the query names by more words comes before one that it names by fewer', () => {
  const paths = ['modules/cluster', 'modules/autopilot-cluster', 'modules/beta-autopilot-cluster']
  const scores = Float64Array.of(0.8, 0.75, 1)
  const placeOf = (at: number) => ({ repository: 'r', path: paths[at] ?? '', kind: 'submodule' })

  preferRoots(scores, [0, 1, 2], placeOf, plan('autopilot cluster'))

  const [cluster = 0, autopilot = 0, beta = 0] = scores
  assert.ok(autopilot > cluster && autopilot > beta)
  assert.ok(autopilot <= 1)
})

test('a submodule is named also where one of its words is part of the name of the repository', () => {
  const places = [
    { repository: 'owner/terraform-aws-elasticache', path: '.', kind: 'root' },
    { repository: 'owner/terraform-aws-elasticache', path: 'modules/serverless-cache', kind: 'submodule' },
    { repository: 'owner/terraform-aws-iam', path: 'modules/topics-iam', kind: 'submodule' },
  ]
  const scores = Float64Array.of(0.8, 0.9, 0.9)
  const placeOf = (at: number) => places[at] ?? { repository: '', path: '', kind: '' }
  preferRoots(scores, [0, 1, 2], placeOf, plan('elasticache serverless topics'))
  assert.equal(scores[1], 0.9)
  assert.ok((scores[2] ?? 0) < 0.9)
})

test('where all candidates are roots, nothing else is asked of them', () => {
  const root = { kind: 'root', repository: 'r', path: '.' }
  const closed = (): never => assert.fail('it would be read from a file')
  const unread = Object.defineProperties({ ...root }, { path: { get: closed }, repository: { get: closed } })
  const scores = Float64Array.of(0.8, 1)

  preferRoots(scores, [0, 1], () => unread, plan('a cache'))

  assert.deepEqual([...scores], [0.8, 1])
})

test('a wrapper comes after what it wraps unless the query asks for it', () => {
  const places = [
    { repository: 'r', path: 'modules/redis', kind: 'submodule' },
    { repository: 'r', path: 'wrappers/redis', kind: 'submodule' },
  ]
  const scored = (query: string): number[] => {
    const scores = Float64Array.of(0.8, 1)
    preferRoots(scores, [0, 1], (at) => places[at] ?? { repository: '', path: '', kind: '' }, plan(query))
    return [...scores]
  }

  const [plain = 0, wrapper = 0] = scored('ports of a cache')
  const [named = 0, namedWrapper = 0] = scored('redis cache')
  const [asked = 0, askedWrapper = 0] = scored('wrapper of a cache')

  assert.ok(plain > wrapper)
  assert.ok(named > namedWrapper)
  assert.ok(askedWrapper > asked)
})

test('any query gets a plan in bounded time, and the same one each time', () => {
  const odd = [
    '',
    ' ',
    '...---...',
    'the of and',
    '(.*)+$[a-z]{9}',
    '\u0007\u001b[31m',
    'ab日本語cd العربية',
    'x'.repeat(2000),
  ]
  for (const query of odd) assert.deepEqual(plan(query), plan(query))
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (query) => {
      assert.ok(plan(query).terms.every(({ weight }) => weight > 0 && weight <= 1))
    }),
    { numRuns: 50, endOnFailure: true },
  )
  const started = process.cpuUsage()
  plan('opensarch domian '.repeat(117))
  const { user, system } = process.cpuUsage(started)
  assert.ok(user + system < 1_000_000, `${(user + system) / 1000} ms`)
})
