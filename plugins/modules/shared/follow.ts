import { dirname, join } from 'node:path'
import {
  type Disk,
  makeDirectoryDurably,
  orMissing,
  realDisk,
  replaceFile,
  writeFileDurably,
} from '../../../server/plugin.ts'
import { CODE_FORMAT, codePath } from '../output/code-store.ts'
import { type FileStamps, openFileStamps } from '../output/file-stamps.ts'
import { keepContent } from '../output/index-content.ts'
import { loadIndexHead, loadIndexToUpdate, saveIndex } from '../output/index-file.ts'
import { takeIngestLock } from '../output/ingest-lock.ts'
import {
  emptyIndex,
  type IndexRecord,
  type ModuleIndex,
  namesOf,
  stateDir,
  summaryFiles,
} from '../output/module-index.ts'
import { absentIfDamaged } from '../output/stored-format.ts'
import { removeFiles } from '../output/summary-files.ts'
import { refusals } from '../reasons.ts'
import type { CatalogueRows } from './catalogue-rows.ts'
import { type Changes, changesSince } from './changes.ts'
import { loadFollowed, saveFollowed } from './followed-state.ts'

/** A folder that follows the rows of a catalogue. Its lock is held by the caller. */
export interface Follower {
  readonly rows: CatalogueRows
  readonly catalogue: string
  readonly outputDir: string
  readonly disk?: Disk | undefined
  /** Throws when the lock of the folder was lost. */
  beforeCommit?(): void
}

/** What following did. */
export interface Followed {
  readonly change: number
  /** The index as it is now; undefined where nothing was written. */
  readonly index: ModuleIndex | undefined
  /** The index of which it has the records that did not change, as the same objects; undefined: nothing is known to be as before. */
  readonly earlier: ModuleIndex | undefined
  /** Ids whose summary is new or other than before. */
  readonly changed: readonly string[]
  /** Ids. */
  readonly removed: readonly string[]
}

/** Changes that the folder does not have yet; 1 where it must be followed from its start. Takes no lock. */
export async function lagOf(follower: Follower): Promise<number> {
  const { head, since } = await startOf(follower)
  return since === undefined ? Math.max(1, head.change) : head.change - since
}

/** Follows under the lock of the folder, and then runs `after`. Errors: `conflict`/`ingest_running`. */
export async function followLocked(
  follower: Follower,
  after: (followed: Followed) => Promise<void>,
): Promise<void> {
  const { outputDir, disk } = follower
  await makeDirectoryDurably(stateDir(outputDir), undefined, disk)
  const lock = await takeIngestLock(join(stateDir(outputDir), 'ingest.lock'), { disk })
  try {
    const beforeCommit = (): void => {
      if (!lock.holds()) throw refusals.ingest_running()
    }
    await after(await follow({ ...follower, beforeCommit }))
  } finally {
    await lock.release()
  }
}

/**
 * Brings the folder to a state that the catalogue had: summaries, code, index, then the note of how far it is. A kill at any
 * moment leaves an index whose files are there, and the next time goes on. Files that no row has are removed.
 */
export async function follow(follower: Follower): Promise<Followed> {
  const { rows, outputDir, disk, catalogue } = follower
  const { head: first, since } = await startOf(follower)
  if (since === first.change)
    return { change: since, index: undefined, earlier: undefined, changed: [], removed: [] }
  // The rows have what a damaged index had.
  const before = await loadIndexToUpdate(outputDir, disk).catch(absentIfDamaged('index_damaged'))
  const isNext = since !== undefined && before !== undefined
  const changes = await changesSince(rows, isNext ? since : 0)
  const { head } = changes
  const followed = await applyChanges(follower, { before, changes, isNext })
  await saveFollowed(outputDir, { catalogue, life: head.life, change: head.change, dirty: false }, disk)
  return { ...followed, change: head.change }
}

/** The change that the folder has; undefined where it has no state of this catalogue. */
async function startOf({ rows, outputDir, catalogue, disk }: Follower) {
  const head = await rows.head()
  const state = await loadFollowed(outputDir, disk)
  const isOne =
    state?.catalogue === catalogue && state.life === head.life && state.change <= head.change && !state.dirty
  const isThere = state?.change === 0 || loadIndexHead(outputDir, disk) !== undefined
  return { head, since: isOne && isThere ? state.change : undefined }
}

/** What a folder has, and what it shall have besides or instead. */
export interface Application {
  readonly before: ModuleIndex | undefined
  readonly changes: Changes
  /** The changes come on top of what is there; otherwise nothing else stays. */
  readonly isNext: boolean
}

/** Writes what changed: summaries, code, then the index. */
export async function applyChanges(
  follower: Follower,
  application: Application,
): Promise<Omit<Followed, 'change'>> {
  const { before, changes, isNext } = application
  const { index, fresh, changed, removed } = merge(application)
  const earlier = isNext ? before : undefined
  if (changes.head.change === 0 && before === undefined)
    return { index: undefined, earlier, changed, removed }
  const stamps = await openFileStamps(follower.outputDir, follower.disk)
  await writeSummaries(follower, stamps, fresh)
  await writeCode(follower, isNext ? changes.code : codeOf(index, changes))
  const saved = await writeIndex(follower, stamps, { index, before })
  return { index: saved, earlier, changed, removed }
}

