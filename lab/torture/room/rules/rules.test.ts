import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRoomSql } from '../../../room/sql.ts'
import { createChance } from '../../chance.ts'
import { cutPower } from '../../power-cuts.ts'
import { liveByRules } from './rule-life.ts'
import { RULE_BUGS } from './testing/rule-bugs.ts'

const FEW_POINTS = 150 // the long run is `satchel torture room`
const BUG_POINTS = 2000
const sql = await loadRoomSql()

test('calls give the events and rows that the rules say, also after a power cut anywhere', async () => {
  const report = await cutPower({
    seed: 7,
    points: FEW_POINTS,
    live: (chance) => liveByRules({ sql }, chance),
  })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.equal(report.points, FEW_POINTS)
})

for (const bug of RULE_BUGS) {
  test(`the rules find the planted bug: ${bug.name}`, async () => {
    // What differs while the room works is a complaint of its life: no cut is needed to see it.
    for (let seed = 1; seed <= BUG_POINTS; seed += 1) {
      const { complaints } = await liveByRules({ sql, bug }, createChance(seed))
      if (complaints.length > 0) return
    }
    assert.fail('not found')
  })
}
