import { jsonBytes } from './answer-budget.ts'
import type { JsonEdit } from './json-edit.ts'
import {
  type Claim,
  extension,
  type Flag,
  type Handoff,
  type HistoryEntry,
  type Status,
  type Validation,
} from './record.ts'

const MAX_HISTORY = 200 // design handoff, section 4
/** Size of the history as JSON, so that many long reasons do not fill up the record. */
const HISTORY_BYTES = 64 * 1024

/** A change of the members that may change after release. Absent members stay unchanged. */
export interface RecordChange {
  readonly status?: Status
  readonly flags?: readonly Flag[]
  readonly validation?: Validation
  readonly contentSha256?: string
  readonly claim?: Claim | null
  /** Absent: the record keeps its `updated_at`. */
  readonly at?: string
  /** Adds an entry to the history; needs `at`. */
  readonly entry?: {
    readonly by: string | null
    readonly reason?: string | null
    readonly nonce?: string | null
  }
}

/** The edits for a change. Unchanged members are not edited. */
export function changeEdits(record: Handoff, change: RecordChange): JsonEdit[] {
  const own = extension(record)
  const edits: JsonEdit[] = []
  const set = (pointer: string, value: unknown) => edits.push({ op: 'set', pointer, value })
  if (change.status !== undefined && change.status !== record.status) set('/status', change.status)
  if (change.flags !== undefined && !sameFlags(change.flags, record.flags)) set('/flags', change.flags)
  if (change.validation !== undefined) set('/validation', change.validation)
  if (change.contentSha256 !== undefined && change.contentSha256 !== own.content_sha256) {
    set('/x_satchel/content_sha256', change.contentSha256)
  }
  if (change.claim !== undefined && !(change.claim === null && own.claim === null))
    set('/x_satchel/claim', change.claim)
  if (change.at === undefined) return edits
  if (change.entry) {
    const { by, reason = null, nonce = null } = change.entry
    const { status } = record
    const entry = { at: change.at, from: status, to: change.status ?? status, by, reason, nonce }
    set('/x_satchel/history', [...recentOf(own.history, entry), entry])
  }
  set('/updated_at', change.at)
  return edits
}

/** The newest entries that fit besides a new one. */
function recentOf(history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  let left = HISTORY_BYTES - jsonBytes(entry)
  const recent = history.slice(-(MAX_HISTORY - 1))
  const oldest = recent.findLastIndex((past) => {
    left -= jsonBytes(past)
    return left < 0
  })
  return recent.slice(oldest + 1)
}

function sameFlags(a: readonly Flag[], b: readonly Flag[]): boolean {
  return a.length === b.length && a.every((flag, index) => flag === b[index])
}

/** The flags with `flag` added or removed. */
export function withFlag(flags: readonly Flag[], flag: Flag, isSet: boolean): readonly Flag[] {
  if (!isSet) return flags.filter((other) => other !== flag)
  return flags.includes(flag) ? flags : [...flags, flag]
}
