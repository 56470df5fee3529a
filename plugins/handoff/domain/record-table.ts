import type { Flag, Relation, Status } from './record.ts'
import type { RecordRow } from './record-row.ts'

/**
 * What the index knows of the records of a store. A record is a number here; its row is loaded where it is needed, so
 * that a store of any size costs a few bytes for each record.
 */
export interface RecordTable {
  /** Every record, in no order. To list them takes time for each. */
  readonly records: Int32Array
  /** How many they are. */
  readonly count: number
  /** One more than the largest number. */
  readonly size: number
  /** Lower case. */
  id(record: number): string
  updatedMs(record: number): number
  createdMs(record: number): number
  status(record: number): Status
  hasFlag(record: number, flag: Flag): boolean
  relation(record: number): Relation
  isSkeleton(record: number): boolean
  /** No ready, resumed or superseded child continues it. */
  isLeaf(record: number): boolean
  /** A test whether a field of a record has this value. */
  hasValue(field: ValueField, value: string | null): (record: number) => boolean
  /** The records whose field has this value, without a look at each of the others. */
  withValue(field: ValueField, value: string | null): readonly number[]
  hasAny(field: ValueField, value: string | null): boolean
  /** True if the records differ in this field. */
  differs(field: 'branch'): boolean
  find(id: string): number | undefined
  childrenOf(id: string): readonly number[]
  /** The rows of these records, in their order. */
  load(records: readonly number[]): Promise<readonly RecordRow[]>
  /** The searchable fields of these records, in their order and that of `SEARCH_FIELDS`. */
  texts(records: readonly number[]): Promise<readonly (readonly string[])[]>
  /** All records, in parts that are read one after another. */
  readonly batches: readonly RecordBatch[]
}

export type ValueField = 'project' | 'branch' | 'harness' | 'actor' | 'session' | 'idempotency' | 'claim'

/** Records that the index keeps together, whose numbers follow one another. A row is a number without `first`. */
export interface RecordBatch {
  readonly first: number
  /** One more than the largest row. */
  readonly size: number
  /** The latest update of one of these records, or of one that was in their place. */
  readonly newestMs: number
  /** No update of one of these records is earlier. Looks at each of them once. */
  oldestMs(): number
  /** No id of one of these records is before it. */
  readonly firstId: string
  /** How many exist. */
  readonly count: number
  /** Those that exist, ascending. */
  records(): Int32Array
  /**
   * How many of them pass a test, which is told from others by its name and asks nothing but the record itself: the number
   * is kept with the batch.
   */
  passing(name: string, test: (record: number) => boolean): number
  /**
   * Every occurrence of a word, ordered by row and field, or of words with this beginning, in no order. Valid until the
   * next call for any batch. May name rows that do not exist.
   */
  occurrences(word: string, isPrefix: boolean): Uint32Array
  /** Different words by row and field. Valid until the next call for any batch. */
  lengths(): Uint16Array
  /** Searchable fields of these rows; rows whose fields cannot have `phrase`, which is folded, are left out. */
  textsWith(
    phrase: string,
    rows: readonly number[],
  ): Iterable<readonly [row: number, fields: readonly string[]]>
}

/** Newest first, then by id. */
export function newestOf(table: RecordTable, records: readonly number[]): readonly number[] {
  return [...records].sort(
    (a, b) => table.updatedMs(b) - table.updatedMs(a) || (table.id(a) < table.id(b) ? 1 : -1),
  )
}

const FUTURE_MS = 5 * 60 * 1000

/** True for a time so far ahead of the clock that one of the two is wrong. */
export function isFuture(timeMs: number, nowMs: number): boolean {
  return timeMs > nowMs + FUTURE_MS
}

/** True if record `a` is newer than `b`. */
export function isNewer(table: RecordTable, a: number, b: number): boolean {
  const difference = table.updatedMs(a) - table.updatedMs(b)
  return difference > 0 || (difference === 0 && table.id(a) > table.id(b))
}

/** The records of a session under any of its names, `null` for none, that no ready, resumed or superseded child continues. */
export function ownLeaves(table: RecordTable, names: readonly (string | null)[]): readonly number[] {
  const own = new Set(names.flatMap((name) => table.withValue('session', name)))
  return [...own].filter((record) => table.isLeaf(record))
}

/** The newest records, newest first. */
export function newestAmong(table: RecordTable, count: number): readonly number[] {
  let chosen: readonly number[] = []
  for (const { newestMs, records } of newestBatches(table)) {
    const oldest = chosen.at(-1)
    if (chosen.length === count && oldest !== undefined && newestMs < table.updatedMs(oldest)) break
    chosen = newestOf(table, [...chosen, ...lateRecords(table, records(), count)]).slice(0, count)
  }
  return chosen
}

/** The `count` newest, and those of the same time as the last of them. Numbers are sorted faster than records. */
function lateRecords(table: RecordTable, records: Int32Array, count: number): Int32Array {
  const times = Float64Array.from(records, table.updatedMs).sort()
  const since = times[times.length - count] ?? Number.NEGATIVE_INFINITY
  return records.filter((record) => table.updatedMs(record) >= since)
}

/** The batches with the newest records first. */
export function newestBatches({ batches }: RecordTable): readonly RecordBatch[] {
  return batches.toSorted((a, b) => b.newestMs - a.newestMs)
}

/** Puts a record in its place among the `count` newest, newest first. */
export function putNewest(
  table: RecordTable,
  chosen: number[],
  { record, count }: { readonly record: number; readonly count: number },
): void {
  const oldest = chosen.at(-1)
  if (chosen.length === count && oldest !== undefined && !isNewer(table, record, oldest)) return
  let at = chosen.length
  while (at > 0 && isNewer(table, record, chosen[at - 1] ?? record)) at--
  chosen.splice(at, 0, record)
  if (chosen.length > count) chosen.pop()
}

/** The children of a record. */
export function childRows(table: RecordTable, id: string): Promise<readonly RecordRow[]> {
  return table.load(table.childrenOf(id))
}

/** A record with these ancestors and their children: every row that a check of its lineage looks at. */
export async function familyOf(
  table: RecordTable,
  parents: readonly string[],
): Promise<readonly RecordRow[]> {
  const family = new Map<number, RecordRow>()
  const add = async (records: readonly number[]) => {
    const fresh = [...new Set(records)].filter((record) => !family.has(record))
    const rows = await table.load(fresh)
    for (const [at, record] of fresh.entries()) {
      const row = rows[at]
      if (row) family.set(record, row)
    }
    return rows
  }
  await add(parents.flatMap((id) => table.childrenOf(id)))
  const seen = new Set<string>()
  for (let level = parents; level.length > 0; ) {
    const ids = [...new Set(level.map((id) => id.toLowerCase()))].filter((id) => !seen.has(id))
    for (const id of ids) seen.add(id)
    await add(ids.flatMap((id) => table.find(id) ?? []))
    level = ids.flatMap((id) => {
      const found = table.find(id)
      return (found === undefined ? undefined : family.get(found))?.parents ?? []
    })
  }
  return [...family.values()]
}
