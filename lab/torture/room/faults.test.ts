import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRoomSql } from '../../room/sql.ts'
import { failEveryCall } from './faults.ts'

test('after a fault at any write, flush or rename, the call is refused without effect or the room stops for good', async () => {
  const report = await failEveryCall({ sql: await loadRoomSql(), seed: 5 })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.runs > 100)
})
