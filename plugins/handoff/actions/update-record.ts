import { counted } from '../../../server/plugin.ts'
import { editText } from '../domain/json-edit.ts'
import type { PatchOperation } from '../domain/json-patch.ts'
import { documentOf, type JsonDocument } from '../domain/json-text.ts'
import { type Handoff, isEditable } from '../domain/record.ts'
import { refuseTooLarge } from '../domain/record-size.ts'
import {
  type Appendix,
  afterPatch,
  afterUpdate,
  appendedRecord,
  patchedRecord,
  type UpdatedText,
} from '../domain/record-update.ts'
import { validRecord } from '../domain/schema-verdict.ts'
import { redactText } from '../domain/secrets.ts'
import { redactDocument } from '../domain/text-redaction.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { captureEvidence } from './capture-evidence.ts'
import { brokenFile, findRecord } from './find-record.ts'
import { changedItems, itemWarnings } from './item-warnings.ts'
import { patchedEvidence } from './patched-evidence.ts'

export interface UpdateRequest {
  readonly id: string
  /** Absent: the present version. */
  readonly ifMatch: string | undefined
  readonly patch: readonly PatchOperation[] | undefined
  readonly append: Appendix | undefined
  /** Label of the appended open item that is now the next action. */
  readonly leads?: string
}

/**
 * Edits the text of a draft or validated record. Errors: `conflict`/`immutable` after release,
 * `conflict`/`etag_mismatch`, `invalid`/`schema_invalid`. An error leaves the record unchanged.
 */
export async function updateRecord(project: Project, request: UpdateRequest) {
  if ((request.patch === undefined) === (request.append === undefined)) {
    throw refusals.one_argument({ names: 'patch and append' })
  }
  const { id } = await findRecord(project, request.id)
  const now = project.now().toISOString()
  const evidence = request.append?.evidence && (await captureEvidence(project, request.append.evidence))
  const captured = evidence
    ? { ...request, append: { ...request.append, evidence: evidence.items } }
    : request
  let outcome: Outcome | undefined
  const { etag } = await project.store.update(id, request.ifMatch, async (current) => {
    if (current.kind === 'broken') throw brokenFile(current.problem)
    outcome = await edited(project, current, { ...captured, now })
    return outcome.document.text
  })
  if (!outcome) throw new TypeError('the store did not call the edit')
  const { before, record, changed, assigned, redacted } = outcome
  return {
    root: project.root,
    id,
    etag,
    status: record.status,
    changed: changed.map(redactText),
    assigned_ids: assigned,
    validation: record.validation,
    warnings: [
      ...redactionWarnings(redacted),
      ...(evidence?.warnings ?? []),
      ...outcome.warnings,
      ...itemWarnings(request.append ?? changedItems(before, record), record),
    ],
  }
}

/** What a caller is told whose answer does not list the redactions. */
export function redactionWarnings(count: number): readonly string[] {
  return count > 0 ? [`${counted(count, 'secret was', 'secrets were')} redacted.`] : []
}

interface Outcome extends Omit<UpdatedText, 'text'> {
  readonly document: JsonDocument
  readonly before: Handoff
  readonly record: Handoff
  readonly redacted: number
  readonly warnings: readonly string[]
}

async function edited(
  project: Project,
  current: StoredRecord,
  { patch, append, leads, now }: UpdateRequest & { readonly now: string },
): Promise<Outcome> {
  const { record, document } = current
  refuseReleased(record)
  const update =
    patch !== undefined ? patchedRecord(document, patch) : appendedRecord(document, record, append ?? {}, now)
  const { edits, warnings } =
    patch === undefined
      ? { edits: [], warnings: [] }
      : await patchedEvidence(project, record, documentOf(update.text).value)
  const next = leads === undefined ? undefined : update.assigned[leads]
  const settled = documentOf(
    editText({ ...document, text: update.text }, [
      ...afterUpdate(record, now),
      ...(patch === undefined ? [] : afterPatch(record)),
      ...edits,
      ...(next === undefined ? [] : [{ op: 'set' as const, pointer: '/x_satchel/next', value: next }]),
    ]),
  )
  const { text, ledger } = redactDocument(settled)
  const final = documentOf(text)
  refuseTooLarge(final.text, final.value)
  return {
    ...update,
    document: final,
    before: record,
    record: validRecord(final.value),
    redacted: ledger.length,
    warnings,
  }
}

/** Errors: `conflict`/`immutable` for a released record. */
export function refuseReleased({ id, status }: Handoff): void {
  if (isEditable({ status })) return
  const next = { tool: 'handoff_branch', args: { id, relation: 'amend' } }
  throw refusals.immutable({ status }, { details: { id, status }, next })
}
