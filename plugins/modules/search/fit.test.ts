import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ladder } from '../testing/arms.ts'
import { EMPTY_SUMMARY } from '../testing/empty-summary.ts'
import { IN_USE, knowledge, plan, vocabularyOf } from '../testing/query-words.ts'
import { type FitEvidence, nothingFits } from './fit.ts'
import { lexiconOf } from './lexicon-file.ts'
import { shownAs } from './products.ts'
import { planQuery } from './query-plan.ts'
import { stem } from './stemmer.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A result that has these words in its name, and is about all that the query means. */
function evidence(query: string, found: readonly string[]): FitEvidence {
  const terms = new Set(found.map(stem))
  const about = new Set(plan(query).concepts.keys())
  return { terms, named: terms, shown: terms, about, says: about, isOfProvider: true }
}

test('a query that nothing here is about is told from one that something is about', () => {
  const vocabulary = vocabularyOf(IN_USE)
  const none = (query: string, found: readonly string[], hasProvider = true): boolean =>
    nothingFits(plan(query), vocabulary, [evidence(query, found)], hasProvider)

  assert.equal(none('pizza recipe', []), true)
  assert.equal(none('okta tenant', [], false), true)
  assert.equal(none('redis cache', ['redis', 'cache']), false)
  assert.equal(none('save money', []), false)
  assert.equal(none('vsphere virtual machine', ['virtual', 'machine'], false), true)
  assert.equal(none('datadog monitors', ['datadog'], false), false)
  assert.equal(none('jumpcloud network', ['network']), true)
  assert.equal(none('private virtual network for jumpcloud', ['virtual', 'network']), false)
})

test('the concept of a sentence of known and ordinary words fits where the first result says it', () => {
  const query = 'staff leave and enter teams and their rights follow'
  const known = vocabularyOf([...IN_USE, ...query.split(' ')])
  const says = (...concepts: string[]) => ({
    ...evidence(query, []),
    about: new Set(concepts),
    says: new Set(concepts),
  })
  const none = (vocabulary: Vocabulary, ...best: FitEvidence[]): boolean =>
    nothingFits(planQuery(query, knowledge, vocabulary), vocabulary, best, true)

  assert.equal(none(known, says('users')), false)
  assert.equal(none(known, says(), says('users')), true)
  assert.equal(none(vocabularyOf(IN_USE), says('users')), false)
  const named = 'staff enter frobnix and quuxly'
  assert.equal(nothingFits(plan(named), vocabularyOf(IN_USE), [says('users')], true), true)
})

test('what is only guessed does not say that something fits', () => {
  const query = 'mainframe colleagues overwrite each other'
  const guessed = { weight: 0.8, certainty: 0, words: 4, isExact: false, isVague: false, stems: [] }
  const found = { ...evidence(query, []), about: new Set(['remote-state']), says: new Set(['remote-state']) }
  const asked = { ...plan(query), concepts: new Map([['remote-state', guessed]]) }
  assert.equal(nothingFits(asked, vocabularyOf(IN_USE), [found], true), true)
})

test('a product that no result is named for does not fit, though its concept does', () => {
  const none = (query: string, best: Partial<FitEvidence>): boolean =>
    nothingFits(plan(query), vocabularyOf(IN_USE), [{ ...evidence(query, []), ...best }], true)
  const named = new Set(['kinesi', 'stream'])

  assert.equal(none('kinesis stream', { named }), false)
  assert.equal(none('kinesis stream', { named: new Set(), terms: named }), true)
  assert.equal(none('kinesis stream', { named, isOfProvider: false }), true)
  assert.equal(none('kinesis stream into dynamodb', { named: new Set(['dynamodb']) }), false)
  assert.equal(none('events without kinesis', {}), false)
  assert.equal(none('message queue', {}), false)
  assert.deepEqual(plan('blockchain node').corrections, [])
})

