import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRoomSql } from '../../room/sql.ts'
import { cutRoomPower } from './power-cuts.ts'
import { BUG_POINTS, ENGINE_BUGS } from './testing/planted-bugs.ts'

const sql = await loadRoomSql()

for (const bug of ENGINE_BUGS) {
  test(`power cuts find the planted bug: ${bug.name}`, async () => {
    const report = await cutRoomPower({ sql, seed: 400, points: BUG_POINTS, bug })

    assert.ok(report.failure, `not found in ${report.points} points`)
  })
}
