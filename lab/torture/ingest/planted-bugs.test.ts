import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutEverywhere } from '../power-cuts.ts'
import { DISK_BUGS } from '../testing/disk-bugs.ts'
import { ingestLives } from './life.ts'
import { openTestStage } from './testing/test-stage.ts'

for (const bug of DISK_BUGS) {
  test(`power cuts of an ingest find the planted bug: ${bug.name}`, async (t) => {
    const stage = await openTestStage(t)

    const report = await cutEverywhere({ seed: 1, live: ingestLives(stage, { nextRuns: 0, bug }).short })

    assert.ok(report.failure, `not found in ${report.points} points`)
  })
}
