import type { Flag, Relation, Status } from './record.ts'
import type { RecordRow } from './record-row.ts'

/**
 * What the index knows of the records of a store. A record is a number here; its row is loaded where it is needed, so
 * that a store of any size costs a few bytes for each record.
 */
export interface RecordTable {
  /** Every record, in no order. */
  readonly records: Int32Array
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
  hasValue(
    field: 'project' | 'branch' | 'harness' | 'actor' | 'session' | 'idempotency' | 'claim',
    value: string | null,
  ): (record: number) => boolean
  /** True if the records differ in this field. */
  differs(field: 'branch'): boolean
  find(id: string): number | undefined
  childrenOf(id: string): readonly number[]
  /** The rows of these records, in their order. */
  load(records: readonly number[]): Promise<readonly RecordRow[]>
  /** The searchable fields of these records, in their order and that of `SEARCH_FIELDS`. */
  texts(records: readonly number[]): Promise<readonly (readonly string[])[]>
  /** Every occurrence of a word, or of words with this beginning, ordered by record and field for each word. */
  occurrences(
    word: string,
    isPrefix: boolean,
    each: (record: number, field: number, count: number) => void,
  ): Promise<void>
  /** Different words in a field of a record. */
  fieldLength(record: number, field: number): number
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

/** The records whose field has this value. */
export function recordsWith(
  table: RecordTable,
  ...[field, value]: Parameters<RecordTable['hasValue']>
): readonly number[] {
  return [...table.records.filter(table.hasValue(field, value))]
}

/** The records of a session under any of its names, `null` for none, that no ready, resumed or superseded child continues. */
export function ownLeaves(table: RecordTable, names: readonly (string | null)[]): readonly number[] {
  const own = new Set(names.flatMap((name) => recordsWith(table, 'session', name)))
  return [...own].filter((record) => table.isLeaf(record))
}

/** The newest records, newest first. */
export function newestAmong(table: RecordTable, count: number): readonly number[] {
  const chosen: number[] = []
  for (const record of table.records) {
    const oldest = chosen.at(-1)
    if (chosen.length === count && oldest !== undefined && !isNewer(table, record, oldest)) continue
    let at = chosen.length
    while (at > 0 && isNewer(table, record, chosen[at - 1] ?? 0)) at--
    chosen.splice(at, 0, record)
    if (chosen.length > count) chosen.pop()
  }
  return chosen
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
