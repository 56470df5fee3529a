import { crc32 } from 'node:zlib'
import { FLAGS, RELATIONS, STATUSES } from '../domain/record.ts'
import { type RecordRow, SEARCH_FIELDS } from '../domain/record-row.ts'
import type { RecordTable } from '../domain/record-table.ts'
import {
  eachEdge,
  findRow,
  keysOf,
  type Layer,
  layerIn,
  liveCount,
  liveRows,
  liveRowsOf,
  numberOf,
  rowIn,
  segmentWith,
} from './layers.ts'
import { DamagedSegment, type Segment } from './open-segment.ts'
import type { Problem } from './read-record.ts'
import { type KeyWords, keyAt, wordsOfKey } from './segment.ts'
import {
  flagsIn,
  type IndexedFile,
  idAt,
  indexedFile,
  isProblemIn,
  isSkeletonIn,
  keyOf,
  relationIn,
  statusIn,
  textHash,
} from './segment-columns.ts'
import { blocksOf, eachPosting, entriesIn, isWhole, type WordEntry } from './segment-words.ts'

/** When a file was changed last, and its length, as they were when it was read. */
export interface FileTime {
  readonly mtimeMs: number
  readonly size: number
}

export interface KnownFile extends FileTime {
  readonly name: string
}

/** The files of a store as the index knows them, over all its segments. */
export interface FileTable extends RecordTable {
  /** The state of a file when it was read; undefined if the index does not have it. */
  known(name: string): FileTime | undefined
  /** The present files one by one: those of these records, or all. */
  files(records?: Iterable<number>): Iterable<KnownFile>
  /** Files that exist, records and problems. */
  readonly present: number
  problems(): readonly Problem[]
  /** Rows of each segment that exist and that no later one replaces. */
  readonly live: readonly number[]
  /** The files of a segment that no later one replaces, to write them again. */
  filesOf(segment: number): readonly IndexedFile[]
}

const FIELDS = SEARCH_FIELDS.length

/** A table of these segments. */
export function tableOf(layers: readonly Layer[]): FileTable {
  const { records, problems } = liveRows(layers)
  const own = { layers, records, problems }
  return { ...factsOf(own), ...relativesOf(own), ...filesOf(own), ...textsOf(own) }
}

