import { isDeepStrictEqual } from 'node:util'
import type { Handoff } from './record.ts'
import { timeOf } from './record-time.ts'

/** Members that change when a record is checked, released, resumed or superseded. */
const PASSING: ReadonlySet<string> = new Set(['status', 'flags', 'updated_at', 'validation', 'x_satchel'])

/** Tells whether a stored record is the given one, only later in its life: no content differs. */
export function isOnlyMovedOn(given: unknown, stored: Handoff): boolean {
  const before = given as Handoff // the caller checked it against the schema
  const [from, to] = [timeOf(before.updated_at), timeOf(stored.updated_at)]
  if (from === undefined || to === undefined || to < from) return false
  return isDeepStrictEqual(contentOf(before), contentOf(stored))
}

function contentOf(record: Handoff): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !PASSING.has(name)))
}
