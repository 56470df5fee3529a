import {
  type CallContext,
  counted,
  decodeUtf8,
  isJsonObject,
  isSatchelError,
} from '../../../server/plugin.ts'
import { readHandwritten } from '../domain/handwritten.ts'
import { editText } from '../domain/json-edit.ts'
import { compactJson, documentOf, type JsonDocument, MAX_DEPTH, readJson } from '../domain/json-text.ts'
import { type LineageRow, parentsFirst } from '../domain/lineage.ts'
import { embeddedRecord } from '../domain/markdown-import.ts'
import { isOnlyMovedOn } from '../domain/moved-on.ts'
import { lineageOf } from '../domain/new-record.ts'
import type { Handoff } from '../domain/record.ts'
import { withFlag } from '../domain/record-change.ts'
import { newRecordId, sha256Hex } from '../domain/record-id.ts'
import { MAX_BUNDLE_RECORDS, refuseTooLarge } from '../domain/record-size.ts'
import { schemaVerdict } from '../domain/schema-verdict.ts'
import { findSecrets, quoted } from '../domain/secrets.ts'
import { redactDocument } from '../domain/text-redaction.ts'
import { type ImportSource, importSources } from '../files/import-sources.ts'
import type { Project } from '../project.ts'
import { refusals } from '../reasons.ts'
import { originOf, recordOfKey, withKey } from './create-record.ts'
import { writeRecord } from './write-record.ts'

export const OUTCOMES = ['imported', 'kept', 'same', 'conflict', 'broken'] as const

export interface ImportResult {
  readonly source: string
  readonly id: string | null
  readonly outcome: (typeof OUTCOMES)[number]
  readonly reason?: string
  readonly detail?: string
}

export interface ImportRequest {
  readonly content: string | undefined
  readonly path: string | undefined
  readonly onConflict: 'error' | 'keep' | 'new_id'
  readonly secrets: 'refuse' | 'redact'
  readonly dryRun: boolean
}

/** One import. */
interface Import {
  readonly ctx: CallContext
  readonly project: Project
  readonly request: ImportRequest
  /** Lower-case id -> id of its copy. */
  readonly renamed: Map<string, string>
  readonly warnings: string[]
}

/** Imports records unchanged: bytes, status and schema id stay. A bad source does not stop the others. */
export async function importRecords(ctx: CallContext, project: Project, request: ImportRequest) {
  const sources = await importSources(ctx, request)
  const results = new Map<Entry, ImportResult>()
  const warnings = sources.length > 0 ? [] : [emptyNotice(request.path ?? '')]
  const run: Import = { ctx, project, request, renamed: new Map(), warnings }
  const entries = sources.flatMap((source) => entriesOf(source))
  requireBundleSize(entries.length)
  for (const entry of parentsFirst(entries, lineageIn)) {
    results.set(entry, await importEntry(run, entry))
    if (entry.kind === 'record' && entry.warning !== undefined)
      warnings.push(`${entry.source}: ${entry.warning}`)
  }
  return { root: project.root, results: entries.flatMap((entry) => results.get(entry) ?? []), warnings }
}

function emptyNotice(folder: string): string {
  return `"${quoted(folder, 200)}" has no file that ends in .json, .jsonl or .md; folders in it are not looked into. Nothing was imported.`
}

/** A reference follows a parent that got another id: the parent comes first. */
function lineageIn(entry: Entry): LineageRow {
  const value = entry.kind === 'record' ? entry.document.value : undefined
  const { id, lineage } = isJsonObject(value) ? value : {}
  const parents = isJsonObject(lineage) ? lineage['parents'] : undefined
  return { id: String(id), parents: Array.isArray(parents) ? parents.map(String) : [] }
}

/** Errors: `too_large`/`bundle_too_large`. */
function requireBundleSize(count: number): void {
  if (count > MAX_BUNDLE_RECORDS) throw refusals.bundle_too_large({ count, limit: MAX_BUNDLE_RECORDS })
}

type Entry =
  | {
      readonly kind: 'record'
      readonly source: string
      readonly document: JsonDocument
      readonly warning?: string
    }
  | { readonly kind: 'handwritten'; readonly source: string; readonly text: string }
  | { readonly kind: 'broken'; readonly source: string; readonly reason: string; readonly detail: string }