test('in a small index too a product has to be shown, and a concept to be more than a resource', () => {
  const small = { ...vocabularyOf(IN_USE), texts: 12 }
  const none = (query: string, best: Partial<FitEvidence>): boolean =>
    nothingFits(plan(query), small, [{ ...evidence(query, []), ...best }], true)
  const stems = (text: string): Set<string> => new Set(text.split(' ').map(stem))
  const says = new Set<string>()

  assert.equal(none('kinesis stream', { ...evidence('', ['kinesis', 'stream']), says }), false)
  const mentioned = { terms: stems('kinesis stream'), named: stems('kinesis stream') }
  assert.equal(none('kinesis stream', { ...mentioned, says }), true)
  assert.equal(none('kinesis stream', mentioned), false)
  assert.equal(none('message queue', { says }), true)
  assert.equal(none('message queue', { says, shown: stems('queue'), terms: stems('queue') }), false)
  assert.equal(none('message queue', { says, named: stems('queue'), terms: stems('queue') }), true)
  assert.equal(none('message queue', {}), false)
})

test('in a small index a lesser concept counts where the first result says it, and a clear one needs no rare word', () => {
  const small = { ...vocabularyOf([...IN_USE, 'multiaz']), texts: 12 }
  const none = (query: string, ...best: readonly Partial<FitEvidence>[]): boolean =>
    nothingFits(
      planQuery(query, knowledge, small),
      small,
      best.map((one) => ({
        ...evidence(query, []),
        about: new Set<string>(),
        says: new Set<string>(),
        ...one,
      })),
      true,
    )
  const says = (group: string) => ({ about: new Set([group]), says: new Set([group]) })

  assert.equal(none('finance team warning before the bill explodes', {}, says('monitoring')), true)
  assert.equal(none('finance team warning before the bill explodes', says('cost')), false)
  assert.equal(none('know about intruders', says('threat-detection')), false)
  assert.equal(none('send transactional mail', says('email')), false)
  const words = new Set(['multi', 'az'])
  assert.equal(none('multi az', { terms: words, named: words }), false)
  assert.equal(none('load balancer', { terms: words, named: new Set(['load', 'balanc']) }), true)
})

test('a product of another cloud than the wanted one is not asked of its modules, nor one of a tool that is named', () => {
  assert.deepEqual(plan('s3 buckets on digitalocean').products, [])
  assert.deepEqual(plan('s3 buckets on aws').products, [['s3']])
  const query = 'codepipeline that builds from github'
  const words = new Set(['codepipelin', 'build'])
  const shown = { terms: words, named: words, shown: words }
  const best = [{ ...evidence(query, []), ...shown, isOfProvider: false }]
  assert.equal(nothingFits(plan(query), vocabularyOf(IN_USE), best, true), false)
})

test('an everyday word that no module has does not count against a query', () => {
  const found = evidence('monitoring stuff', ['monitoring'])
  assert.equal(
    nothingFits(plan('monitoring stuff'), vocabularyOf([...IN_USE, 'monitoring']), [found], true),
    false,
  )
})

test('what no result says what it is for does not fit, though the query means it clearly', () => {
  const none = (query: string, best: Partial<FitEvidence>): boolean =>
    nothingFits(plan(query), vocabularyOf(IN_USE), [{ ...evidence(query, []), ...best }], true)
  const about = new Set<string>()

  assert.equal(none('machine learning', {}), false)
  assert.equal(none('machine learning', { about, says: about }), true)
  assert.equal(none('google equivalent of dynamodb', { terms: new Set(['google', 'dynamodb']) }), false)
  assert.equal(
    none('google equivalent of dynamodb', { terms: new Set(['google', 'dynamodb']), about, says: about }),
    true,
  )
  assert.equal(none('google equivalent of dynamodb', { isOfProvider: false }), true)
})

test('a rare word that no result has counts against it, unless it is one of several', () => {
  const common = vocabularyOf(IN_USE)
  const vocabulary = { ...common, count: (term: string) => (term === 'zorbcloud' ? 1 : common.count(term)) }
  const none = (query: string, found: readonly string[]): boolean =>
    nothingFits(planQuery(query, knowledge, vocabulary), vocabulary, [evidence(query, found)], true)

  assert.equal(none('zorbcloud domain table', ['domain', 'table']), true)
  assert.equal(none('zorbcloud domain table', ['zorbcloud', 'domain', 'table']), false)
  assert.equal(none('zorbcloud message domain table', ['message', 'domain', 'table']), false)
})

