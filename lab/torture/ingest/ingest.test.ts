import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { createChance } from '../chance.ts'
import { cutEverywhere, cutPower } from '../power-cuts.ts'
import { killIngests } from './kills.ts'
import { ingestLives } from './life.ts'
import { openTestStage } from './testing/test-stage.ts'

const VICTIM = fileURLToPath(new URL('victim-main.ts', import.meta.url))
const FEW_POINTS = 100 // the long run is `satchel torture ingest`
const FEW_RUNS = 0.04

test('a power cut after any disk change of an ingest loses nothing of an answered one, and the next one completes', async (t) => {
  const stage = await openTestStage(t)

  const report = await cutEverywhere({ seed: 1, live: ingestLives(stage, { nextRuns: FEW_RUNS }).short })

  t.diagnostic(`${report.points} points, ${report.nested} more in a recovery`)
  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.points > 300)
})

test('a power cut in ingests of any kind loses nothing of an answered one, and the next one completes', async (t) => {
  const stage = await openTestStage(t)

  const live = ingestLives(stage, { nextRuns: FEW_RUNS }).long
  const report = await cutPower({ seed: 7, points: FEW_POINTS, live })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.points, FEW_POINTS)
})

test('killed ingests leave whole files, and the next one ends like an undisturbed one', async (t) => {
  const dir = await temporaryFolder(t)

  const report = await killIngests(dir, process.env, {
    chance: createChance(1),
    kills: 2,
    victim: () => [process.execPath, '--import', 'tsx', VICTIM, dir],
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.kills, 2)
})
