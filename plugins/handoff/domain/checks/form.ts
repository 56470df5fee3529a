import { isJsonObject } from '../../../../server/plugin.ts'
import { MAX_DEPTH } from '../json-text.ts'
import { LEGACY_SCHEMA_ID, SCHEMA_VERSION } from '../record.ts'
import {
  countItems,
  depthOf,
  LARGE_RECORD_BYTES,
  MAX_ITEMS,
  MAX_RECORD_BYTES,
  MAX_STRING_BYTES,
} from '../record-size.ts'
import { type CheckFinding, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks of form: JSON, schema and size. */
export const FORM_CHECKS: readonly CheckRule[] = [
  { name: 'json', level: 'schema', run: checkJson },
  { name: 'schema', level: 'schema', run: checkSchema },
  { name: 'size', level: 'semantic', run: checkSize },
]

function checkJson({ source, value }: Subject): readonly CheckFinding[] {
  if (source.kind === 'not_utf8') return [fail('the text is not UTF-8', '')]
  if (source.kind === 'broken') {
    const { line, column } = source.fault
    return [fail(`the text is not JSON at line ${line}, column ${column}`, '')]
  }
  const findings: CheckFinding[] = []
  const depth = source.kind === 'text' ? source.document.depth : depthOf(value)
  if (depth > MAX_DEPTH) findings.push(fail(`nested ${depth} levels deep, more than ${MAX_DEPTH}`, ''))
  if (source.kind !== 'text') return findings
  const { duplicateKeys, bom, changedNumbers } = source.document
  findings.push(...duplicateKeys.map((pointer) => warn('a name occurs twice in one object', pointer)))
  if (bom) findings.push(warn('the text starts with a byte order mark', ''))
  findings.push(...changedNumbers.map((pointer) => warn('parsing changes this number', pointer)))
  return findings
}

function checkSchema({ source, value, faults }: Subject): readonly CheckFinding[] {
  if (source.kind === 'broken' || source.kind === 'not_utf8')
    return [fail('the text cannot be read as a record', '')]
  if (faults.length > 0) return faults.map(({ pointer, message }) => fail(message, pointer))
  if (!isJsonObject(value)) return []
  const findings: CheckFinding[] = []
  if (value['$schema'] === LEGACY_SCHEMA_ID) findings.push(warn('carries the legacy schema id', '/$schema'))
  if (value['schema_version'] !== SCHEMA_VERSION) {
    findings.push(warn(`schema_version is not ${SCHEMA_VERSION}`, '/schema_version'))
  }
  return findings
}

function checkSize({ source, value }: Subject): readonly CheckFinding[] {
  const text = source.kind === 'text' ? source.document.text : safeJson(value)
  const bytes = Buffer.byteLength(text)
  const findings: CheckFinding[] = []
  if (bytes > MAX_RECORD_BYTES) findings.push(fail(`${bytes} bytes, more than ${MAX_RECORD_BYTES}`))
  else if (bytes > LARGE_RECORD_BYTES) findings.push(warn(`${bytes} bytes, more than ${LARGE_RECORD_BYTES}`))
  const items = countItems(value)
  if (items > MAX_ITEMS) findings.push(fail(`${items} items, more than ${MAX_ITEMS}`))
  if (bytes > MAX_STRING_BYTES && hasLongString(value)) {
    findings.push(fail(`a text of more than ${MAX_STRING_BYTES} bytes`))
  }
  return findings
}

/** Empty for a value too deep to print, which check `json` reports. */
function safeJson(value: unknown): string {
  return depthOf(value) > MAX_DEPTH * 10 ? '' : (JSON.stringify(value) ?? '')
}

function hasLongString(root: unknown): boolean {
  const open: unknown[] = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (typeof node === 'string' && Buffer.byteLength(node) > MAX_STRING_BYTES) return true
    if (typeof node === 'object' && node !== null) for (const member of Object.values(node)) open.push(member)
  }
  return false
}
