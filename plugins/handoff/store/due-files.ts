import { newestAmong } from '../domain/record-table.ts'
import type { FileTable, KnownFile } from './record-table.ts'

/** Known files that are all looked at for edits in place; of more, some at a time. */
const LOOK_AT_ALL = 20_000
const LOOK_AT_ALL_IN_HASTE = 2000
const LOOK_AT_SOME = 1000
const LOOK_AT_SOME_IN_HASTE = 250

/** The known files whose turn it is to be looked at: all, or the newest and some of the others. */
export function dueFiles(table: FileTable, isHasty: boolean, nowMs: number): Iterable<KnownFile> {
  if (!isHasty && table.present <= LOOK_AT_ALL) return table.files()
  if (isHasty && table.present <= LOOK_AT_ALL_IN_HASTE) {
    // Time may run out: the newest first.
    return [...table.files()].sort((a, b) => (a.name < b.name ? 1 : -1))
  }
  const half = (isHasty ? LOOK_AT_SOME_IN_HASTE : LOOK_AT_SOME) / 2
  const turn = Math.floor(nowMs / 1000) * half
  return table.files([...new Set([...newestAmong(table, half), ...someInTurn(table, turn, half)])])
}

/** So many records from the row whose turn it is, the first one following the last. */
function someInTurn({ batches }: FileTable, turn: number, count: number): readonly number[] {
  const rows = batches.reduce((sum, { size }) => sum + size, 0)
  let before = turn % Math.max(1, rows)
  const some: number[] = []
  for (const { first, size, records } of [...batches, ...batches]) {
    if (some.length >= count) break
    if (before < size) some.push(...records().filter((record) => record - first >= before))
    before = Math.max(0, before - size)
  }
  return some.slice(0, count)
}
