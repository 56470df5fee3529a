import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenize } from '../../../plugins/modules/search/tokens.ts'
import { OWN_SUMMARIES } from '../../../plugins/modules/testing/own-corpus.ts'
import { growModules } from './grown-modules.ts'

test('grown modules have words of their own, and the same ones every time', () => {
  const grown = growModules(OWN_SUMMARIES)
  const words = (n: number, version: number): Set<string> => {
    const { description, variables } = grown.summary(n, version)
    return new Set(tokenize([description, ...variables.map(({ description: told }) => told)].join(' ')).words)
  }
  const vocabulary = (modules: number): number =>
    new Set(Array.from({ length: modules }, (_, n) => [...words(n, 0)]).flat()).size

  assert.deepEqual(grown.summary(50, 1), grown.summary(50, 1))
  assert.notDeepEqual(words(3, 0), words(3 + OWN_SUMMARIES.length, 0))
  assert.ok(vocabulary(420) > 1.5 * vocabulary(42), 'new modules bring new words')
  assert.equal(new Set([0, 42, 84].map((n) => grown.summary(n, 0).repository)).size, 3)
})
