import { crc32 } from 'node:zlib'
import { FLAGS, RELATIONS, STATUSES } from '../domain/record.ts'
import { type RecordRow, SEARCH_FIELDS } from '../domain/record-row.ts'
import type { RecordTable } from '../domain/record-table.ts'
import { type JoinedSegments, joinedSegments, wordsOfKey } from './joined-segments.ts'
import { DamagedSegment, type Segment } from './open-segment.ts'
import type { Problem } from './read-record.ts'
import {
  flagsIn,
  type IndexedFile,
  indexedFile,
  isSkeletonIn,
  keyOf,
  kindIn,
  relationIn,
  statusIn,
  textHash,
} from './segment-columns.ts'
import { eachPosting, entriesIn } from './segment-words.ts'

/** The files of a store as the index knows them, over all its segments. */
export interface FileTable extends RecordTable {
  /** The state of a file when it was read; undefined if the index does not have it. */
  known(name: string): { readonly mtimeMs: number; readonly size: number } | undefined
  /** The names of all present files. */
  names(): Promise<readonly string[]>
  /** Files that exist, records and problems. */
  readonly present: number
  problems(): Promise<readonly Problem[]>
  /** Rows of each segment that exist and that no later one replaces. */
  readonly live: readonly number[]
  /** The files of a segment that no later one replaces, among them the removed ones, to write them again. */
  filesOf(segment: number): Promise<readonly IndexedFile[]>
}

const FIELDS = SEARCH_FIELDS.length

/** A table of these segments; a row of a later one replaces that of an earlier one. */
export function tableOf(segments: readonly Segment[]): FileTable {
  const joined = joinedSegments(segments)
  return { ...factsOf(joined), ...relativesOf(joined), ...filesOf(joined), ...textsOf(joined) }
}

type Facts = Pick<
  RecordTable,
  | 'records'
  | 'size'
  | 'id'
  | 'updatedMs'
  | 'createdMs'
  | 'status'
  | 'hasFlag'
  | 'relation'
  | 'isSkeleton'
  | 'withValue'
  | 'differs'
  | 'fieldLength'
>

function factsOf({ columns, records, size }: JoinedSegments): Facts {
  const { bits, project, branch, harness, actor, session, idempotency, claim } = columns
  const values = { project, branch, harness, actor, session, idempotency, claim }
  return {
    records,
    size,
    id: (row) => idOf(columns.key, row),
    updatedMs: (row) => columns.updated[row] ?? 0,
    createdMs: (row) => columns.created[row] ?? 0,
    status: (row) => STATUSES[statusIn(bits[row] ?? 0)] ?? 'draft',
    hasFlag: (row, flag) => (flagsIn(bits[row] ?? 0) & (1 << FLAGS.indexOf(flag))) !== 0,
    relation: (row) => RELATIONS[relationIn(bits[row] ?? 0)] ?? 'root',
    isSkeleton: (row) => isSkeletonIn(bits[row] ?? 0),
    withValue(field, value) {
      const hash = textHash(value)
      return new Set(records.filter((row) => values[field][row] === hash))
    },
    differs: (field) => records.some((row) => values[field][row] !== values[field][records[0] ?? 0]),
    fieldLength: (row, field) => columns.lengths[row * FIELDS + field] ?? 0,
  }
}

function relativesOf(joined: JoinedSegments): Pick<RecordTable, 'find' | 'childrenOf' | 'isLeaf'> {
  const { bits } = joined.columns
  let hidden: Uint8Array | undefined
  const hiddenRows = (): Uint8Array => {
    const marks = new Uint8Array(joined.size)
    joined.eachEdge((child, parent) => {
      const status = STATUSES[statusIn(bits[child] ?? 0)]
      if (status !== 'ready' && status !== 'resumed' && status !== 'superseded') return
      const row = joined.keys.find(parent)
      if (row >= 0) marks[row] = 1
    })
    return marks
  }
  return {
    isLeaf(row) {
      hidden ??= hiddenRows()
      return hidden[row] !== 1
    },
    find(id) {
      const row = joined.rowOf(keyOf(id))
      return row !== undefined && kindIn(bits[row] ?? 2) === 'record' ? row : undefined
    },
    childrenOf(id) {
      const wanted = wordsOfKey(keyOf(id.toLowerCase()))
      const children: number[] = []
      joined.eachEdge((child, parent) => {
        if (parent.every((word, at) => word === wanted[at])) children.push(child)
      })
      return children
    },
  }
}

