import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listRecords } from './record-list.ts'
import type { RecordTable } from './record-table.ts'

const COUNT = 500
/** Three records of each time. */
const timeOfRecord = (record: number): number => Math.floor(record / 3)
const idOfRecord = (record: number): string => String(record).padStart(4, '0')

/** Records in batches, in this order, of so many each. */
function tableOf(records: readonly number[], batchSize = COUNT) {
  let asked = 0
  const looked = new Set<number>()
  const row = { title: 'a', status: 'draft', flags: [], relation: 'root', parents: [], next_action: null }
  const table = {
    records: Int32Array.from(records),
    updatedMs: timeOfRecord,
    id: (record: number) => {
      asked += 1
      return idOfRecord(record)
    },
    batches: batchesOf(records, batchSize, (batch) => looked.add(batch)),
    status: (record: number) => (record % 7 === 0 ? 'ready' : 'draft'),
    load: async (rows: readonly number[]) => rows.map((record) => ({ ...row, id: idOfRecord(record) })),
  } as unknown as RecordTable // what this list asks for
  return { table, asked: () => asked, looked }
}

function batchesOf(all: readonly number[], size: number, onLook: (batch: number) => void) {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => {
    const own = all.slice(n * size, (n + 1) * size)
    return {
      count: own.length,
      newestMs: timeOfRecord(Math.max(...own)),
      oldestMs: () => timeOfRecord(Math.min(...own)),
      firstId: idOfRecord(Math.min(...own)),
      records: () => {
        onLook(n)
        return Int32Array.from(own)
      },
      passing: (_name: string, test: (record: number) => boolean) => own.filter(test).length,
    }
  })
}

const ascending = Array.from({ length: COUNT }, (_, record) => record)
const wanted = ascending.toSorted((a, b) => timeOfRecord(b) - timeOfRecord(a) || a - b).map(idOfRecord)
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

    assert.deepEqual(ids, wanted)
    assert.deepEqual(
      first.items.map(({ id }) => id),
      wanted.slice(0, 20),
    )
    assert.ok(askedOnce <= 40, `${askedOnce} ids for a page of 20`)
  })
}

async function pagesOf(table: RecordTable, request: { readonly status?: readonly ['ready'] }) {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await listRecords(table, { ...request, limit: 20, ...(cursor !== undefined && { cursor }) })
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return ids
}

for (const [order, records] of ORDERS) {
  for (const size of [1, 2, 7, 100]) {
    test(`pages of records in batches of ${size}, ${order}, are those of one batch`, async () => {
      const { table } = tableOf(records, size)

      assert.deepEqual(await pagesOf(table, {}), wanted)
      assert.deepEqual(
        await pagesOf(table, { status: ['ready'] }),
        wanted.filter((id) => Number(id) % 7 === 0),
      )
      const { total } = await listRecords(table, { limit: 1 })
      assert.equal(total, COUNT)
    })
  }
}

test('a page looks only into the batches that have its records, wherever the cursor is', async () => {
  const { table, looked } = tableOf(ascending, 10)

  const first = await listRecords(table, { limit: 20 })
  const lookedFirst = looked.size
  let cursor = first.next_cursor ?? undefined
  for (let page = 1; page < 12 && cursor !== undefined; page++) {
    looked.clear()
    cursor = (await listRecords(table, { limit: 20, cursor })).next_cursor ?? undefined
  }

  assert.ok(lookedFirst <= 4, `${lookedFirst} of 50 batches`)
  assert.ok(looked.size <= 4, `${looked.size} of 50 batches`)
})

test('a query without a word says that it lists every record', async () => {
  const { table } = tableOf(ascending)
  const warningsOf = async (query: string) => (await listRecords(table, { limit: 1, query })).warnings

  for (const query of ['\u{1F642}', '???'])
    assert.deepEqual(await warningsOf(query), [
      'The query has no letter and no digit: every record is listed.',
    ])
  for (const query of ['', ' ', '*']) assert.deepEqual(await warningsOf(query), [])
})
