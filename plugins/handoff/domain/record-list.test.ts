import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listRecords } from './record-list.ts'
import type { RecordTable } from './record-table.ts'

const COUNT = 500
/** Three records of each time. */
const timeOfRecord = (record: number): number => Math.floor(record / 3)
const idOfRecord = (record: number): string => String(record).padStart(4, '0')

function tableOf(records: readonly number[]): { readonly table: RecordTable; readonly asked: () => number } {
  let asked = 0
  const row = { title: 'a', status: 'draft', flags: [], relation: 'root', parents: [], next_action: null }
  const table = {
    records: Int32Array.from(records),
    updatedMs: timeOfRecord,
    id: (record: number) => {
      asked += 1
      return idOfRecord(record)
    },
    load: async (rows: readonly number[]) => rows.map((record) => ({ ...row, id: idOfRecord(record) })),
  } as unknown as RecordTable // what this list asks for
  return { table, asked: () => asked }
}

const ascending = Array.from({ length: COUNT }, (_, record) => record)
const ORDERS: readonly (readonly [string, readonly number[]])[] = [
  ['the oldest first', ascending],
  ['the newest first', ascending.toReversed()],
  ['mixed', ascending.toSorted((a, b) => ((a * 7919) % COUNT) - ((b * 7919) % COUNT))],
]

for (const [order, records] of ORDERS) {
  test(`pages of records that the index has in an order, ${order}, hold each once, the newest first`, async () => {
    const { table, asked } = tableOf(records)
    const ids: string[] = []
    let cursor: string | undefined
    const first = await listRecords(table, { limit: 20 })
    const askedOnce = asked()
    do {
      const page = await listRecords(table, { limit: 20, ...(cursor !== undefined && { cursor }) })
      ids.push(...page.items.map(({ id }) => id))
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)

    const wanted = ascending.toSorted((a, b) => timeOfRecord(b) - timeOfRecord(a) || a - b).map(idOfRecord)
    assert.deepEqual(ids, wanted)
    assert.deepEqual(
      first.items.map(({ id }) => id),
      wanted.slice(0, 20),
    )
    assert.ok(askedOnce <= 40, `${askedOnce} ids for a page of 20`)
  })
}
