import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../server/plugin.ts'
import { editText, type JsonEdit, rawAt } from './json-edit.ts'
import { childPointer } from './json-pointer.ts'
import { type JsonDocument, readJson } from './json-text.ts'
import { mergeRecords } from './merge.ts'
import { CONTENT_MEMBERS, type Handoff, STATUSES } from './record.ts'
import { timeOf } from './record-time.ts'
import { schemaVerdict } from './schema-verdict.ts'

/** A version of a record, as git hands it to a merge driver. */
export interface RecordVersion {
  readonly document: JsonDocument
  readonly record: Handoff
}

/** The record in a text; undefined if it is none. */
export function recordVersion(text: string): RecordVersion | undefined {
  const reading = readJson(text)
  if (reading.kind === 'broken' || schemaVerdict(reading.document.value).length > 0) return undefined
  return { document: reading.document, record: reading.document.value as Handoff } // checked above
}

/** Two versions of one record in one text. */
export interface MergedVersions {
  readonly text: string
  /** What both sides changed in different ways; the text keeps ours, and its flag says so. */
  readonly conflicts: readonly string[]
}

/**
 * Merges two versions of a record by their common base. The result is ours with what theirs changed: bytes that theirs
 * did not change stay. The later status and time win.
 */
export function mergeVersions(
  base: RecordVersion | undefined,
  ours: RecordVersion,
  theirs: RecordVersion,
): MergedVersions {
  const conflicts: string[] = []
  const edits: JsonEdit[] = []
  const members = new Set([...Object.keys(ours.record), ...Object.keys(theirs.record)])
  const [was, own, other] = [base?.record ?? {}, ours.record, theirs.record] as const
  const combined = combinedContent(base?.record, own, other, conflicts)
  for (const name of members) {
    const pointer = childPointer('', name)
    const [before, left, right] = [was, own, other].map((record) => (record as Record<string, unknown>)[name])
    if (isDeepStrictEqual(left, right) || isDeepStrictEqual(right, before)) continue
    const merged = isDeepStrictEqual(left, before)
      ? right
      : (combined.get(name) ?? combinedMember(name, { before, left, right, conflicts }))
    if (isDeepStrictEqual(merged, left)) continue
    edits.push(editTo(merged, pointer, merged === right ? theirs : undefined))
  }
  if (conflicts.length > 0) {
    const value = [...new Set([...own.flags, ...other.flags, 'conflicted'])]
    edits.push({ op: 'set', pointer: '/flags', value })
  }
  return { text: edits.length === 0 ? ours.document.text : editText(ours.document, edits), conflicts }
}

/** The edit that gives a member its merged value: in the bytes of the side that has it so. */
function editTo(value: unknown, pointer: string, side: RecordVersion | undefined): JsonEdit {
  if (value === undefined) return { op: 'remove', pointer }
  return side
    ? { op: 'set', pointer, raw: rawAt(side.document.text, pointer) }
    : { op: 'set', pointer, value }
}

/** The parts that both sides changed, merged by the rules for records. */
function combinedContent(
  base: Handoff | undefined,
  ours: Handoff,
  theirs: Handoff,
  conflicts: string[],
): ReadonlyMap<string, unknown> {
  // The rules tell the sides by their ids, and take them in the order of these.
  const [left, right] = [
    { ...ours, id: '00000000-0000-0000-0000-000000000001' },
    { ...theirs, id: '00000000-0000-0000-0000-000000000002' },
  ]
  const { content, conflicts: found } = mergeRecords(base, [left, right])
  conflicts.push(...found.map(({ kind, subject }) => `${kind}: ${subject}`))
  const members = content as unknown as Readonly<Record<string, unknown>> // read by name
  return new Map(CONTENT_MEMBERS.flatMap((name) => (name in members ? [[name, members[name]] as const] : [])))
}

interface BothChanged {
  readonly before: unknown
  readonly left: unknown
  readonly right: unknown
  readonly conflicts: string[]
}

/** A member that both sides changed. */
function combinedMember(name: string, { before, left, right, conflicts }: BothChanged): unknown {
  if (name === 'status')
    return laterOf(left, right, (status) => STATUSES.indexOf(status as Handoff['status']))
  if (name === 'updated_at' || name === 'created_at')
    return laterOf(left, right, (time) => timeOf(String(time)) ?? 0)
  if (Array.isArray(left) && Array.isArray(right)) return unionOf(before, left, right)
  if (name === 'validation') return laterOf(left, right, (one) => timeOf(textIn(one, 'validated_at')) ?? 0)
  if (isJsonObject(left) && isJsonObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)])
    const entries = [...names].flatMap((member) => {
      const was = isJsonObject(before) ? before[member] : undefined
      const [a, b] = [left[member], right[member]]
      const value = isDeepStrictEqual(a, was)
        ? b
        : isDeepStrictEqual(b, was) || isDeepStrictEqual(a, b)
          ? a
          : combinedMember(member, { before: was, left: a, right: b, conflicts })
      return value === undefined ? [] : [[member, value] as const]
    })
    return Object.fromEntries(entries)
  }
  conflicts.push(name)
  return left
}

function laterOf(left: unknown, right: unknown, rank: (value: unknown) => number): unknown {
  return rank(right) > rank(left) ? right : left
}

function textIn(value: unknown, name: string): string {
  const text = isJsonObject(value) ? value[name] : undefined
  return typeof text === 'string' ? text : ''
}

/** Entries of both sides, without those that one side removed. */
function unionOf(before: unknown, left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const was = Array.isArray(before) ? before : []
  const has = (list: readonly unknown[], entry: unknown) => list.some((one) => isDeepStrictEqual(one, entry))
  const kept = left.filter((entry) => has(right, entry) || !has(was, entry))
  return [...kept, ...right.filter((entry) => !has(left, entry) && !has(was, entry))]
}
