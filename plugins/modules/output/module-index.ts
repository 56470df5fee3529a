import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import {
  type Disk,
  makeDirectoryDurably,
  realDisk,
  systemCode,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { compare } from '../domain/order.ts'
import { refusals } from '../reasons.ts'
import { newerFormat } from './stored-format.ts'

const counts = z.object({
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

/** One read of a ref: nothing is fetched while commit and options are the same. */
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

const repositoryRow = z.object({
  repository: z.string(),
  name: z.string(),
  default_branch: z.string().nullable(),
  readings: z.array(reading),
})
export type RepositoryRow = z.output<typeof repositoryRow>

/** A record as JSON, as a database has it. Errors: those of its schema. */
export function parseRecord(text: string): IndexRecord {
  return indexRecord.parse(JSON.parse(text))
}

/** A repository of an index as JSON, as a database has it. Errors: those of its schema. */
export function parseRepositoryRow(text: string): RepositoryRow {
  return repositoryRow.parse(JSON.parse(text))
}

const FORMAT = 1

const indexFile = z.object({
  format: z.literal(FORMAT),
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
    format: FORMAT,
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

/**
 * The index of an output directory; undefined where nothing has been ingested.
 * Errors: `conflict`/`index_damaged`, also for an index of a newer version; nothing is changed then.
 */
export async function loadIndex(outputDir: string, disk = realDisk): Promise<ModuleIndex | undefined> {
  return (await load(outputDir, disk))?.index
}

/**
 * As `loadIndex`, for a caller that saves it again: the bytes of the file stay in memory with the index, so that
 * `saveIndex` writes records that are still the same objects without printing them.
 */
export async function loadIndexToUpdate(
  outputDir: string,
  disk = realDisk,
): Promise<ModuleIndex | undefined> {
  const loaded = await load(outputDir, disk)
  if (loaded === undefined) return undefined
  const { bytes, index } = loaded
  const starts = lineStarts(bytes, index.records)
  if (starts) loadedLines.set(index, { bytes, starts })
  return index
}

async function load(outputDir: string, disk: Disk) {
  const bytes = await disk.readFile(indexPath(outputDir)).catch(missing)
  if (bytes === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
    return { bytes, index: indexFile.parse(value) }
  } catch (cause) {
    const format = newerFormat(value, FORMAT)
    throw format === undefined
      ? refusals.index_damaged({ cause })
      : refusals.index_newer({ cause, details: { format } })
  }
}

/** The lines of records in the file that an index was loaded from; the last start is the end of the last line. */
interface LoadedLines {
  readonly bytes: Buffer
  readonly starts: readonly number[]
}

const loadedLines = new WeakMap<ModuleIndex, LoadedLines>()

const RECORDS_START = '"records":[\n'
const BETWEEN = Buffer.from(',\n')
const RECORDS_END = Buffer.from('\n]}\n')

/** Where each record begins in a file of `saveIndex`; undefined for a file that something else wrote. */
function lineStarts(bytes: Buffer, records: readonly IndexRecord[]): number[] | undefined {
  const head = bytes.indexOf(RECORDS_START)
  if (head === -1) return undefined
  const starts = [head + RECORDS_START.length]
  for (const [at, { id }] of records.entries()) {
    const start = starts.at(-1) ?? 0
    const isLast = at === records.length - 1
    const end = bytes.indexOf('\n', start)
    const begin = `{"id":"${id}"`
    const isRow =
      bytes.toString('utf8', start, start + begin.length) === begin &&
      bytes.toString('utf8', isLast ? end - 1 : end - 2, end) === (isLast ? '}' : '},')
    if (!isRow) return undefined
    starts.push(end + 1)
  }
  return bytes.subarray((starts.at(-1) ?? 0) - 1).equals(RECORDS_END) ? starts : undefined
}

/** Sorted records in the format of the file. One that is the very object that was loaded keeps its bytes. */
function recordPieces(records: readonly IndexRecord[], before: ModuleIndex | undefined): Buffer[] {
  const loaded = before && loadedLines.get(before)
  const earlier = loaded ? before.records : []
  const pieces: Buffer[] = []
  let place = 0 // in the earlier records, which were sorted alike when they were written
  for (let at = 0; at < records.length; ) {
    if (at > 0) pieces.push(BETWEEN)
    const first = place
    while (records[at] !== undefined && records[at] === earlier[place]) {
      at++
      place++
    }
    if (loaded && place > first) pieces.push(loadedPiece(loaded, first, place))
    else {
      const record = records[at++]
      pieces.push(Buffer.from(JSON.stringify(record)))
      place = placeAfter(earlier, place, record)
    }
  }
  return pieces
}

/** The first place from `place` on whose record comes after this one. */
function placeAfter(records: readonly IndexRecord[], place: number, record: IndexRecord | undefined): number {
  let next = place
  for (let one = records[next]; record && one && inOrder(one, record) <= 0; one = records[next]) next++
  return next
}

/** The order of an index: by repository, path and ref. */
function inOrder(a: IndexRecord, b: IndexRecord): number {
  return compare(a.repository, b.repository) || compare(a.path, b.path) || compare(a.ref, b.ref)
}

/** The lines from one record to before another, without what separates the last one from the next. */
function loadedPiece({ bytes, starts }: LoadedLines, from: number, to: number): Buffer {
  const separator = to === starts.length - 1 ? 1 : BETWEEN.length
  return bytes.subarray(starts[from], (starts[to] ?? 0) - separator)
}

interface SaveOptions {
  readonly disk?: Disk | undefined
  /** May throw to keep the old index. */
  readonly beforeCommit?: (() => void) | undefined
  /** What `loadIndexToUpdate` gave and `index` was made from. */
  readonly before?: ModuleIndex | undefined
}

/** Writes the whole index; rows in a fixed order, so that equal content gives equal bytes. */
export async function saveIndex(
  outputDir: string,
  index: ModuleIndex,
  { disk = realDisk, beforeCommit, before }: SaveOptions = {},
): Promise<void> {
  const repositories = [...index.repositories].sort((a, b) => compare(a.repository, b.repository))
  const records = [...index.records].sort(inOrder)
  await makeDirectoryDurably(stateDir(outputDir), undefined, disk)
  const { format, parser_version, finished_at, leftovers, stale_vectors, had_vectors } = index
  const content = contentOf(index)
  const lists = { leftovers, stale_vectors, had_vectors, repositories }
  const facts = { format, content, finished_at, parser_version, ...lists }
  const head = JSON.stringify(facts).slice(0, -1)
  const beginning = Buffer.from(`${head},${RECORDS_START}`)
  const file = Buffer.concat([beginning, ...recordPieces(records, before), RECORDS_END])
  await writeFileDurably(indexPath(outputDir), file, { disk, ...(beforeCommit && { beforeCommit }) })
}

/**
 * A digest of what a search index is made from: the versions of every module, their summaries and their times. The order
 * of the records does not matter.
 */
export function contentOf(index: Pick<ModuleIndex, 'repositories' | 'records'>): string {
  const known = contents.get(index)
  if (known !== undefined) return known
  const { repositories, records } = index
  const lines = records.map(({ id, summary_sha256, summary_file, last_updated, ...names }) =>
    [id, summary_sha256, summary_file, ...namesOf(names), last_updated].join(' '),
  )
  const defaults = repositories.map(({ repository, default_branch }) => `${repository} ${default_branch}`)
  const text = [...lines.sort(), '', ...defaults.sort(), ''].join('\n')
  const content = createHash('sha256').update(text).digest('hex')
  contents.set(index, content)
  return content
}

/** Notes that `index` and `before` differ only in their vectors, which the content leaves out. */
export function keepContent(index: ModuleIndex, before: ModuleIndex): void {
  contents.set(index, contentOf(before))
}

/** An index is never changed once it is made. */
const contents = new WeakMap<object, string>()

/** The beginning of an index: enough to know whether a search index was made from it, however large it is. */
export interface IndexHead {
  readonly finished_at: string | null
  /** See `contentOf`. */
  readonly content: string
}

const HEAD_BYTES = 512

/**
 * The head of the index of an output directory; undefined where there is none, or none that this version wrote: then
 * `loadIndex` tells.
 */
export function loadIndexHead(outputDir: string, disk = realDisk): IndexHead | undefined {
  let file: number
  try {
    file = disk.openToReadSync(indexPath(outputDir))
  } catch (thrown) {
    return missing(thrown)
  }
  try {
    const start = Buffer.alloc(HEAD_BYTES)
    const text = start.toString('utf8', 0, disk.readSync(file, start, 0))
    const found = /^\{"format":1,"content":"([0-9a-f]{64})","finished_at":(null|"[^"\\]*"),/.exec(text)
    if (!found?.[1] || !found[2]) return undefined
    return { content: found[1], finished_at: found[2] === 'null' ? null : found[2].slice(1, -1) }
  } finally {
    disk.closeSync(file)
  }
}

/** Loads an index, and again only when the file has changed. Holds at most one index. */
export function createIndexReader(): (outputDir: string) => Promise<ModuleIndex | undefined> {
  let held: { key: string; index: Promise<ModuleIndex | undefined> } | undefined
  return async (outputDir) => {
    const file = await stat(indexPath(outputDir)).catch(missing)
    if (file === undefined) return undefined
    const key = [outputDir, file.mtimeMs, file.size, file.ino].join('\0')
    if (held?.key !== key) {
      const index = loadIndex(outputDir)
      held = { key, index }
      index.catch(() => {
        held = undefined
      })
    }
    return held.index
  }
}

function indexPath(outputDir: string): string {
  return join(stateDir(outputDir), 'index.json')
}

/** What another user, a link or a folder in its place can do to the file of an index. */
const UNREADABLE = ['EACCES', 'EPERM', 'ELOOP', 'EISDIR', 'EIO']

/** Errors: `unavailable`/`storage_failed`. */
function missing(thrown: unknown): undefined {
  const code = systemCode(thrown) ?? ''
  if (UNREADABLE.includes(code)) throw refusals.output_not_readable({ code }, { cause: thrown })
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw thrown
}
