import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../../../server/plugin.ts'
import { editText, type JsonEdit, rawAt } from './json-edit.ts'
import { childPointer } from './json-pointer.ts'
import { documentOf, type JsonDocument, readJson } from './json-text.ts'
import { mergeRecords } from './merge.ts'
import type { MergeConflict, Position } from './merge-conflicts.ts'
import { CONTENT_MEMBERS, extension, type Handoff, STATUSES } from './record.ts'
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
  /** What both sides changed in different ways. The text keeps ours, the flag, and both positions to decide between. */
  readonly conflicts: readonly MergeConflict[]
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
  const found: Unnumbered[] = []
  const edits: JsonEdit[] = []
  const members = new Set([...Object.keys(ours.record), ...Object.keys(theirs.record)])
  const [was, own, other] = [base?.record ?? {}, ours.record, theirs.record] as const
  const combined = combinedContent(base?.record, own, other, found)
  const isLater = timeIn(other) > timeIn(own)
  for (const name of members) {
    const pointer = childPointer('', name)
    const [before, left, right] = [was, own, other].map((record) => (record as Record<string, unknown>)[name])
    if (isDeepStrictEqual(left, right) || isDeepStrictEqual(right, before)) continue
    const merged = isDeepStrictEqual(left, before)
      ? right
      : (combined.get(name) ?? combinedMember(pointer, { before, left, right, isLater, found }))
    if (isDeepStrictEqual(merged, left)) continue
    edits.push(editTo(merged, pointer, merged === right ? theirs : undefined))
  }
  const text = edits.length === 0 ? ours.document.text : editText(ours.document, edits)
  if (found.length === 0) return { text, conflicts: [] }
  const document = documentOf(text)
  const kept = extension(document.value).conflicts
  const conflicts = numbered(found, kept)
  const flags = [...new Set([...own.flags, ...other.flags, 'conflicted'])]
  return {
    text: editText(document, [
      { op: 'set', pointer: '/flags', value: flags },
      { op: 'set', pointer: '/x_satchel/conflicts', value: [...kept, ...conflicts] },
    ]),
    conflicts,
  }
}

type Unnumbered = Omit<MergeConflict, 'id'>

/** The conflicts with ids behind those that the record keeps of an earlier merge. */
function numbered(found: readonly Unnumbered[], kept: readonly Record<string, unknown>[]): MergeConflict[] {
  const last = Math.max(0, ...kept.map(({ id }) => Number(/^C-(\d{1,6})$/.exec(String(id))?.[1] ?? 0)))
  return found.map((conflict, index) => ({
    id: `C-${String(last + index + 1).padStart(3, '0')}`,
    ...conflict,
  }))
}

function timeIn({ updated_at }: Handoff): number {
  return timeOf(updated_at) ?? 0
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
  found: Unnumbered[],
): ReadonlyMap<string, unknown> {
  // The rules tell the sides by their ids, and take them in the order of these.
  const [left, right] = [
    { ...ours, id: SIDE_IDS.ours },
    { ...theirs, id: SIDE_IDS.theirs },
  ]
  const { content, conflicts } = mergeRecords(base, [left, right])
  for (const { id: _id, ...conflict } of conflicts)
    found.push({ ...conflict, positions: conflict.positions.map(namedSide) })
  found.push(...reasonConflict(base, ours, theirs))
  const members = content as unknown as Readonly<Record<string, unknown>> // read by name
  return new Map(CONTENT_MEMBERS.flatMap((name) => (name in members ? [[name, members[name]] as const] : [])))
}

const SIDE_IDS = {
  ours: '00000000-0000-0000-0000-000000000001',
  theirs: '00000000-0000-0000-0000-000000000002',
} as const

/** Both sides have the record's own id, so their positions go by the names that git has for them. */
function namedSide(position: Position): Position {
  return { ...position, parent: position.parent === SIDE_IDS.ours ? 'ours' : 'theirs' }
}

/** Records of several lines each have their own reason, and the first is kept; two versions of one must not lose theirs. */
function reasonConflict(base: Handoff | undefined, ours: Handoff, theirs: Handoff): Unnumbered[] {
  const [was, own, other] = [base, ours, theirs].map((record) => record?.summary.why_it_matters ?? null)
  if (own === other || own === was || other === was) return []
  const positions = [
    { parent: 'ours', text: own ?? '' },
    { parent: 'theirs', text: other ?? '' },
  ]
  return [{ kind: 'scalar', field: 'why_it_matters', subject: 'why_it_matters', positions }]
}

interface BothChanged {
  readonly before: unknown
  readonly left: unknown
  readonly right: unknown
  /** Theirs was written later. */
  readonly isLater: boolean
  readonly found: Unnumbered[]
}

/** Members of which a machine writes every value, and the last one counts. */
const CAPTURED = /^\/(?:project|origin|automation|x_satchel)(?:\/|$)/

/** A member that both sides changed. */
function combinedMember(pointer: string, { before, left, right, isLater, found }: BothChanged): unknown {
  const name = pointer.slice(1)
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
          : combinedMember(childPointer(pointer, member), { before: was, left: a, right: b, isLater, found })
      return value === undefined ? [] : [[member, value] as const]
    })
    return Object.fromEntries(entries)
  }
  if (CAPTURED.test(pointer)) return isLater ? right : left
  const positions = [
    { parent: 'ours', ...statedValue(left) },
    { parent: 'theirs', ...statedValue(right) },
  ]
  found.push({ kind: 'member', field: pointer, subject: pointer, positions })
  return left
}

function statedValue(value: unknown): Pick<Position, 'text' | 'value'> {
  if (value === undefined) return { text: '(removed)' }
  return { text: typeof value === 'string' ? value : JSON.stringify(value), value }
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
