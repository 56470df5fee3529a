import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assetPath } from '../../../server/assets.ts'
import { torture, tortureText } from './full-run.ts'

test('a run that was cut short says how much of it ran, and does not say that nothing failed', async () => {
  const report = await torture({
    seed: 1,
    kills: 5,
    points: 20,
    wasm: assetPath('sql-wasm.wasm'),
    directory: undefined,
    victim: () => ['none'],
    budgetMs: Number.POSITIVE_INFINITY,
    elapsedMs: () => 0,
    stopped: () => true,
    note() {},
  })

  assert.equal(report.complete, false)
  assert.ok(!('failed' in report))
  assert.match(tortureText(report), /cut short: 0 of 20 and 0 of 2 points, 0 of 5 kills/)
})
