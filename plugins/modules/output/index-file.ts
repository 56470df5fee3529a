import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import {
  type Disk,
  isJsonObject,
  makeDirectoryDurably,
  realDisk,
  systemCode,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { compare } from '../domain/order.ts'
import { refusals } from '../reasons.ts'
import { contentAfter, contentOf, noteContent } from './index-content.ts'
import { BETWEEN, parseIndexText, RECORDS_END, RECORDS_START } from './index-lines.ts'
import {
  INDEX_FORMAT,
  type IndexRecord,
  indexFile,
  isIndexRecord,
  isRepositoryRow,
  type ModuleIndex,
  type RepositoryRow,
  stateDir,
} from './module-index.ts'
import { newerFormat } from './stored-format.ts'

/**
 * The index of an output directory; undefined where nothing has been ingested.
 * Errors: `conflict`/`index_damaged`, also for an index of a newer version; nothing is changed then.
 */
export async function loadIndex(outputDir: string, disk = realDisk): Promise<ModuleIndex | undefined> {
  const loaded = await load(outputDir, disk)
  return loaded && parsed(loaded.value, OWN_ROWS)
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
  const { bytes, value, starts } = loaded
  if (starts === undefined) return parsed(value, NONE)
  const index = parsed(value, OWN_ROWS)
  loadedLines.set(index, { bytes, starts })
  const content = checkedContent(bytes)
  if (content !== undefined) noteContent(index, content)
  return index
}

async function load(outputDir: string, disk: Disk) {
  const bytes = await disk.readFile(indexPath(outputDir)).catch(missing)
  if (bytes === undefined) return undefined
  try {
    return { bytes, ...parseIndexText(bytes) }
  } catch (cause) {
    throw refusals.index_damaged({ cause })
  }
}

/** Which rows are taken as they are: a schema that copies each takes several times as long as reading the JSON. */
interface OwnRows {
  isRecord(value: unknown): boolean
  isRepository(value: unknown): boolean
}

const OWN_ROWS: OwnRows = { isRecord: isIndexRecord, isRepository: isRepositoryRow }
const NONE: OwnRows = { isRecord: () => false, isRepository: () => false }

/** The index that a file says. */
function parsed(value: unknown, { isRecord, isRepository }: OwnRows): ModuleIndex {
  try {
    if (!isJsonObject(value)) return indexFile.parse(value)
    const { records, repositories, ...head } = value
    const areOurs =
      Array.isArray(records) &&
      Array.isArray(repositories) &&
      records.every(isRecord) &&
      repositories.every(isRepository)
    if (!areOurs) return indexFile.parse(value)
    const rest = indexFile.parse({ ...head, repositories: [], records: [] })
    // Each row was looked at.
    return { ...rest, repositories: repositories as RepositoryRow[], records: records as IndexRecord[] }
  } catch (cause) {
    const format = newerFormat(value, INDEX_FORMAT)
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

const CHECKED =
  /^(\{"format":1,"content":"([0-9a-f]{64})","finished_at":(?:null|"[^"\\]*")),"check":(\d{1,10}),/

/** The content that the head of a file tells; undefined for a file that was changed since `saveIndex` wrote it. */
function checkedContent(bytes: Buffer): string | undefined {
  const [, beginning = '', content, check] = CHECKED.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? []
  const rest = bytes.subarray(`${beginning},"check":${check}`.length)
  return check !== undefined && checkOf(beginning, [rest]) === Number(check) ? content : undefined
}

/** A checksum of what is before it and behind it. */
function checkOf(beginning: string, rest: readonly Buffer[]): number {
  return rest.reduce((value, piece) => crc32(piece, value), crc32(beginning))
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

/** From this size on bytes are written from where they are; those before are copied into one piece. */
const LARGE_BYTES = 64 * 1024

/** The same bytes in few pieces. A copy of all of them would be tens of megabytes for a record that changed. */
function inLargePieces(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = []
  let small: Buffer[] = []
  const join = (): void => {
    if (small.length > 0) joined.push(Buffer.concat(small))
    small = []
  }
  for (const piece of pieces) {
    if (piece.length < LARGE_BYTES) small.push(piece)
    else {
      join()
      joined.push(piece)
    }
  }
  join()
  return joined
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
  const content = before === undefined ? contentOf(index) : contentAfter(before, index)
  const lists = { leftovers, stale_vectors, had_vectors, repositories }
  const beginning = JSON.stringify({ format, content, finished_at }).slice(0, -1)
  const head = Buffer.from(`,${JSON.stringify({ parser_version, ...lists }).slice(1, -1)},${RECORDS_START}`)
  const rest = inLargePieces([head, ...recordPieces(records, before), RECORDS_END])
  const file = [Buffer.from(`${beginning},"check":${checkOf(beginning, rest)}`), ...rest]
  await writeFileDurably(indexPath(outputDir), file, { disk, ...(beforeCommit && { beforeCommit }) })
}

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
  } catch (thrown) {
    return missing(thrown)
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

/** What another user or a link can do to the file of an index. */
const UNREADABLE = ['EACCES', 'EPERM', 'ELOOP', 'EIO']

/** Errors: `unavailable`/`storage_failed`; `conflict`/`index_damaged` for a folder. */
function missing(thrown: unknown): undefined {
  const code = systemCode(thrown) ?? ''
  if (code === 'EISDIR') throw refusals.index_is_folder({ cause: thrown })
  if (UNREADABLE.includes(code)) throw refusals.output_not_readable({ code }, { cause: thrown })
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw thrown
}
