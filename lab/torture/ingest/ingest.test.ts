import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutEverywhere } from '../power-cuts.ts'
import { ingestLives } from './life.ts'
import { openTestStage } from './testing/test-stage.ts'

const FEW_RUNS = 0.02 // the long run is `satchel torture ingest`

test('a power cut after any disk change of an ingest loses nothing of an answered one, and the next one completes', async (t) => {
  const stage = await openTestStage(t)

  const report = await cutEverywhere({ seed: 1, live: ingestLives(stage, { nextRuns: FEW_RUNS }).short })

  t.diagnostic(`${report.points} points, ${report.nested} more in a recovery`)
  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.points > 300)
})
