import { isJsonObject } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { type GivenItem, numberItems } from './item-ids.ts'
import { appendEdits, editText, type JsonEdit } from './json-edit.ts'
import { type PatchOperation, patchText } from './json-patch.ts'
import type { JsonDocument } from './json-text.ts'
import { artifactOf, decisionOf, evidenceOf, failedAttemptOf, openItemOf, riskOf } from './new-items.ts'
import { extension, type Handoff, ITEM_COLLECTIONS } from './record.ts'
import { quoted } from './secrets.ts'

/** Items and entries to append. */
export interface Appendix {
  readonly decisions?: readonly GivenItem[] | undefined
  readonly evidence?: readonly GivenItem[] | undefined
  readonly failed_attempts?: readonly GivenItem[] | undefined
  readonly open_items?: readonly GivenItem[] | undefined
  readonly artifacts?: readonly GivenItem[] | undefined
  readonly risks?: readonly GivenItem[] | undefined
  readonly completed?: readonly string[] | undefined
  readonly in_progress?: readonly string[] | undefined
  readonly discoveries?: readonly string[] | undefined
  readonly scope?: readonly string[] | undefined
  readonly constraints?: readonly string[] | undefined
  readonly definition_of_done?: readonly string[] | undefined
}

/** Members that only their own tools change (design handoff, section 6). */
const PROTECTED = [
  '/id',
  '/kind',
  '/$schema',
  '/created_at',
  '/status',
  '/flags',
  '/lineage',
  '/validation',
  '/redactions',
  '/x_satchel',
]

export interface UpdatedText {
  readonly text: string
  /** Pointers of changed values, as given by the caller. */
  readonly changed: readonly string[]
  readonly assigned: Readonly<Record<string, string>>
}

/** The text after a patch. Errors: `invalid`/`protected_pointer`, `invalid`/`patch_failed`. */
export function patchedRecord(document: JsonDocument, operations: readonly PatchOperation[]): UpdatedText {
  for (const { op, path, from } of operations) {
    if (op !== 'test') refuseProtected(path)
    if (op === 'move' && from !== undefined) refuseProtected(from)
  }
  const changed = operations.filter(({ op }) => op !== 'test').map(({ path }) => path)
  return { text: patchText(document, operations), changed: [...new Set(changed)], assigned: {} }
}

function refuseProtected(path: string): void {
  const owner = PROTECTED.find((pointer) => path === pointer || path.startsWith(`${pointer}/`))
  if (owner === undefined && path !== '') return
  throw refusals.protected_pointer(
    { part: owner ?? 'The whole record' },
    { details: { pointer: quoted(path, 120), protected: PROTECTED } },
  )
}

/** Appends items and entries. Labels become ids as in a new record. */
export function appendedRecord(
  document: JsonDocument,
  record: Handoff,
  appendix: Appendix,
  now: string,
): UpdatedText {
  const taken = ITEM_COLLECTIONS.flatMap((name) => (record[name] ?? []).map(({ id }) => id))
  const { items, assigned } = numberItems(
    {
      decisions: (appendix.decisions ?? []).map((item) => decisionOf(item, now)),
      evidence: (appendix.evidence ?? []).map((item) => evidenceOf(item, now)),
      failed_attempts: (appendix.failed_attempts ?? []).map(failedAttemptOf),
      open_items: (appendix.open_items ?? []).map(openItemOf),
    },
    taken,
  )
  const lists: Readonly<Record<string, readonly unknown[]>> = {
    '/decisions': items.decisions,
    '/evidence': items.evidence,
    '/failed_attempts': items.failed_attempts,
    '/open_items': items.open_items,
    '/artifacts': (appendix.artifacts ?? []).map(artifactOf),
    '/risks': (appendix.risks ?? []).map(riskOf),
    '/summary/completed': appendix.completed ?? [],
    '/summary/in_progress': appendix.in_progress ?? [],
    '/summary/discoveries': appendix.discoveries ?? [],
    '/work/scope': appendix.scope ?? [],
    '/work/constraints': appendix.constraints ?? [],
    '/work/definition_of_done': appendix.definition_of_done ?? [],
  }
  const used = Object.entries(lists).filter(([, values]) => values.length > 0)
  const edits = used.flatMap(([pointer, values]) => [
    ...madeList(record, pointer),
    ...appendEdits(pointer, values),
  ])
  return { text: editText(document, edits), changed: used.map(([pointer]) => pointer), assigned }
}

/** Creates one of the three optional lists before something is appended to it. */
function madeList(record: Handoff, pointer: string): JsonEdit[] {
  const isMissing =
    (pointer === '/failed_attempts' && record.failed_attempts === undefined) ||
    (pointer === '/summary/in_progress' && record.summary.in_progress === undefined) ||
    (pointer === '/summary/discoveries' && record.summary.discoveries === undefined)
  return isMissing ? [{ op: 'set', pointer, value: [] }] : []
}

/** Edits at the end of every update: the record is a draft again, without check results, and no longer a skeleton. */
export function afterUpdate(record: Handoff, now: string): JsonEdit[] {
  const own: unknown = 'x_satchel' in record ? record.x_satchel : undefined
  const edits: JsonEdit[] = [{ op: 'set', pointer: '/updated_at', value: now }]
  if (record.status === 'validated') edits.push({ op: 'set', pointer: '/status', value: 'draft' })
  if (record.validation.status !== 'not_run') {
    const none = { status: 'not_run', validated_at: null, checks: [], freshness: null }
    edits.push({ op: 'set', pointer: '/validation', value: none })
  }
  if (isJsonObject(own) && Object.hasOwn(own, 'skeleton'))
    edits.push({ op: 'remove', pointer: '/x_satchel/skeleton' })
  return edits
}

/** Edits after a patch: what was replaced may be what the notes went on from, so that they are a record of their own. */
export function afterPatch(record: Handoff): JsonEdit[] {
  return extension(record).notes ? [{ op: 'remove', pointer: '/x_satchel/notes' }] : []
}
