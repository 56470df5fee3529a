import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleRecord } from '../testing/sample-record.ts'
import { notedWork } from './noted-work.ts'
import { failedAttempts, type Handoff } from './record.ts'

const BASE: Handoff = { ...sampleRecord(1, 2000), decisions: [], failed_attempts: [] }

/** Notes on `BASE` with one failed attempt. */
function notes(n: number, approach: string, done: readonly string[] = []): Handoff {
  const attempt = {
    id: 'F-001',
    approach,
    outcome: null,
    reason: null,
    evidence_ids: [],
    avoid_repeating: true,
  }
  const { summary } = BASE
  return {
    ...BASE,
    id: sampleRecord(n, 2000).id,
    failed_attempts: [attempt],
    summary: { ...summary, completed: [...summary.completed, ...done] },
  }
}

test('notes of two sessions are put together: none is lost, said twice or under the id of another', () => {
  const drafts = [notes(2, 'A cookie', ['one']), notes(3, 'a  cookie'), notes(4, 'A longer timeout', ['two'])]

  const work = notedWork(
    BASE,
    drafts.map((record) => ({ record, parent: BASE })),
  )

  assert.ok(work.inherited)
  assert.deepEqual(
    failedAttempts(work.inherited).map(({ id, approach }) => [id, approach]),
    [
      ['F-001', 'a  cookie'],
      ['F-002', 'A longer timeout'],
    ],
  )
  assert.deepEqual(work.completed, ['one', 'two'])
  assert.equal(work.inherited.open_items.length, BASE.open_items.length)
})

test('without a record the first notes are what is inherited, and what they call done is told apart', () => {
  const record = notes(2, 'A cookie', ['one'])

  const { inherited, completed } = notedWork(undefined, [{ record, parent: undefined }])

  assert.deepEqual([inherited?.id, inherited?.summary.completed], [record.id, []])
  assert.deepEqual(completed, record.summary.completed)
})

test('notes lead to the step that they name, those beside a release only where it names none', () => {
  const withNext = (record: Handoff, next: string) => Object.assign({ ...record }, { x_satchel: { next } })
  const base = withNext(BASE, 'O-001')
  const superseded = withNext(sampleRecord(9, 2000), 'O-001')
  const step = {
    ...BASE.open_items[0],
    id: 'O-900',
    description: 'Another step',
  } as Handoff['open_items'][number]
  const draft = withNext({ ...notes(2, 'A cookie'), open_items: [...BASE.open_items, step] }, 'O-900')
  const nextAfter = (of: Handoff, record: Handoff, parent: Handoff) =>
    notedWork(of, [{ record, parent }]).next

  assert.deepEqual(
    [
      nextAfter(base, draft, base),
      nextAfter(base, withNext(draft, 'O-001'), base),
      nextAfter(base, draft, superseded),
      nextAfter(BASE, draft, superseded),
    ],
    ['O-900', 'O-001', 'O-001', 'O-900'],
  )
})
