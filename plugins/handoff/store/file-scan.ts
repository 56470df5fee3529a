import { join, sep } from 'node:path'
import { type Disk, nextTurn } from '../../../server/plugin.ts'
import { isUuid } from '../domain/record-id.ts'
import { rowOf, searchText } from '../domain/record-row.ts'
import type { Layout } from './layout.ts'
import { type Problem, parseRecent, parseRecord, readRecord } from './read-record.ts'
import type { FileTime } from './record-table.ts'
import { createSegmentBuilder, SEGMENT_ROWS } from './segment.ts'
import { fieldsOf, type IndexedFile, indexedFile } from './segment-columns.ts'

/** Whether there is time to start with the next files. */
export interface Time {
  toLook(): boolean
  toRead(): boolean
}

const LOOKS_AT_ONCE = 64
/** Fewer than looks: started reads are awaited even after the time limit, and a record may be large. */
const PARALLEL_READS = 16

interface Files {
  readonly disk: Disk
  readonly layout: Layout
}

/** What a look at files found. */
export interface Look {
  /** Files that are new or differ from what is known, last changed first. */
  readonly changed: readonly Seen[]
  readonly removed: readonly string[]
  /** Files without a look for want of time: those that are known, and those that are not. */
  readonly unchecked: number
  readonly unseen: number
}

interface Seen {
  readonly name: string
  readonly mtimeMs: number
  readonly size: number
}

/** A file to look at: its name, and what is known of it, if anything. */
export interface Candidate {
  readonly name: string
  readonly before: FileTime | undefined
}

/** Compares the times and sizes of these files with what is known of them. */
export async function lookAt(
  { disk, layout }: Files,
  candidates: Iterable<Candidate>,
  time: Time,
): Promise<Look> {
  const changed: Seen[] = []
  const removed: string[] = []
  const folder = join(layout.records, sep)
  let [looked, unchecked, unseen] = [0, 0, 0]
  let isTime = time.toLook()
  const look = ({ name, before }: Candidate): void => {
    const stat = disk.statSync(folder + name)
    if (!stat) removed.push(name)
    else if (before?.mtimeMs !== stat.modifiedMs || before.size !== stat.size)
      changed.push({ name, mtimeMs: stat.modifiedMs, size: stat.size })
  }
  for (const candidate of candidates) {
    if (isTime) {
      look(candidate)
      looked += 1
      if (looked % LOOKS_AT_ONCE > 0) continue
      await nextTurn()
      isTime = time.toLook()
    } else if (candidate.before) unchecked += 1
    else unseen += 1
  }
  changed.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.name < b.name ? 1 : -1))
  return { changed, removed, unchecked, unseen }
}

/** What a reading of files found. */
export interface Reading {
  readonly read: number
  /** Files that were removed since they were looked at. */
  readonly lost: readonly string[]
}

/** Reads the changed files while there is time, and gives them as segments, each valid until it was taken. */
export async function readFiles(
  files: Files,
  changed: readonly Seen[],
  time: Pick<Time, 'toRead'>,
  take: (segment: Buffer) => Promise<void>,
): Promise<Reading> {
  let read = 0
  const lost: string[] = []
  if (changed.length === 0) return { read, lost }
  const builder = createSegmentBuilder(Math.min(changed.length, SEGMENT_ROWS))
  const parse = changed.length > PARALLEL_READS ? parseRecord : parseRecent
  while (read < changed.length && time.toRead()) {
    const batch = changed.slice(read, read + PARALLEL_READS)
    for (const file of await Promise.all(batch.map((seen) => fileOf(files, seen, parse)))) {
      if (typeof file === 'string') lost.push(file)
      else builder.add(file)
    }
    read += batch.length
    if (builder.count + PARALLEL_READS > SEGMENT_ROWS) await take(builder.bytes())
  }
  if (builder.count > 0) await take(builder.bytes())
  return { read, lost }
}

/** A file as the index keeps it, or the name of one that was removed. */
async function fileOf(
  { disk, layout }: Files,
  { name, mtimeMs, size }: Seen,
  parse: typeof parseRecord,
): Promise<IndexedFile | string> {
  const id = name.slice(0, -'.json'.length)
  const facts = { name, mtimeMs, size }
  if (!isUuid(id)) return indexedFile({ ...facts, problem: misnamed(name) })
  const found = await readRecord(disk, layout, id, parse)
  if (!found) return name
  if (found.kind === 'broken') return indexedFile({ ...facts, problem: found.problem })
  const row = rowOf(found.record, found.path, mtimeMs)
  return indexedFile({ ...facts, row, fields: fieldsOf(searchText(found.record)) })
}

function misnamed(name: string): Problem {
  return { path: name, reason: 'wrong_id', detail: 'is not named by a record id' }
}
