import { basename, relative } from 'node:path'
import { type Disk, decodeUtf8, keepRecent, systemCode } from '../../../server/plugin.ts'
import { type JsonDocument, MAX_DEPTH, readJson } from '../domain/json-text.ts'
import type { Handoff } from '../domain/record.ts'
import { sha256 } from '../domain/record-id.ts'
import { MAX_FILE_BYTES } from '../domain/record-size.ts'
import { type SchemaFault, schemaVerdict } from '../domain/schema-verdict.ts'
import { type Layout, recordFile } from './layout.ts'

/** A file of the store with a record that matches the schema. */
export interface StoredRecord {
  readonly kind: 'record'
  /** In the record's own spelling. */
  readonly id: string
  /** Relative to the project root. */
  readonly path: string
  readonly etag: string
  readonly mtimeMs: number
  readonly document: JsonDocument
  readonly record: Handoff
}

/** A file of the store without a usable record. Its bytes are never changed. */
export interface BrokenRecord {
  readonly kind: 'broken'
  readonly path: string
  readonly problem: Problem
  /** Present if the file is JSON. */
  readonly document?: JsonDocument
  readonly etag?: string
}

/** Where answers say that the records of a database are: no file has this path. */
export const DATABASE_RECORDS = 'database:records/'

/** Why a file of the store holds no usable record. */
export interface Problem {
  readonly path: string
  readonly reason:
    | 'bad_json'
    | 'not_utf8'
    | 'schema_invalid'
    | 'wrong_id'
    | 'record_too_large'
    | 'too_deep'
    | 'not_a_file'
  readonly detail: string
  readonly line?: number
  readonly column?: number
}

/**
 * Reads the file of a record; undefined if there is none. A caller that reads many, each a single time, gives
 * `parseRecord`, which keeps none of them.
 */
export async function readRecord(
  disk: Disk,
  layout: Layout,
  id: string,
  parse: typeof parseRecord = parseRecent,
): Promise<StoredRecord | BrokenRecord | undefined> {
  const file = recordFile(layout, id)
  const path = relative(layout.root, file)
  const stat = await disk.stat(file)
  if (!stat) return undefined
  if (stat.kind !== 'file') return broken(path, 'not_a_file', 'is not a regular file')
  if (stat.size > MAX_FILE_BYTES) return broken(path, 'record_too_large', `has ${stat.size} bytes`)
  try {
    return parse(await disk.readFile(file), path, stat.modifiedMs)
  } catch (thrown) {
    if (systemCode(thrown) === 'ELOOP') return broken(path, 'not_a_file', 'is a symbolic link')
    if (systemCode(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** Parses the bytes of a record's file. The base name of `path` is the id. */
export function parseRecord(bytes: Uint8Array, path: string, mtimeMs: number): StoredRecord | BrokenRecord {
  return recordIn(parseBytes(bytes), { path, mtimeMs, etag: sha256(bytes) })
}

/** A write reads its record three times, and the index once more: so many may be written and read by turns. */
const RECENT_RECORDS = 512
/** A larger record is parsed again: what is kept stays small. */
const RECENT_BYTES = 32 * 1024

/** By the digest of the bytes. What was parsed is never changed. */
const recent = keepRecent<string, Parsed>(RECENT_RECORDS)

/** As `parseRecord`, but bytes that were parsed lately are not parsed again. */
export function parseRecent(bytes: Uint8Array, path: string, mtimeMs: number): StoredRecord | BrokenRecord {
  if (bytes.length > RECENT_BYTES) return parseRecord(bytes, path, mtimeMs)
  const etag = sha256(bytes)
  return recordIn(
    recent.get(etag, () => parseBytes(bytes)),
    { path, mtimeMs, etag },
  )
}

function recordIn(
  parsed: Parsed,
  { path, mtimeMs, etag }: Pick<StoredRecord, 'path' | 'mtimeMs' | 'etag'>,
): StoredRecord | BrokenRecord {
  if (parsed.kind === 'broken') return { ...parsed, path, problem: { ...parsed.problem, path }, etag }
  const { document, record } = parsed
  if (record.id.toLowerCase() !== basename(path, '.json').toLowerCase()) {
    return { ...broken(path, 'wrong_id', `holds the record ${record.id}`), document, etag }
  }
  return { kind: 'record', id: record.id, path, etag, mtimeMs, document, record }
}

type Parsed =
  | BrokenRecord
  | { readonly kind: 'record'; readonly document: JsonDocument; readonly record: Handoff }

/** What the bytes say, wherever they are. */
function parseBytes(bytes: Uint8Array): Parsed {
  const text = decodeUtf8(bytes)
  if (text === undefined) return broken('', 'not_utf8', 'is not UTF-8')
  const reading = readJson(text)
  if (reading.kind === 'broken') {
    const { line, column } = reading.fault
    const detail = text === '' ? 'is empty' : `is not JSON at line ${line}, column ${column}`
    return broken('', 'bad_json', detail, { line, column })
  }
  const { document } = reading
  if (document.depth > MAX_DEPTH) {
    return { ...broken('', 'too_deep', `is nested ${document.depth} levels deep`), document }
  }
  const [fault] = schemaVerdict(document.value)
  if (fault) return { ...broken('', 'schema_invalid', described(fault)), document }
  return { kind: 'record', document, record: document.value as Handoff } // checked above
}

function described(fault: SchemaFault): string {
  return `${fault.pointer || 'the record'}: ${fault.message}`
}

function broken(path: string, reason: Problem['reason'], detail: string, at: object = {}): BrokenRecord {
  return { kind: 'broken', path, problem: { path, reason, detail, ...at } }
}
