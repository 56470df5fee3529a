import { createHash } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import { grouped, isJsonObject } from '../../../server/plugin.ts'

/** How many of each a module version has. */
export const counts = z.object({
  variables: z.number().int(),
  required: z.number().int(),
  outputs: z.number().int(),
  resources: z.number().int(),
})

/** The same summary under another name, which another entry of the configuration gives the repository. */
const otherName = z.object({ name: z.string(), summary_file: z.string(), summary_sha256: z.string() })
export type OtherName = z.output<typeof otherName>

/** One module version the index knows (modules design 5). `id` is the SHA-256 of `<repository>:<ref>:<path>`. */
export const indexRecord = z.object({
  id: z.string(),
  repository: z.string(),
  name: z.string(),
  ref: z.string(),
  ref_kind: z.enum(['branch', 'tag']),
  path: z.string(),
  kind: z.enum(['root', 'submodule', 'example']),
  commit: z.string(),
  options_digest: z.string(),
  summary_file: z.string(),
  summary_sha256: z.string(),
  description: z.string(),
  provider: z.string(),
  providers: z.array(z.string()),
  tags: z.array(z.string()),
  counts,
  last_updated: z.string(),
  embedded: z.boolean(),
  /** Which document the summary gave when it was last embedded or compared; see `documentMark`. */
  document_mark: z.string().optional(),
  /** Absent where the repository has one name. */
  other_names: z.array(otherName).optional(),
})
export type IndexRecord = z.output<typeof indexRecord>

/** Fields of a record that are always there. */
const RECORD_FIELDS = Object.values(indexRecord.shape).filter((field) => !field.isOptional()).length

/** Whether a value is a record and has no other fields: what its schema says, without a copy of it. */
export function isIndexRecord(value: unknown): value is IndexRecord {
  if (!isJsonObject(value)) return false
  const record = value as Partial<IndexRecord> // every field is looked at
  return (
    isFieldsOf(record) &&
    isListOfTexts(record.providers) &&
    isListOfTexts(record.tags) &&
    areCounts(record.counts) &&
    REF_KINDS.has(record.ref_kind) &&
    KINDS.has(record.kind) &&
    (record.document_mark === undefined || typeof record.document_mark === 'string') &&
    (record.other_names === undefined || z.array(otherName).safeParse(record.other_names).success)
  )
}

const REF_KINDS: ReadonlySet<unknown> = new Set(indexRecord.shape.ref_kind.options)
const KINDS: ReadonlySet<unknown> = new Set(indexRecord.shape.kind.options)

function isFieldsOf(record: Partial<IndexRecord>): boolean {
  let fields = RECORD_FIELDS
  if (record.document_mark !== undefined) fields++
  if (record.other_names !== undefined) fields++
  return (
    Object.keys(record).length === fields &&
    typeof record.id === 'string' &&
    typeof record.repository === 'string' &&
    typeof record.name === 'string' &&
    typeof record.ref === 'string' &&
    typeof record.path === 'string' &&
    typeof record.commit === 'string' &&
    typeof record.options_digest === 'string' &&
    typeof record.summary_file === 'string' &&
    typeof record.summary_sha256 === 'string' &&
    typeof record.description === 'string' &&
    typeof record.provider === 'string' &&
    typeof record.last_updated === 'string' &&
    typeof record.embedded === 'boolean'
  )
}

function areCounts(value: Partial<IndexRecord['counts']> | undefined): boolean {
  return (
    isJsonObject(value) &&
    Object.keys(value).length === 4 &&
    Number.isSafeInteger(value['variables']) &&
    Number.isSafeInteger(value['required']) &&
    Number.isSafeInteger(value['outputs']) &&
    Number.isSafeInteger(value['resources'])
  )
}

function isListOfTexts(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  for (const one of value) if (typeof one !== 'string') return false
  return true
}

/** Every name of the repository of a record, the one of its summary first. */
export function namesOf({ name, other_names }: Pick<IndexRecord, 'name' | 'other_names'>): readonly string[] {
  return [name, ...(other_names ?? []).map((other) => other.name)]
}

/** Every summary file of these records. */
export function summaryFiles(
  records: Iterable<Pick<IndexRecord, 'summary_file' | 'other_names'>>,
): readonly string[] {
  const files: string[] = []
  for (const { summary_file, other_names = [] } of records) {
    files.push(summary_file)
    for (const other of other_names) files.push(other.summary_file)
  }
  return files
}

