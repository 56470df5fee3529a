import { type CursorKey, compareKeys, onceFor } from '../../../server/plugin.ts'
import { firstBehind, orderOf } from './list-order.ts'
import type { RecordBatch, RecordTable } from './record-table.ts'

/** Which records are listed. */
export interface Filter {
  test(record: number): boolean
  /** Tells the test from all others, if it asks nothing but the record itself; else false. */
  readonly ofRecord: string | false
}

interface Newest {
  readonly record: number
  readonly key: CursorKey
}

/**
 * The first records behind a key in the order of `updated`, at most `limit`, and how many pass the filter altogether. Only
 * batches that can have one of the first are looked into, so that a page costs the same in a store of any size.
 */
export function newestPage(
  table: RecordTable,
  wanted: {
    readonly after: CursorKey | undefined
    readonly limit: number
    readonly filter: Filter | undefined
  },
): { readonly found: readonly Newest[]; readonly total: number } {
  const { after, limit, filter } = wanted
  const test = filter?.test
  const name = filter?.ofRecord || undefined
  const counts = new Map<RecordBatch, number>()
  for (const batch of table.batches) {
    counts.set(batch, test && name !== undefined ? batch.passing(name, test) : batch.count)
  }
  let found: readonly Newest[] = []
  for (const batch of inOrder(table.batches)) {
    const last = found.length === limit ? found.at(-1) : undefined
    if (last && compareKeys([-batch.newestMs, batch.firstId], last.key) > 0) break
    if (counts.get(batch) === 0 || isBefore(batch, after)) continue
    found = [...found, ...firstIn(table, batch, { test, after, limit })]
      .sort((a, b) => compareKeys(a.key, b.key))
      .slice(0, limit)
  }
  return { found, total: [...counts.values()].reduce((sum, count) => sum + count, 0) }
}

/**
 * The batch with the first record first, as far as is known without a look into them. A table of records that did not
 * change has the batches that it had.
 */
const inOrder = onceFor((batches: readonly RecordBatch[]) =>
  batches.toSorted((a, b) => b.newestMs - a.newestMs || (a.firstId < b.firstId ? -1 : 1)),
)

/** Whether all records of a batch are newer than those behind the key. */
function isBefore(batch: RecordBatch, after: CursorKey | undefined): boolean {
  return after !== undefined && -batch.oldestMs() < Number(after[0])
}

function firstIn(
  table: RecordTable,
  batch: RecordBatch,
  {
    test,
    ...page
  }: {
    readonly test: ((record: number) => boolean) | undefined
    readonly after: CursorKey | undefined
    readonly limit: number
  },
): readonly Newest[] {
  const all = batch.records()
  const records = test ? all.filter(test) : all
  const order = orderOf(table, { records }, { sort: 'updated', titles: undefined })
  return firstBehind(records.length, order, page).map(({ at, key }) => ({ record: records[at] ?? 0, key }))
}
