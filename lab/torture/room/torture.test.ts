import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { before, test } from 'node:test'
import type { Sql } from '../../../plugins/workspace/engine/sql.ts'
import { failEveryCall } from './faults.ts'
import { POWER_CUT_BUGS } from './planted-bugs.ts'
import { cutRoomPower } from './power-cuts.ts'
import { LOCK_BUGS, raceStarters } from './starters.ts'

const FEW_POINTS = 400 // the long run is `satchel torture room`
const BUG_POINTS = 2_000 // design workspace-engine 6

let sql: Sql
before(async () => {
  const wasm = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm')
  sql = await import('../../../plugins/workspace/engine/sql.lazy.ts').then(({ loadSql }) =>
    loadSql(readFileSync(wasm)),
  )
})

test('a power cut anywhere loses nothing that was acknowledged, published or read', async () => {
  const report = await cutRoomPower({ sql, seed: 7, points: FEW_POINTS })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.points, FEW_POINTS)
  assert.ok(report.nested > 0)
})

for (const bug of POWER_CUT_BUGS) {
  test(`power cuts find the planted bug: ${bug.name}`, async () => {
    const report = await cutRoomPower({ sql, seed: 400, points: BUG_POINTS, bug })

    assert.ok(report.failure, `not found in ${report.points} points`)
  })
}

test('a fault at every write, flush and rename: refused without a trace, or stopped for good', async () => {
  const report = await failEveryCall({ sql, seed: 5 })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.runs > 100)
})

test('racing starters: never two owners, never none, no answer after a successor', async () => {
  const report = await raceStarters({ seed: 1, rounds: 300 })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.ownerships > 300)
})

for (const bug of LOCK_BUGS) {
  test(`racing starters find the planted bug: ${bug.name}`, async () => {
    const report = await raceStarters({ seed: 1, rounds: BUG_POINTS, bug })

    assert.ok(report.failure)
  })
}
