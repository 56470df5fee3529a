import { isJsonObject } from '../../../server/plugin.ts'
import { contentDigest } from '../domain/content-digest.ts'
import { editText } from '../domain/json-edit.ts'
import { documentOf, readJson } from '../domain/json-text.ts'
import { extension, isEditable, type Redaction } from '../domain/record.ts'
import { changeEdits } from '../domain/record-change.ts'
import { afterUpdate } from '../domain/record-update.ts'
import { validRecord } from '../domain/schema-verdict.ts'
import { findSecrets, redactText, type SecretFinding, shownFindings } from '../domain/secrets.ts'
import { redactDocument } from '../domain/text-redaction.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import type { StoredRecord } from '../store/read-record.ts'
import { brokenFile, findRecord } from './find-record.ts'

export interface RedactAnswer {
  readonly root: string
  readonly findings: readonly SecretFinding[]
  readonly redactions: readonly Redaction[]
  readonly record?: unknown
  readonly text?: string
  readonly etag?: string
  readonly applied: boolean
  readonly warnings: readonly string[]
}

/** Finds the secrets of a text and returns the text without them. Stores nothing. */
export function redactGivenText(project: Project, text: string): RedactAnswer {
  const findings = findSecrets(text)
  return {
    root: project.root,
    findings,
    redactions: [],
    text: redactText(text),
    applied: false,
    warnings: [],
  }
}

/** The same for a given record: a JSON value, or its text. Errors: `invalid`/`bad_json`. */
export function redactGivenRecord(project: Project, given: unknown, fields: readonly string[]): RedactAnswer {
  const reading = readJson(typeof given === 'string' ? given : JSON.stringify(given))
  if (reading.kind === 'broken') {
    const { line, column } = reading.fault
    throw refusals.bad_json({ what: 'The record', line, column }, { details: { line, column } })
  }
  const { document } = reading
  const { text, ledger } = redactDocument(document, fields)
  return {
    root: project.root,
    findings: shownFindings(findSecrets(document.value)),
    redactions: ledger,
    record: isJsonObject(document.value) ? JSON.parse(text) : undefined,
    applied: false,
    warnings: [],
  }
}

export interface RedactStored {
  readonly id: string
  readonly fields: readonly string[]
  readonly apply: boolean
  readonly forceReason: string | undefined
}

/**
 * Finds, and with `apply` removes, the secrets of a stored record. This is the only change of released content.
 * Errors: `conflict`/`immutable` for a released one without a reason, `invalid`/`schema_invalid` for a forced text that the
 * record must have.
 */
export async function redactStored(
  project: Project,
  { id, fields, apply, forceReason }: RedactStored,
): Promise<RedactAnswer> {
  const stored = await findRecord(project, id)
  const { ledger } = redactDocument(stored.document, fields)
  const base = {
    root: project.root,
    findings: shownFindings(findSecrets(stored.document.value)),
    redactions: ledger,
    warnings: [],
  }
  if (!apply || ledger.length === 0) return { ...base, applied: false, etag: stored.etag }
  const { etag } = await project.store.update(stored.id, undefined, (current) => {
    if (current.kind === 'broken') throw brokenFile(current.problem)
    return redactedText(current, fields, forceReason, project.now().toISOString())
  })
  return { ...base, applied: true, etag }
}

function redactedText(
  current: StoredRecord,
  fields: readonly string[],
  reason: string | undefined,
  now: string,
): string {
  const { record, document, id } = current
  if (!isEditable(record) && !reason) {
    const next = { tool: 'handoff_redact', args: { id } }
    throw refusals.force_reason_missing({ details: { id, status: record.status }, next })
  }
  const redacted = documentOf(redactDocument(document, fields).text)
  validRecord(redacted.value) // without its id or its status nothing would read it any more
  if (isEditable(record)) return editText(redacted, afterUpdate(record, now))
  const entry = { by: null, reason: reason === undefined ? null : redactText(reason) }
  const hadDigest = extension(record).content_sha256 !== undefined
  const change = { entry, at: now, ...(hadDigest && { contentSha256: contentDigest(redacted) }) }
  return editText(redacted, changeEdits(record, change))
}
