import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRoomSql } from '../../room/sql.ts'
import { cutRoomPower } from './power-cuts.ts'
import { BUG_POINTS, ROOM_DISK_BUGS } from './testing/planted-bugs.ts'

const FEW_POINTS = 400 // the long run is `satchel torture room`
const sql = await loadRoomSql()

test('a power cut anywhere loses nothing that was acknowledged, published or read', async () => {
  const report = await cutRoomPower({ sql, seed: 7, points: FEW_POINTS })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.points, FEW_POINTS)
  assert.ok(report.nested > 0)
})

for (const bug of ROOM_DISK_BUGS) {
  test(`power cuts find the planted bug: ${bug.name}`, async () => {
    const report = await cutRoomPower({ sql, seed: 400, points: BUG_POINTS, bug })

    assert.ok(report.failure, `not found in ${report.points} points`)
  })
}