/** One read of a ref: nothing is fetched while commit and options are the same. See `isDeleted` for one without a commit. */
const reading = z.object({
  ref: z.string(),
  ref_kind: z.enum(['branch', 'tag']),
  /** The configured directory. */
  path: z.string(),
  commit: z.string(),
  options_digest: z.string(),
  /** Directories that gave a summary. */
  directories: z.array(z.string()),
})
export type Reading = z.output<typeof reading>

/** Whether the ref was deleted at the remote: until an ingest with prune its records stay. */
export function isDeleted({ commit }: Pick<Reading, 'commit'>): boolean {
  return commit === ''
}

/** Whether the last ingest found the ref deleted; its records stay. */
export function isRefDeleted(
  { repositories }: { readonly repositories: readonly RepositoryRow[] },
  { repository, ref }: { readonly repository: string; readonly ref: string },
): boolean {
  const readings = repositories.find((row) => row.repository === repository)?.readings ?? []
  const own = readings.filter((one) => one.ref === ref)
  return own.length > 0 && own.every(isDeleted)
}

const repositoryRow = z.object({
  repository: z.string(),
  name: z.string(),
  default_branch: z.string().nullable(),
  readings: z.array(reading),
})
export type RepositoryRow = z.output<typeof repositoryRow>

const READING_FIELDS = Object.keys(reading.shape).length
const REPOSITORY_FIELDS = Object.keys(repositoryRow.shape).length

/** As `isIndexRecord`, for a repository. */
export function isRepositoryRow(value: unknown): value is RepositoryRow {
  if (!isJsonObject(value) || Object.keys(value).length !== REPOSITORY_FIELDS) return false
  const { repository, name, default_branch, readings }: Partial<RepositoryRow> = value
  return (
    typeof repository === 'string' &&
    typeof name === 'string' &&
    (typeof default_branch === 'string' || default_branch === null) &&
    Array.isArray(readings) &&
    readings.every(isReading)
  )
}

function isReading(value: unknown): value is Reading {
  if (!isJsonObject(value) || Object.keys(value).length !== READING_FIELDS) return false
  const { ref, ref_kind, path, commit, options_digest, directories }: Partial<Reading> = value
  return (
    typeof ref === 'string' &&
    REF_KINDS.has(ref_kind) &&
    typeof path === 'string' &&
    typeof commit === 'string' &&
    typeof options_digest === 'string' &&
    isListOfTexts(directories)
  )
}

/** A record as JSON, as a database has it. Errors: those of its schema. */
export function parseRecord(text: string): IndexRecord {
  return indexRecord.parse(JSON.parse(text))
}

/** A repository of an index as JSON, as a database has it. Errors: those of its schema. */
export function parseRepositoryRow(text: string): RepositoryRow {
  return repositoryRow.parse(JSON.parse(text))
}

export const INDEX_FORMAT = 1

/** The whole file. */
export const indexFile = z.object({
  format: z.literal(INDEX_FORMAT),
  parser_version: z.string(),
  /** When the last run ended; null: no run has ended. */
  finished_at: z.string().nullable(),
  repositories: z.array(repositoryRow),
  records: z.array(indexRecord),
  /** Summary files that no record names any more and that are still to be removed. */
  leftovers: z.array(z.string()).default([]),
  /** Ids without a record whose vectors are still to be removed, by the next run that keeps vectors. */
  stale_vectors: z.array(z.string()).default([]),
  /** Whether a run with embeddings has begun: then a store may hold vectors of any record, embedded or not. */
  had_vectors: z.boolean().default(false),
})
export type ModuleIndex = z.output<typeof indexFile>

/** The index of what was never ingested. */
export function emptyIndex(): ModuleIndex {
  return indexFile.parse({
    format: INDEX_FORMAT,
    parser_version: '',
    finished_at: null,
    repositories: [],
    records: [],
  })
}

/** The spec's record id: SHA-256, hex, of `<repository>:<ref>:<path>`. */
export function moduleId(repository: string, ref: string, path: string): string {
  return createHash('sha256').update(`${repository}:${ref}:${path}`).digest('hex')
}

/** The folder for derived data inside the output directory. */
export function stateDir(outputDir: string): string {
  return join(outputDir, '.satchel')
}

/** Repository -> its records, in their order. */
export function byRepository(records: readonly IndexRecord[]): ReadonlyMap<string, readonly IndexRecord[]> {
  return grouped(records, ({ repository }) => repository)
}
