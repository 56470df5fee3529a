import { SatchelError } from '../../../server/plugin.ts'
import { editText, type JsonEdit } from './json-edit.ts'
import { childPointer, resolvePointer } from './json-pointer.ts'
import type { JsonDocument } from './json-text.ts'
import type { Redaction } from './record.ts'
import { ledgerOf, nextKeyNumber, redactedKey } from './redaction.ts'
import { findSecrets, REPLACEMENT, replaceSpans, type SecretFinding } from './secrets.ts'

/** A record's text without its secrets, and what was replaced; the ledger is in the text already. */
export interface RedactedText {
  readonly text: string
  readonly ledger: readonly Redaction[]
}

/**
 * Redacts a record's text by edits: bytes around a secret stay. `forced` are pointers of strings to replace whole,
 * whatever they hold. Errors: `invalid`/`duplicate_keys`, `not_found`/`pointer_not_found` of a forced pointer.
 */
export function redactDocument(document: JsonDocument, forced: readonly string[] = []): RedactedText {
  const findings = [
    ...findSecrets(document.value),
    ...forced.map((pointer) => wholeString(document, pointer)),
  ]
  if (findings.length === 0) return { text: document.text, ledger: [] }
  const strings = findings.filter((finding) => !finding.inName)
  const edits: JsonEdit[] = [...new Set(strings.map(({ pointer }) => pointer))].map((pointer) => ({
    op: 'set',
    pointer,
    value: replaced(document, pointer, strings),
  }))
  const renames = renamesOf(document, findings)
  const ledger = [
    ...ledgerOf(strings).map((entry) => moved(entry, renames)),
    ...renames.map(({ entry }) => entry),
  ]
  // Deeper names first: a rename changes the pointers below it.
  const deepestFirst = [...renames].sort(
    (a, b) => b.edit.pointer.split('/').length - a.edit.pointer.split('/').length,
  )
  edits.push(...deepestFirst.map(({ edit }) => edit), ...ledgerEdits(document, ledger))
  return { text: editText(document, edits), ledger }
}

function wholeString(document: JsonDocument, pointer: string): SecretFinding {
  const found = resolvePointer(document.value, pointer)
  const text = found.kind === 'found' && typeof found.value === 'string' ? found.value : undefined
  if (text === undefined) {
    throw new SatchelError(
      'not_found',
      'pointer_not_found',
      `No text stands at "${pointer.slice(0, 120)}".`,
      {
        details: { pointer: pointer.slice(0, 120) },
      },
    )
  }
  return { pointer, rule: 'forced', start: 0, end: text.length, preview: '…' }
}

function replaced(document: JsonDocument, pointer: string, findings: readonly SecretFinding[]): string {
  const found = resolvePointer(document.value, pointer)
  const text = found.kind === 'found' ? String(found.value) : ''
  const spans = findings.filter((finding) => finding.pointer === pointer)
  return spans.some(({ rule }) => rule === 'forced') ? REPLACEMENT : replaceSpans(text, spans)
}

interface Rename {
  readonly edit: { readonly op: 'rename'; readonly pointer: string; readonly name: string }
  readonly entry: Redaction
}

function renamesOf(document: JsonDocument, findings: readonly SecretFinding[]): Rename[] {
  let number = nextKeyNumber(document.value)
  const pointers = new Map<string, string>()
  for (const finding of findings) if (finding.inName) pointers.set(finding.pointer, finding.rule)
  return [...pointers].map(([pointer, rule]) => {
    const name = redactedKey(number++)
    const field = childPointer(pointer.slice(0, pointer.lastIndexOf('/')), name)
    return {
      edit: { op: 'rename', pointer, name },
      entry: { field, reason: `secret_name:${rule}`, replacement: name },
    }
  })
}

/** An entry below a renamed member, under its new name. */
function moved(entry: Redaction, renames: readonly Rename[]): Redaction {
  let { field } = entry
  for (const { edit, entry: renamed } of renames) {
    if (field === edit.pointer || field.startsWith(`${edit.pointer}/`)) {
      field = renamed.field + field.slice(edit.pointer.length)
    }
  }
  return { ...entry, field }
}

function ledgerEdits(document: JsonDocument, ledger: readonly Redaction[]): JsonEdit[] {
  const present = resolvePointer(document.value, '/redactions')
  if (present.kind !== 'found' || !Array.isArray(present.value)) return []
  return ledger.map((value) => ({ op: 'insert', pointer: '/redactions/-', value }))
}
