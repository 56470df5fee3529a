import { refusals } from '../reasons.ts'
import { editText, type JsonEdit } from './json-edit.ts'
import { childPointer, pointerTokens, resolvePointer } from './json-pointer.ts'
import type { JsonDocument } from './json-text.ts'
import type { Redaction } from './record.ts'
import { ledgerOf, nextKeyNumber, redactedKey } from './redaction.ts'
import { REPLACEMENT } from './secret-rules.ts'
import { findSecrets, quoted, replaceSpans, type SecretFinding } from './secrets.ts'

/** A record's text without its secrets, and the list of replacements, which the text includes. */
export interface RedactedText {
  readonly text: string
  readonly ledger: readonly Redaction[]
}

/**
 * Redacts a record's text by edits, so that bytes around a secret stay. `forced` are pointers of strings to replace
 * completely. Errors: `invalid`/`duplicate_keys`, `not_found`/`pointer_not_found` of a forced pointer.
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
  const names = newNames(document, findings)
  const ledger = [
    ...ledgerOf(strings).map((entry) => ({ ...entry, field: renamedPointer(entry.field, names) })),
    ...[...names].map(([pointer, { name, rule }]) => ({
      field: renamedPointer(pointer, names),
      reason: `secret_name:${rule}`,
      replacement: name,
    })),
  ]
  // Deeper names first: a rename changes the pointers below it.
  const deepestFirst = [...names].sort(([a], [b]) => b.split('/').length - a.split('/').length)
  edits.push(
    ...deepestFirst.map(([pointer, { name }]) => ({ op: 'rename', pointer, name }) as const),
    ...ledgerEdits(document, ledger),
  )
  return { text: editText(document, edits), ledger }
}

function wholeString(document: JsonDocument, pointer: string): SecretFinding {
  const found = resolvePointer(document.value, pointer)
  const text = found.kind === 'found' && typeof found.value === 'string' ? found.value : undefined
  if (text === undefined) {
    const details = { pointer: quoted(pointer, 120) }
    throw refusals.no_text(details, { details })
  }
  return { pointer, rule: 'forced', start: 0, end: text.length, preview: '…' }
}

function replaced(document: JsonDocument, pointer: string, findings: readonly SecretFinding[]): string {
  const found = resolvePointer(document.value, pointer)
  const text = found.kind === 'found' ? String(found.value) : ''
  const spans = findings.filter((finding) => finding.pointer === pointer)
  return spans.some(({ rule }) => rule === 'forced') ? REPLACEMENT : replaceSpans(text, spans)
}

type NewNames = ReadonlyMap<string, { readonly name: string; readonly rule: string }>

/** Pointer of a member whose name holds a secret -> its new name. */
function newNames(document: JsonDocument, findings: readonly SecretFinding[]): NewNames {
  let number = nextKeyNumber(document.value)
  const names = new Map<string, { name: string; rule: string }>()
  for (const { pointer, rule, inName } of findings) {
    if (inName && !names.has(pointer)) names.set(pointer, { name: redactedKey(number++), rule })
  }
  return names
}

/** A pointer after its names were renamed. */
function renamedPointer(pointer: string, names: NewNames): string {
  let before = ''
  let after = ''
  for (const token of pointerTokens(pointer) ?? []) {
    before = childPointer(before, token)
    after = childPointer(after, names.get(before)?.name ?? token)
  }
  return after
}

function ledgerEdits(document: JsonDocument, ledger: readonly Redaction[]): JsonEdit[] {
  const present = resolvePointer(document.value, '/redactions')
  if (present.kind !== 'found' || !Array.isArray(present.value)) return []
  return ledger.map((value) => ({ op: 'insert', pointer: '/redactions/-', value }))
}