/** The contents of a source: one record, a bundle, or a hand-written text. */
function entriesOf({ source, content }: ImportSource): Entry[] {
  if (isSatchelError(content)) {
    return [{ kind: 'broken', source, reason: content.reason, detail: content.message }]
  }
  const text = decodeUtf8(content)
  if (text === undefined) return [{ kind: 'broken', source, reason: 'not_utf8', detail: 'is not UTF-8' }]
  if (text.trim() === '') return [{ kind: 'broken', source, reason: 'bad_json', detail: 'is empty' }]
  const reading = readJson(text)
  if (reading.kind === 'read') return [{ kind: 'record', source, document: reading.document }]
  if (/^\uFEFF?\s*[{[]/.test(text) || source.endsWith('.json') || source.endsWith('.jsonl')) {
    return bundleEntries(source, text) ?? [unreadable(source, reading.fault)]
  }
  try {
    const embedded = embeddedRecord(text)
    if (!embedded)
      return isConflicted(text)
        ? [unreadable(source, reading.fault)]
        : [{ kind: 'handwritten', source, text }]
    const inner = readJson(embedded.text)
    if (inner.kind === 'broken') return [unreadable(source, inner.fault)]
    const warning = embedded.isChanged ? { warning: 'the block changed after its export' } : {}
    return [{ kind: 'record', source, document: inner.document, ...warning }]
  } catch (thrown) {
    if (!isSatchelError(thrown)) throw thrown
    return [{ kind: 'broken', source, reason: thrown.reason, detail: thrown.message }]
  }
}

function isConflicted(text: string): boolean {
  return /^<{7} /m.test(text) && /^>{7} /m.test(text)
}

function unreadable(
  source: string,
  { line, column }: { readonly line: number; readonly column: number },
): Entry {
  return { kind: 'broken', source, reason: 'bad_json', detail: `not JSON at line ${line}, column ${column}` }
}

/** One record per line; undefined if the first line is not JSON by itself. */
function bundleEntries(source: string, text: string): Entry[] | undefined {
  const lines = text.split('\n').map((line, index) => ({ line, at: `${source}:${index + 1}` }))
  const filled = lines.filter(({ line }) => line.trim() !== '')
  if (filled.length < 2 || readJson(filled[0]?.line ?? '').kind === 'broken') return undefined
  requireBundleSize(filled.length)
  return filled.map(({ line, at }) => {
    const reading = readJson(line)
    return reading.kind === 'read'
      ? { kind: 'record', source: at, document: reading.document }
      : unreadable(at, reading.fault)
  })
}

async function importEntry(run: Import, entry: Entry): Promise<ImportResult> {
  const { source } = entry
  if (entry.kind === 'broken') {
    return { source, id: null, outcome: 'broken', reason: entry.reason, detail: entry.detail }
  }
  try {
    if (entry.kind === 'handwritten') return await importHandwritten(run, entry)
    return await importDocument(run, source, entry.document)
  } catch (thrown) {
    if (!isSatchelError(thrown) || thrown.code === 'unavailable') throw thrown
    return { source, id: null, outcome: 'broken', reason: thrown.reason, detail: thrown.message }
  }
}

/** A hand-written text becomes one draft, even if it is imported again. */
async function importHandwritten(
  run: Import,
  { source, text }: { readonly source: string; readonly text: string },
): Promise<ImportResult> {
  const { project, request } = run
  if (request.secrets === 'refuse' && findSecrets(text).length > 0) return refusedSecret(source, null)
  const key = `import-${sha256Hex(text)}`
  const once = async (): Promise<ImportResult> => {
    const first = await recordOfKey(project, key)
    if (first) return { source, id: first.id, outcome: 'same' }
    const id = await writeHandwritten(run, { source, text, key })
    return { source, id, outcome: 'imported' }
  }
  return request.dryRun ? once() : withKey(project, key, once)
}

async function writeHandwritten(
  { ctx, project, request: { dryRun }, warnings }: Import,
  { source, text, key }: { readonly source: string; readonly text: string; readonly key: string },
): Promise<string> {
  const { authored, unmapped } = readHandwritten(text)
  if (unmapped !== '') warnings.push(`${source}: ${unmappedNotice(unmapped)}`)
  const { id } = await writeRecord(
    project,
    authored,
    {
      lineage: lineageOf('root', undefined),
      inherited: undefined,
      origin: { ...originOf(ctx, project, undefined), actor: { type: 'human', name: null } },
      automation: { score: null, reasons: [] },
      session: undefined,
      idempotencyKey: key,
      ...(unmapped !== '' && { unmapped }),
    },
    { captureGit: true, hashArtifacts: true, autoArtifacts: 'none', dryRun },
  )
  return id
}

function unmappedNotice(unmapped: string): string {
  const lines = unmapped.split('\n').filter((line) => line.trim() !== '').length
  return `${counted(lines, 'line matches', 'lines match')} no field; x_satchel.unmapped of the draft has the text`
}

function refusedSecret(source: string, id: string | null): ImportResult {
  const { reason, message } = refusals.secret_found()
  return { source, id, outcome: 'broken', reason, detail: message }
}

async function importDocument(
  { project, request, renamed }: Import,
  source: string,
  given: JsonDocument,
): Promise<ImportResult> {
  const write = async (id: string, { text }: JsonDocument): Promise<ImportResult> => {
    if (!request.dryRun) await project.store.create(id, text)
    return { source, id, outcome: 'imported' }
  }
  const fault = faultOf(given)
  if (fault) return { source, id: null, outcome: 'broken', ...fault }
  const { id, flags } = given.value as Handoff // faultOf found nothing: the schema holds
  refuseTooLarge(given.text, given.value)
  let document = withRenamedParents(given, renamed)
  if (findSecrets(document.value).length > 0) {
    if (request.secrets === 'refuse') return refusedSecret(source, id)
    document = documentOf(redactDocument(document).text)
  }
  const present = await project.store.read(id)
  if (!present) return write(id, document)
  const presentText = present.document?.text
  // A bundle holds each record on one line: white space alone is not a difference.
  if (presentText !== undefined && compactJson(presentText) === compactJson(document.text)) {
    return { source, id, outcome: 'same' }
  }
  if (present.kind === 'record' && isOnlyMovedOn(document.value, present.record)) {
    return { source, id, outcome: 'same', detail: `its status here is ${present.record.status}` }
  }
  if (request.onConflict === 'keep') return { source, id, outcome: 'kept', reason: 'exists' }
  if (request.onConflict === 'error') return { source, id, outcome: 'conflict', reason: 'exists' }
  const fresh = newRecordId(project.now().getTime(), project.random)
  renamed.set(id.toLowerCase(), fresh)
  const copy = editText(document, [
    { op: 'set', pointer: '/id', value: fresh },
    { op: 'set', pointer: '/flags', value: withFlag(flags, 'conflicted', true) },
  ])
  return write(fresh, documentOf(copy))
}

function faultOf({ value, depth }: JsonDocument): { reason: string; detail: string } | undefined {
  if (depth > MAX_DEPTH) return { reason: 'too_deep', detail: `nested ${depth} levels deep` }
  const [fault] = schemaVerdict(value)
  if (!fault) return undefined
  return { reason: 'schema_invalid', detail: `${fault.pointer || 'the record'}: ${fault.message}` }
}

/** References inside a bundle follow records that got another id. */
function withRenamedParents(document: JsonDocument, renamed: ReadonlyMap<string, string>): JsonDocument {
  const lineage = isJsonObject(document.value) ? document.value['lineage'] : undefined
  if (renamed.size === 0 || !isJsonObject(lineage)) return document
  const edits = (['parents', 'merge_basis'] as const).flatMap((name) => {
    const ids = lineage[name]
    if (!Array.isArray(ids) || !ids.some((id) => renamed.has(String(id).toLowerCase()))) return []
    const value = ids.map((id) => renamed.get(String(id).toLowerCase()) ?? id)
    return [{ op: 'set', pointer: `/lineage/${name}`, value } as const]
  })
  return edits.length === 0 ? document : documentOf(editText(document, edits))
}
