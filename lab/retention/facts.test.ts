import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fact, outcomeOf } from './facts.ts'

const ATTEMPT: Fact = {
  kind: 'do_not_retry',
  mark: 'fact-attempt-1',
  place: { list: '/failed_attempts', item: 'F-012' },
}

for (const [given, outcome] of [
  ['Do not retry (F-012): x fact-attempt-1 (y)', 'shown'],
  ['Do not retry (F-013): x fact-attempt-12', 'lost'],
  ['Do not retry (F-012): x fact-att…', 'lost'],
  [
    'Left out or cut: do_not_retry 3 (/failed_attempts F-010 F-012). Read a part: handoff_get {"id":"1"}',
    'listed',
  ],
  ['Left out or cut: do_not_retry 9 (/failed_attempts F-010..F-018). Read: handoff_get {}', 'listed'],
  ['Left out or cut: do_not_retry 9 (/failed_attempts F-013..F-018). Read: handoff_get {}', 'lost'],
  ['Left out or cut: do_not_retry 9 (/failed_attempts F-010 …). Read: handoff_get {}', 'lost'],
  ['Left out or cut: do_not_retry 3 (/open_items F-012). Read: handoff_get {}', 'lost'],
  ['Left out or cut: do_not_retry 3 (/failed_attempts F-012).', 'lost'],
  ['', 'lost'],
] as const) {
  test(`an attempt is ${outcome} in "${given.slice(0, 60)}"`, () => {
    assert.equal(outcomeOf(ATTEMPT, given), outcome)
  })
}

test('what must be whole is not kept by a listing', () => {
  const given = 'Left out or cut: objective 1 (/work/objective). Read a part: handoff_get {"id":"1"}'
  const place = { list: '/work/objective', item: '0' }

  assert.equal(outcomeOf({ kind: 'objective', mark: 'fact-objective-1', place }, given), 'lost')
})

test('a claim counts only with its verdict', () => {
  const claim: Fact = { kind: 'claim', mark: 'fact-claim-1', besides: /Does not hold \(E-001, stale\)/ }

  assert.equal(outcomeOf(claim, 'E-001 (test): fact-claim-1'), 'lost')
  assert.equal(outcomeOf(claim, 'Does not hold (E-001, stale): fact-claim-1'), 'shown')
})