type Files = Pick<
  FileTable,
  'known' | 'names' | 'present' | 'problems' | 'live' | 'filesOf' | 'load' | 'texts'
>

function filesOf(joined: JoinedSegments): Files {
  const { columns, records, live } = joined
  const texts = async (rows: readonly number[]): Promise<readonly (readonly string[])[]> => {
    const parts = await blobs(joined, rows, 'texts')
    return parts.map((bytes) => bytes.toString('utf8').split('\u0000'))
  }
  const problems = () => contents(joined, [...joined.present].filter(isProblem))
  const isProblem = (row: number) => kindIn(columns.bits[row] ?? 2) === 'problem'
  return {
    live,
    present: joined.present.length,
    known(name) {
      const row = joined.rowOf(keyOf(name.replace(/\.json$/, '')))
      if (row === undefined) return undefined
      return { mtimeMs: columns.mtime[row] ?? 0, size: columns.size[row] ?? 0 }
    },
    async names() {
      const damaged = (await problems()).map(({ name }) => name)
      return [...Array.from(records, (row) => `${idOf(columns.key, row)}.json`), ...damaged]
    },
    async problems() {
      const sorted = [...(await problems())].sort((a, b) => (a.name < b.name ? -1 : 1))
      return sorted.flatMap(({ problem }) => problem ?? [])
    },
    load: async (rows) => (await contents(joined, rows)).flatMap(({ row }) => row ?? []),
    texts,
    async filesOf(at) {
      const rows = joined.kept[at] ?? []
      const [found, fields] = [await contents(joined, rows), await texts(rows)]
      return rows.map((row, n) => {
        const content: Content = found[n] ?? { name: '' }
        const [mtimeMs, size] = [columns.mtime[row] ?? 0, columns.size[row] ?? 0]
        return indexedFile({ ...content, mtimeMs, size, ...(content.row && { fields: fields[n] ?? [] }) })
      })
    },
  }
}

interface Content {
  readonly name: string
  readonly row?: RecordRow
  readonly problem?: Problem
}

async function contents(joined: JoinedSegments, rows: readonly number[]): Promise<readonly Content[]> {
  const parts = await blobs(joined, rows, 'rows')
  return parts.map((bytes) => JSON.parse(bytes.toString('utf8')) as Content) // as written, by its checksum
}

/** So many rows of one segment are read together. */
const WHOLE_SECTION_ROWS = 64

async function blobs(
  { segments, columns, segmentAt }: JoinedSegments,
  rows: readonly number[],
  section: 'rows' | 'texts',
): Promise<readonly Buffer[]> {
  const [at, size, crc] =
    section === 'rows'
      ? [columns.rowAt, columns.rowSize, columns.rowCrc]
      : [columns.textAt, columns.textSize, columns.textCrc]
  const found: Buffer[] = new Array(rows.length)
  const bySegment: { readonly row: number; readonly n: number }[][] = segments.map(() => [])
  for (const [n, row] of rows.entries()) bySegment[segmentAt(row)]?.push({ row, n })
  for (const [number, segment] of segments.entries()) {
    const here = bySegment[number] ?? []
    const whole = here.length > WHOLE_SECTION_ROWS ? await segment.section(section) : undefined
    for (const { row, n } of here) {
      const [from, length] = [at[row] ?? 0, size[row] ?? 0]
      const bytes = whole?.subarray(from, from + length) ?? (await segment.section(section, from, length))
      if (crc32(bytes) !== crc[row]) throw new DamagedSegment(segment.file)
      found[n] = bytes
    }
  }
  return found
}

function textsOf({ segments, bases, isLive }: JoinedSegments): Pick<RecordTable, 'occurrences'> {
  return {
    async occurrences(word, isPrefix, each) {
      for (const [at, segment] of segments.entries()) {
        const base = bases[at] ?? 0
        const visit = (row: number, field: number, count: number) => {
          if (isLive[base + row] === 1) each(base + row, field, count)
        }
        for (const entry of entriesIn(await segment.section('words'), word, isPrefix)) {
          const bytes = await segment.section('postings', entry[0], entry[1] * 4)
          if (!eachPosting(bytes, entry, visit)) throw new DamagedSegment(segment.file)
        }
      }
    },
  }
}

function idOf(keys: Uint32Array, row: number): string {
  const hex = Buffer.from(keys.buffer, row * 16, 16).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