test('words of a sentence that are ordinary may be missing, names may not', () => {
  const vocabulary = vocabularyOf([...IN_USE, 'arrive', 'pass'])
  const none = (query: string, concept: string): boolean =>
    nothingFits(
      planQuery(query, knowledge, vocabulary),
      vocabulary,
      [{ ...evidence(query, []), about: new Set([concept]), says: new Set([concept]) }],
      true,
    )

  assert.equal(none('take mails that arrive and pass them on to another person', 'email'), false)
  assert.equal(none('capacity should follow the number of shoppers', 'autoscaling'), false)
  assert.equal(none('mail zorbcloud quuxly', 'email'), true)
})

test('what a query means clearly has to be said by one of the first results', () => {
  const query = 'message queue with dead letters'
  const words = { terms: new Set(['messag', 'queue', 'dead', 'letter']) }
  const none = (says: readonly string[]): boolean =>
    nothingFits(
      plan(query),
      vocabularyOf(IN_USE),
      [{ ...evidence(query, []), ...words, about: new Set(says), says: new Set(says) }],
      true,
    )

  assert.equal(none([]), true)
  assert.equal(none(['queue']), false)
})

test('a product is also shown by its other names, by what serves it and by a name that writes it as one word', () => {
  const says = new Set(['streaming'])
  const none = (...shown: string[]): boolean => {
    const found = { ...evidence('kafka', shown), about: says, says }
    return nothingFits(plan('kafka'), vocabularyOf(IN_USE), [found], true)
  }

  assert.equal(none('msk'), false)
  assert.equal(none('kinesis'), true)
  assert.deepEqual(shownAs(['bot', 'servic']).at(-1), ['botservic'])
  assert.ok(shownAs(['cosmo', 'db']).some((name) => name.join(' ') === 'documentdb'))
})

test('a cloud that is wanted has to be that of one of the first results', () => {
  const of = (isOfProvider: boolean) => ({
    ...evidence('azurerm_kubernetes_cluster', ['kubernetes']),
    isOfProvider,
  })
  const none = (...best: FitEvidence[]): boolean =>
    nothingFits(plan('azurerm_kubernetes_cluster'), vocabularyOf(IN_USE), best, true)

  assert.equal(none(of(false), of(false)), true)
  assert.equal(none(of(false), of(true)), false)
})

test('the words of a product are its name only where one field of a module has them together', async () => {
  const summaryOf = (name: string, description: string) => ({
    ...EMPTY_SUMMARY,
    repository: `https://git.example.com/acme/terraform-aws-${name}`,
    name,
    description,
  })
  const apart = summaryOf('app-network', 'A mesh of services with a gateway')
  const together = summaryOf('services', 'An app mesh of services with a gateway')
  const nothing = async (module: typeof apart): Promise<boolean | undefined> => {
    const arms = await ladder({ ids: ['module'], summaries: [module] }, await lexiconOf(undefined))
    return (await arms.find(({ name }) => name === 'hybrid')?.answer('app mesh services'))?.nothingFits
  }

  assert.equal(await nothing(apart), true)
  assert.equal(await nothing(together), false)
})

test('a search says that nothing fits of a product whose concept alone is here, and finds one by what serves it', async () => {
  const summaryOf = (name: string, description: string) => ({
    ...EMPTY_SUMMARY,
    repository: `https://git.example.com/acme/terraform-aws-${name}`,
    name,
    description,
  })
  const summaries = [
    summaryOf('alarms', 'Alarms of CloudWatch'),
    summaryOf('msk', 'Managed streaming cluster'),
  ]
  const arms = await ladder({ ids: ['alarms', 'msk'], summaries }, await lexiconOf(undefined))
  const hybrid = arms.find(({ name }) => name === 'hybrid')

  assert.equal((await hybrid?.answer('grafana dashboards'))?.nothingFits, true)
  assert.equal((await hybrid?.answer('alarms of cloudwatch'))?.nothingFits, false)
  assert.deepEqual(await hybrid?.answer('kafka'), { ranking: ['msk'], nothingFits: false })
})
