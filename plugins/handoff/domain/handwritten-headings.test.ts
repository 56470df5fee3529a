import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHandwritten } from './handwritten.ts'

const read = (...lines: readonly string[]) => readHandwritten(lines.join('\n'))

test('a heading that is an entry of the section around it is kept', () => {
  const { authored, unmapped } = read(
    '# Billing',
    ...['## Decisions', '### Decision 1: Use Postgres', 'It has JSONB.'],
    ...['### Decision 2 - avoid Redis', 'One store is enough.'],
    ...['## What did not work', '### Failed attempt 1: Lock the table', 'Checkout hung.'],
    ...['### Attempt 2: Delete in a trigger', 'Deadlocks.', '### Failed to copy at night', 'Too slow.'],
    ...['## Next steps', '### Next: deploy the worker', '- Use the blue pool'],
  )

  assert.deepEqual(
    authored.decisions?.map(({ decision }) => decision),
    ['Use Postgres\nIt has JSONB.', 'avoid Redis\nOne store is enough.'],
  )
  assert.deepEqual(
    authored.failed_attempts?.map(({ approach }) => approach),
    [
      'Lock the table\nCheckout hung.',
      'Attempt 2: Delete in a trigger\nDeadlocks.',
      'Failed to copy at night\nToo slow.',
    ],
  )
  assert.deepEqual(
    authored.open_items?.map(({ description }) => description),
    ['deploy the worker: Use the blue pool'],
  )
  assert.equal(unmapped, '')
})

test('what a heading says after a colon is an entry, unless it is a heading by itself', () => {
  const { authored } = read(
    '# Import',
    ...['## Failed: use sax', 'Too slow.', '## Failed: lock the file', '## Do not: restart the broker'],
    ...['## Status: in progress', 'The parser.', '## Done - 2026-01-03', '- The reader'],
    ...['## Next steps: (in order)', '- Measure'],
  )

  assert.deepEqual(
    authored.failed_attempts?.map(({ approach }) => approach),
    ['use sax\nToo slow.', 'lock the file'],
  )
  assert.deepEqual(authored.constraints, ['Do not: restart the broker'])
  assert.deepEqual(authored.in_progress, ['The parser.'])
  assert.deepEqual(authored.completed, ['The reader'])
  assert.deepEqual(
    authored.open_items?.map(({ description }) => description),
    ['Measure'],
  )
})

test('what was tried is an attempt, to be avoided where the heading says that it failed', () => {
  const { authored, unmapped } = read(
    '# Decoder',
    ...['## Already tried', '- Plain locals: 40 bytes short', '- [x] A literal zero'],
    ...['## Approaches tried and reverted', '- One map for all images', '## Ruled out', '- A cast'],
    ...["## What hasn't been tried", '- AVX-512', '## What I tried to show', 'The layout.'],
  )

  assert.deepEqual(
    authored.failed_attempts?.map(({ approach, outcome, avoid_repeating }) => [
      approach,
      outcome,
      avoid_repeating,
    ]),
    [
      ['One map for all images', 'failed', true],
      ['A cast', 'failed', true],
      ['Plain locals: 40 bytes short', null, false],
      ['A literal zero', null, false],
    ],
  )
  assert.deepEqual(
    authored.open_items?.map(({ description }) => description),
    ['AVX-512'],
  )
  assert.equal(unmapped, '## What I tried to show\nThe layout.')
})