interface Known {
  readonly layers: readonly Layer[]
  readonly records: Int32Array
  readonly problems: readonly number[]
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
  | 'hasValue'
  | 'differs'
  | 'fieldLength'
>

/** The fields whose values are compared as numbers, with where they are. */
const VALUES = {
  project: (segment: Segment) => segment.facts.project,
  branch: (segment: Segment) => segment.facts.branch,
  session: (segment: Segment) => segment.facts.session,
  claim: (segment: Segment) => segment.facts.claim,
  harness: (segment: Segment) => segment.columns('rare').harness,
  actor: (segment: Segment) => segment.columns('rare').actor,
  idempotency: (segment: Segment) => segment.columns('rare').idempotency,
} as const

function factsOf({ layers, records }: Known): Facts {
  const numbers = (pick: (segment: Segment) => Column) => {
    let all: Column | undefined
    return (record: number): number => {
      all ??= joined(layers, pick)
      return all[record] ?? 0
    }
  }
  let lengths: Column | undefined
  const bits = numbers(({ facts }) => facts.bits)
  const updatedMs = numbers(({ facts }) => facts.updated)
  return {
    records,
    size: numberOf(layers.length, 0),
    id: (record) => idAt(segmentWith(layers, record).facts.key, rowIn(record)),
    updatedMs,
    createdMs: numbers((segment) => segment.columns('rare').created),
    status: (record) => STATUSES[statusIn(bits(record))] ?? 'draft',
    hasFlag: (record, flag) => (flagsIn(bits(record)) & (1 << FLAGS.indexOf(flag))) !== 0,
    relation: (record) => RELATIONS[relationIn(bits(record))] ?? 'root',
    isSkeleton: (record) => isSkeletonIn(bits(record)),
    hasValue(field, value) {
      const hash = textHash(value)
      const hashOf = numbers(VALUES[field])
      return (record) => hashOf(record) === hash
    },
    differs(field) {
      const hashOf = numbers(VALUES[field])
      const [first] = records
      return first !== undefined && records.some((record) => hashOf(record) !== hashOf(first))
    },
    fieldLength(record, field) {
      lengths ??= joined(layers, (segment) => segment.columns('lengths').lengths, FIELDS)
      return lengths[record * FIELDS + field] ?? 0
    },
  }
}

type Column = Float64Array | Uint32Array | Uint16Array

/** A column of every layer by the numbers of the rows: whole stores are scanned faster in one array. */
function joined(layers: readonly Layer[], pick: (segment: Segment) => Column, width = 1): Column {
  const parts = layers.map(({ segment }) => pick(segment))
  const size = numberOf(layers.length, 0) * width
  const all = parts[0] instanceof Float64Array ? new Float64Array(size) : new Uint32Array(size)
  for (const [at, part] of parts.entries()) all.set(part, numberOf(at, 0) * width)
  return all
}

/** So many records are asked for their children one by one; for more the answer for all is kept. */
const FEW_LEAVES = 8

function relativesOf({ layers }: Known): Pick<RecordTable, 'find' | 'childrenOf' | 'isLeaf'> {
  const hides = (child: number): boolean => {
    const { bits } = segmentWith(layers, child).facts
    const status = STATUSES[statusIn(bits[rowIn(child)] ?? 0)]
    return status === 'ready' || status === 'resumed' || status === 'superseded'
  }
  const childrenOf = (wanted: KeyWords): number[] => {
    const children: number[] = []
    eachEdge(layers, (child, parent) => {
      if (parent.every((word, at) => word === wanted[at])) children.push(child)
    })
    return children
  }
  let asked = 0
  let hidden: Uint8Array | undefined
  const hiddenRows = (): Uint8Array => {
    const marks = new Uint8Array(numberOf(layers.length, 0))
    const find = keysOf(layers)
    eachEdge(layers, (child, parent) => {
      const row = hides(child) ? find(parent) : -1
      if (row >= 0) marks[row] = 1
    })
    return marks
  }
  return {
    isLeaf(record) {
      asked += 1
      if (asked > FEW_LEAVES) hidden ??= hiddenRows()
      if (hidden) return hidden[record] !== 1
      const { key } = segmentWith(layers, record).facts
      return !childrenOf(keyAt(key, rowIn(record))).some(hides)
    },
    find(id) {
      const row = findRow(layers, wordsOfKey(keyOf(id)))
      return row >= 0 && !isProblem(layers, row) ? row : undefined
    },
    childrenOf: (id) => childrenOf(wordsOfKey(keyOf(id.toLowerCase()))),
  }
}

function isProblem(layers: readonly Layer[], number: number): boolean {
  return isProblemIn(segmentWith(layers, number).facts.bits[rowIn(number)] ?? 0)
}

type Files = Pick<
  FileTable,
  'known' | 'files' | 'present' | 'problems' | 'live' | 'filesOf' | 'load' | 'texts'
>

/** So many files are looked for one by one; for more an index of all is made. */
const FEW_FILES = 4000

function filesOf({ layers, records, problems }: Known): Files {
  const texts = (rows: readonly number[]): readonly (readonly string[])[] =>
    blobs(layers, rows, 'texts').map((bytes) => bytes.toString('utf8').split('\u0000'))
  let asked = 0
  let find = (key: KeyWords): number => findRow(layers, key)
  return {
    live: layers.map(liveCount),
    present: records.length + problems.length,
    known(name) {
      asked += 1
      if (asked === FEW_FILES) find = keysOf(layers)
      const row = find(wordsOfKey(keyOf(name.replace(/\.json$/, ''))))
      return row < 0 ? undefined : timeIn(layers, row)
    },
    *files(rows) {
      for (const row of rows ?? records) {
        const { facts } = segmentWith(layers, row)
        yield { name: `${idAt(facts.key, rowIn(row))}.json`, ...timeIn(layers, row) }
      }
      if (rows) return
      for (const [n, { name }] of contents(layers, problems).entries())
        yield { name, ...timeIn(layers, problems[n] ?? 0) }
    },
    problems() {
      const sorted = contents(layers, problems).toSorted((a, b) => (a.name < b.name ? -1 : 1))
      return sorted.flatMap(({ problem }) => problem ?? [])
    },
    load: async (rows) => contents(layers, rows).flatMap(({ row }) => row ?? []),
    texts: async (rows) => texts(rows),
    filesOf(at) {
      const rows = liveRowsOf(layers, at)
      const [found, fields] = [contents(layers, rows), texts(rows)]
      return rows.map((row, n) => {
        const content: Content = found[n] ?? { name: '' }
        return indexedFile({
          ...content,
          ...timeIn(layers, row),
          ...(content.row && { fields: fields[n] ?? [] }),
        })
      })
    },
  }
}

function timeIn(layers: readonly Layer[], row: number): FileTime {
  const { mtime, size } = segmentWith(layers, row).columns('files')
  return { mtimeMs: mtime[rowIn(row)] ?? 0, size: size[rowIn(row)] ?? 0 }
}

interface Content {
  readonly name: string
  readonly row?: RecordRow
  readonly problem?: Problem
}

function contents(layers: readonly Layer[], rows: readonly number[]): readonly Content[] {
  const parts = blobs(layers, rows, 'rows')
  return parts.map((bytes) => JSON.parse(bytes.toString('utf8')) as Content) // as written, by its checksum
}

/** So many rows of one segment are read together. */
const WHOLE_SECTION_ROWS = 64

function blobs(
  layers: readonly Layer[],
  rows: readonly number[],
  section: 'rows' | 'texts',
): readonly Buffer[] {
  const found: Buffer[] = new Array(rows.length)
  const byLayer = layers.map((): { readonly row: number; readonly n: number }[] => [])
  for (const [n, number] of rows.entries()) byLayer[layerIn(number)]?.push({ row: rowIn(number), n })
  for (const [at, { segment }] of layers.entries()) {
    const here = byLayer[at] ?? []
    if (here.length === 0) continue
    const whole = here.length > WHOLE_SECTION_ROWS ? segment.section(section) : undefined
    for (const { row, n } of here) found[n] = blobOf(segment, section, { row, whole })
  }
  return found
}

function blobOf(
  segment: Segment,
  section: 'rows' | 'texts',
  { row, whole }: { readonly row: number; readonly whole: Buffer | undefined },
): Buffer {
  const { rowAt, rowSize, rowCrc, textAt, textSize, textCrc } = segment.columns('places')
  const [at, size, crc] = section === 'rows' ? [rowAt, rowSize, rowCrc] : [textAt, textSize, textCrc]
  const [from, length] = [at[row] ?? 0, size[row] ?? 0]
  const bytes = whole?.subarray(from, from + length) ?? segment.section(section, from, length)
  if (crc32(bytes) !== crc[row]) throw new DamagedSegment(segment.file)
  return bytes
}

function textsOf({ layers }: Known): Pick<RecordTable, 'occurrences'> {
  return {
    async occurrences(word, isPrefix, each) {
      for (const [at, { segment, replaced }] of layers.entries()) {
        const visit = (row: number, field: number, count: number) => {
          if (replaced?.[row] !== 1) each(numberOf(at, row), field, count)
        }
        for (const block of blocksOf(segment.section('blocks'), word, isPrefix)) {
          for (const entry of entriesIn(wholePart(segment, 'words', block), word, isPrefix)) {
            eachPosting(wholePart(segment, 'postings', entry), visit)
          }
        }
      }
    },
  }
}

function wholePart(segment: Segment, section: 'words' | 'postings', entry: WordEntry): Buffer {
  const bytes = segment.section(section, entry[0], entry[1])
  if (!isWhole(bytes, entry)) throw new DamagedSegment(segment.file)
  return bytes
}
