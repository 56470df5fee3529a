import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRoomSql } from '../../room/sql.ts'
import { failEveryCall } from './faults.ts'

test('a fault at every write, flush and rename: refused without a trace, or stopped for good', async () => {
  const report = await failEveryCall({ sql: await loadRoomSql(), seed: 5 })

  assert.equal(report.failure, undefined, JSON.stringify(report.failure))
  assert.ok(report.runs > 100)
})
