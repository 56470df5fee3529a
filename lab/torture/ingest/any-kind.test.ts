import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutPower } from '../power-cuts.ts'
import { ingestLives } from './life.ts'
import { openTestStage } from './testing/test-stage.ts'

const FEW_POINTS = 100 // the long run is `satchel torture ingest`
const FEW_RUNS = 0.04

test('a power cut in ingests of any kind loses nothing of an answered one, and the next one completes', async (t) => {
  const stage = await openTestStage(t)

  const live = ingestLives(stage, { nextRuns: FEW_RUNS }).long
  const report = await cutPower({ seed: 7, points: FEW_POINTS, live })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.points, FEW_POINTS)
})