interface Merged {
  readonly index: ModuleIndex
  /** Records whose files are looked at. */
  readonly fresh: readonly IndexRecord[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

function merge({ before, changes, isNext }: Application): Merged {
  const { head, records, repositories } = changes
  const old = before ?? emptyIndex()
  const known = new Map(old.records.map((record) => [record.id, record]))
  const next = new Map(isNext ? known : [])
  const fresh: IndexRecord[] = []
  for (const [id, record] of records) {
    next.delete(id)
    if (record === undefined) continue
    const own = withVector(record, known.get(id))
    next.set(id, own)
    fresh.push(own)
  }
  const rows = new Map(isNext ? old.repositories.map((row) => [row.repository, row]) : [])
  for (const row of repositories) rows.set(row.repository, row)
  const named = new Set(summaryFiles(next.values()).map((file) => file.toLowerCase()))
  const removed = [...known.keys()].filter((id) => !next.has(id))
  return {
    index: {
      ...old,
      parser_version: head.parser_version,
      finished_at: head.finished_at,
      repositories: [...rows.values()],
      records: [...next.values()],
      leftovers: [...old.leftovers, ...summaryFiles(known.values())].filter(
        (file) => !named.has(file.toLowerCase()),
      ),
      stale_vectors: old.had_vectors
        ? [...new Set([...old.stale_vectors, ...removed])].filter((id) => !next.has(id)).sort()
        : [],
    },
    fresh,
    changed: fresh.filter((record) => isOther(record, known.get(record.id))).map(({ id }) => id),
    removed,
  }
}

function isOther(record: IndexRecord, before: IndexRecord | undefined): boolean {
  return (
    before?.summary_sha256 !== record.summary_sha256 ||
    namesOf(before).join('\0') !== namesOf(record).join('\0')
  )
}

/** Which records have a vector, each machine knows of its own store. */
function withVector(record: IndexRecord, before: IndexRecord | undefined): IndexRecord {
  if (before?.summary_sha256 !== record.summary_sha256) return record
  const { other_names, ...own } = record
  const { embedded, document_mark } = before
  return { ...own, embedded, ...(document_mark && { document_mark }), ...(other_names && { other_names }) }
}

/** The same with nothing of this machine's vectors: what a row has. */
export function withoutVector({ document_mark: _, ...record }: IndexRecord): IndexRecord {
  return { ...record, embedded: false }
}

interface SummaryFile {
  readonly name: string
  readonly sha256: string
}

const SUMMARIES_AT_ONCE = 32

async function writeSummaries(
  { rows, outputDir, disk = realDisk }: Follower,
  stamps: FileStamps,
  records: readonly IndexRecord[],
): Promise<void> {
  await makeDirectoryDurably(outputDir, undefined, disk)
  const missing: SummaryFile[] = []
  for (const file of records.flatMap(filesOf)) {
    if (!(await stamps.isIntact(file.name, file.sha256))) missing.push(file)
  }
  for (let at = 0; at < missing.length; at += SUMMARIES_AT_ONCE) {
    const files = missing.slice(at, at + SUMMARIES_AT_ONCE)
    const found = await rows.summaries([...new Set(files.map(({ sha256 }) => sha256))])
    const write = async ({ name, sha256 }: SummaryFile): Promise<void> => {
      const bytes = found.get(sha256)
      if (!bytes) throw new Error(`The database lacks the summary ${sha256} of ${name}.`)
      await replaceFile(join(outputDir, name), bytes, { disk })
      const stamp = await disk.stamp(join(outputDir, name))
      if (stamp !== undefined) stamps.note(name, sha256, stamp)
    }
    await Promise.all(files.map(write))
  }
  if (missing.length > 0) await disk.syncDirectory(outputDir)
}

function filesOf({ summary_file, summary_sha256, other_names = [] }: IndexRecord): readonly SummaryFile[] {
  const others = other_names.map((other) => ({ name: other.summary_file, sha256: other.summary_sha256 }))
  return [{ name: summary_file, sha256: summary_sha256 }, ...others]
}

/** Every repository that has code, or may have it here. */
function codeOf({ repositories }: ModuleIndex, { code }: Changes): ReadonlySet<string> {
  return new Set([...code, ...repositories.map(({ repository }) => repository)])
}

async function writeCode(
  { rows, outputDir, disk = realDisk }: Follower,
  repositories: ReadonlySet<string>,
): Promise<void> {
  for (const repository of repositories) {
    const path = codePath(outputDir, repository)
    const lines = await rows.code(repository, CODE_FORMAT)
    if (lines.length === 0) {
      await orMissing(disk.unlink(path))
      continue
    }
    await makeDirectoryDurably(dirname(path), undefined, disk)
    await writeFileDurably(path, lines, { disk })
  }
}

/** The index as it was saved in the end. */
async function writeIndex(
  follower: Follower,
  stamps: FileStamps,
  { index, before }: { readonly index: ModuleIndex; readonly before: ModuleIndex | undefined },
): Promise<ModuleIndex> {
  const { outputDir, disk, beforeCommit } = follower
  const how = { disk, before, ...(beforeCommit && { beforeCommit }) }
  await makeDirectoryDurably(stateDir(outputDir), undefined, disk)
  await saveIndex(outputDir, index, how)
  await stamps.save(summaryFiles(index.records))
  if (index.leftovers.length === 0) return index
  await removeFiles(outputDir, index.leftovers, disk)
  const last = { ...index, leftovers: [] }
  keepContent(last, index)
  await saveIndex(outputDir, last, how)
  return last
}
