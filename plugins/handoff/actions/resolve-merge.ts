import { contentDigest } from '../domain/content-digest.ts'
import { editText, type JsonEdit } from '../domain/json-edit.ts'
import { documentOf } from '../domain/json-text.ts'
import { parseConflicts } from '../domain/merge-conflicts.ts'
import type { MergedContent } from '../domain/merge-content.ts'
import { type Resolution, resolveConflicts } from '../domain/merge-resolution.ts'
import { extension, failedAttempts, type Handoff, isEditable } from '../domain/record.ts'
import { changeEdits, withFlag } from '../domain/record-change.ts'
import { refuseTooLarge } from '../domain/record-size.ts'
import { afterUpdate } from '../domain/record-update.ts'
import { validRecord } from '../domain/schema-verdict.ts'
import { redactDocument } from '../domain/text-redaction.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { brokenFile, findRecord } from './find-record.ts'
import type { MergeAnswer } from './merge-records.ts'

/**
 * Resolves open conflicts of a merged record. Clears the flag with the last conflict. A released record has them where git
 * merged two versions of it: the decision is then part of the merge, and is written to its history.
 */
export async function resolveMerge(
  project: Project,
  child: string,
  resolutions: readonly Resolution[],
): Promise<MergeAnswer> {
  const { id, record } = await findRecord(project, child)
  const conflicts = parseConflicts(extension(record).conflicts)
  if (conflicts.length === 0) {
    throw refusals.no_open_conflicts({ next: { tool: 'handoff_get', args: { id } } })
  }
  const now = project.now().toISOString()
  const { etag } = await project.store.update(id, undefined, (current) => {
    if (current.kind === 'broken') throw brokenFile(current.problem)
    return resolvedText(current, resolutions, now)
  })
  const left = parseConflicts(extension((await findRecord(project, id)).record).conflicts)
  return {
    root: project.root,
    conflicts: left,
    unresolved: left.length,
    child_id: id,
    etag,
    renumbered: {},
    warnings: [],
  }
}

function resolvedText(
  { record, document }: StoredRecord,
  resolutions: readonly Resolution[],
  now: string,
): string {
  const before = contentOf(record)
  const { content, open, members } = resolveConflicts(
    { content: before, conflicts: parseConflicts(extension(record).conflicts) },
    resolutions,
    now,
  )
  const edits: JsonEdit[] = [
    ...changedMembers(before, content),
    ...[...members].map(
      ([pointer, value]): JsonEdit =>
        value === undefined ? { op: 'remove', pointer } : { op: 'set', pointer, value },
    ),
    { op: 'set', pointer: '/x_satchel/conflicts', value: open },
    ...(open.length === 0
      ? [{ op: 'set', pointer: '/flags', value: withFlag(record.flags, 'conflicted', false) } as const]
      : []),
    ...(isEditable(record) ? afterUpdate(record, now) : []),
  ]
  const redacted = redactDocument(documentOf(editText(document, edits))).text
  const text = isEditable(record) ? redacted : releasedAgain(record, redacted, now)
  const { value } = documentOf(text)
  refuseTooLarge(text, value)
  validRecord(value)
  return text
}

/** The text with the digest of its content, which the decision changed. */
function releasedAgain(record: Handoff, text: string, now: string): string {
  const document = documentOf(text)
  const hadDigest = extension(record).content_sha256 !== undefined
  const entry = { by: null, reason: 'conflicts of a merge were decided' }
  const change = { entry, at: now, ...(hadDigest && { contentSha256: contentDigest(document) }) }
  return editText(document, changeEdits(record, change))
}

function contentOf(record: Handoff): MergedContent {
  const { work, summary, decisions, artifacts, evidence, open_items, risks, redactions } = record
  const failed_attempts = [...failedAttempts(record)]
  return {
    work,
    summary,
    decisions,
    artifacts,
    evidence,
    failed_attempts,
    open_items,
    risks,
    redactions,
    extras: {},
  }
}

function changedMembers(before: MergedContent, after: MergedContent): JsonEdit[] {
  const names = ['work', 'summary', 'decisions', 'evidence', 'failed_attempts', 'open_items'] as const
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => ({ op: 'set', pointer: `/${name}`, value: after[name] }))
}
