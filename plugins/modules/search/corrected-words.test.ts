import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IN_USE, knowledge, vocabularyOf } from '../testing/query-words.ts'
import { planQuery } from './query-plan.ts'

const vocabulary = vocabularyOf([
  ...IN_USE,
  ...'workload identity codebuild project slack build code trail cloudtrail log elasticache botservice web container registry setup'.split(
    ' ',
  ),
])

function corrected(query: string): [from: string, to: string][] {
  return planQuery(query, knowledge, vocabulary).corrections.map(({ from, to }) => [from, to])
}

test('two words that were written for one are taken for it, also where one is misspelt', () => {
  const expected: Record<string, [from: string, to: string][]> = {
    'work load identity': [['work load', 'workload']],
    'elasti cache': [['elasti cache', 'elasticache']],
    'code bild project': [['code bild', 'codebuild']],
    // Each pair is a phrase that says something.
    'load balancer': [],
    'security group rules': [],
    'contaner registry': [['contaner', 'container']],
    'set up a cluster': [],
    // Another word than the whole of them is not in use.
    'web queue': [],
  }
  for (const [query, corrections] of Object.entries(expected)) {
    assert.deepEqual(corrected(query), corrections, query)
  }
})

test('a word of four letters is misspelt where one is missing or two are exchanged', () => {
  assert.deepEqual(corrected('slak messages'), [['slak', 'slack']])
  assert.deepEqual(corrected('cahe cluster'), [['cahe', 'cache']])
  assert.deepEqual(corrected('okta groups'), [])
  assert.deepEqual(corrected('shop groups'), [])
})

test('an ordinary word is right, unless another one says something with the word beside it', () => {
  assert.deepEqual(corrected('solar system planets'), [])
  assert.deepEqual(corrected('invoices of customers'), [])
  assert.deepEqual(corrected('cloud trial'), [['trial', 'trail']])
})
