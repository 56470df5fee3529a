import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { realDisk } from '../../../server/plugin.ts'
import { temporaryFolder } from '../../../test/harness/index.ts'
import { sampleId, sampleRecord } from '../testing/sample-record.ts'
import { createDatabaseIndex } from './database-index.ts'
import { layoutOf } from './layout.ts'
import type { RecordRows, StoredRow } from './record-rows.ts'

test('the time that a database takes to answer is not that of reading', async (t) => {
  const root = await temporaryFolder(t)
  let clock = 1000
  const bytes = Buffer.from(JSON.stringify(sampleRecord(0, 1300)))
  const rows = {
    head: async () => {
      clock += 5000
      return { change: 1, life: 'one' }
    },
    since: async () => [{ id: sampleId(0), change: 1, bytes, writtenMs: 1 }],
  } as unknown as RecordRows // what an index asks for
  const parts = { disk: realDisk, layout: layoutOf(root, join(root, '.handoffs')), now: () => clock }
  const index = createDatabaseIndex(parts, { key: async () => 'shop', rows: async () => rows })

  const { answer, unread } = await index.askWithin(600, (table) => table.records.length)

  assert.deepEqual([answer, unread], [1, 0])
})

test('callers that come together ask the database twice, and each sees what was committed before it', async (t) => {
  const root = await temporaryFolder(t)
  const stored: StoredRow[] = []
  let heads = 0
  const rows = {
    head: async () => {
      heads += 1
      return { change: stored.length, life: 'one' }
    },
    since: async (change: number, limit: number) => stored.slice(change, change + limit),
  } as unknown as RecordRows // what an index asks for
  const parts = { disk: realDisk, layout: layoutOf(root, join(root, '.handoffs')), now: Date.now }
  const index = createDatabaseIndex(parts, { key: async () => 'shop', rows: async () => rows })
  const commit = () => {
    const n = stored.length
    const bytes = Buffer.from(JSON.stringify(sampleRecord(n, 1300)))
    stored.push({ id: sampleId(n), change: n + 1, bytes, writtenMs: 1 })
  }

  const asked = Array.from({ length: 20 }, () => {
    commit()
    const committed = stored.length
    return index.ask((table) => ({ committed, count: table.count, records: table.records.length }))
  })

  for (const { committed, count, records } of await Promise.all(asked)) {
    assert.ok(count >= committed, `${count} of ${committed}`)
    assert.equal(records, count)
  }
  assert.ok(heads <= 2, `${heads} questions`)
})
