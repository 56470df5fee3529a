import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPlan } from './plan-check.ts'

const PAIRS = join(import.meta.dirname, '../testdata/plan-pairs.json')

test('plans that repeat a dead end are told from plans that do not', (t) => {
  const pairs: { attempt: string; plan: string; repeat: boolean }[] = JSON.parse(readFileSync(PAIRS, 'utf8'))
  const attempts = [...new Set(pairs.map(({ attempt }) => attempt))].map((approach, n) => ({
    record: '0198c0de-7a3b-7c11-9a2e-5b6f0c1d2e3f',
    id: `F-${String(n).padStart(3, '0')}`,
    approach,
    reason: null,
    avoid_repeating: true,
    evidence: [],
  }))
  const flagged = pairs.filter(({ plan }) => checkPlan(plan, attempts).verdict === 'repeat')
  const right = flagged.filter(({ repeat }) => repeat).length
  const precision = right / flagged.length
  const recall = right / pairs.filter(({ repeat }) => repeat).length

  t.diagnostic(`precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)} over ${pairs.length} pairs`)
  assert.equal(pairs.length, 60)
  assert.ok(precision >= 0.9 && recall >= 0.7)
})
