import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { indexChanges, statesAfter } from '../testing/index-steps.ts'
import { contentAfter, contentOf, noteContent, stepBetween } from './index-content.ts'
import { emptyIndex, type ModuleIndex } from './module-index.ts'

/** The same index as objects of which nothing is known. */
function copyOf(index: ModuleIndex): ModuleIndex {
  return structuredClone(index)
}

test('the content after a step is that of the whole index, in any order of its records', () => {
  fc.assert(
    fc.property(indexChanges, (runs) => {
      let before: ModuleIndex = emptyIndex()
      for (const { index } of statesAfter(runs)) {
        const whole = contentOf(copyOf(index))
        const { records, repositories } = copyOf(index)
        assert.equal(contentAfter(before, index), whole)
        assert.equal(contentOf({ records: records.reverse(), repositories: repositories.reverse() }), whole)
        before = copyOf(index)
        noteContent(before, whole)
        assert.equal(contentAfter(before, copyOf(index)), whole)
        before = index
      }
    }),
  )
})

test('what a step removes and adds makes the one index the other', () => {
  fc.assert(
    fc.property(indexChanges, fc.boolean(), (runs, isReversed) => {
      const states = statesAfter(runs)
      for (const [at, { index }] of states.entries()) {
        const before = states[at - 1]?.index ?? emptyIndex()
        const records = isReversed ? [...index.records].reverse() : index.records
        const { removed, added } = stepBetween(before, { ...index, records })
        const left = new Set(before.records)
        for (const record of removed) assert.ok(left.delete(record), 'what is removed was there once')
        for (const record of added) left.add(record)
        assert.deepEqual(left, new Set(index.records))
      }
    }),
  )
})

test('another time, name, default branch or reading is another content', () => {
  const [state] = statesAfter([
    [
      { repository: 0, path: 0, ref: 0, how: 'change', words: 0 },
      { repository: 0, path: 0, ref: 0, how: 'read', words: 0 },
    ],
  ])
  assert.ok(state)
  const { index } = state
  const [record] = index.records
  const [row] = index.repositories
  assert.ok(record && row)
  const others: readonly Partial<ModuleIndex>[] = [
    { records: [{ ...record, last_updated: '2027-01-01T00:00:00.000Z' }] },
    { records: [{ ...record, summary_sha256: 'x' }] },
    { records: [{ ...record, other_names: [{ name: 'b', summary_file: 'b', summary_sha256: '' }] }] },
    { records: [] },
    { repositories: [{ ...row, default_branch: 'other' }] },
    { repositories: [{ ...row, readings: [] }] },
  ]
  const contents = others.map((other) => contentOf({ ...index, ...other }))
  assert.equal(new Set([contentOf(index), ...contents]).size, others.length + 1)
  assert.equal(contentOf({ ...index, records: [{ ...record, embedded: true }] }), contentOf(index))
})
