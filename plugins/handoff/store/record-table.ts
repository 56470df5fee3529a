import { FLAGS, RELATIONS, STATUSES } from '../domain/record.ts'
import type { RecordTable, ValueField } from '../domain/record-table.ts'
import {
  eachEdge,
  findRow,
  keysOf,
  type Layer,
  layerIn,
  liveCount,
  liveProblems,
  liveRecords,
  numberOf,
  recordCount,
  recordsOf,
  rowIn,
  segmentWith,
} from './layers.ts'
import type { Segment } from './open-segment.ts'
import type { Problem } from './read-record.ts'
import { batchesOf } from './record-batches.ts'
import { blobs, contents } from './row-content.ts'
import { type KeyWords, keyAt, wordsOfKey } from './segment.ts'
import {
  flagsIn,
  type Group,
  idAt,
  isProblemIn,
  isSkeletonIn,
  keyOf,
  relationIn,
  statusIn,
  textHash,
} from './segment-columns.ts'

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
}

/** A table of these segments. Nothing is read before it is asked for. */
export function tableOf(layers: readonly Layer[]): FileTable {
  let records: Int32Array | undefined
  let batches: ReturnType<typeof batchesOf> | undefined
  const known: Known = {
    layers,
    records: () => {
      records ??= liveRecords(layers)
      return records
    },
  }
  return {
    ...{ ...factsOf(known), ...valuesOf(known), ...relativesOf(known), ...filesOf(known) },
    get batches() {
      batches ??= batchesOf(layers)
      return batches
    },
    get records() {
      return known.records()
    },
    get count() {
      return layers.reduce((sum, layer) => sum + recordCount(layer), 0)
    },
  }
}

interface Known {
  readonly layers: readonly Layer[]
  /** The records that count. */
  records(): Int32Array
}

type Facts = Pick<
  RecordTable,
  'size' | 'id' | 'updatedMs' | 'createdMs' | 'status' | 'hasFlag' | 'relation' | 'isSkeleton'
>

function factsOf({ layers }: Known): Facts {
  const bits = numbersIn(layers, (segment) => segment.columns('states').bits)
  return {
    size: numberOf(layers.length, 0),
    id: (record) => idAt(segmentWith(layers, record).columns('keys').key, rowIn(record)),
    updatedMs: numbersIn(layers, (segment) => segment.columns('times').updated),
    createdMs: numbersIn(layers, (segment) => segment.columns('rare').created),
    status: (record) => STATUSES[statusIn(bits(record))] ?? 'draft',
    hasFlag: (record, flag) => (flagsIn(bits(record)) & (1 << FLAGS.indexOf(flag))) !== 0,
    relation: (record) => RELATIONS[relationIn(bits(record))] ?? 'root',
    isSkeleton: (record) => isSkeletonIn(bits(record)),
  }
}

type Column = Float64Array | Uint32Array | Uint16Array

/** A column by the numbers of records. Of each segment it is read when a record of it is asked for. */
function numbersIn(layers: readonly Layer[], pick: (segment: Segment) => Column): (record: number) => number {
  const columns: (Column | undefined)[] = layers.map(() => undefined)
  return (record) => {
    const at = layerIn(record)
    const column = columns[at] ?? pick(segmentWith(layers, record))
    columns[at] = column
    return column[rowIn(record)] ?? 0
  }
}

/** The fields whose values are compared as numbers, with the groups that have them. */
const GROUP_OF = {
  project: 'origins',
  branch: 'origins',
  session: 'owners',
  claim: 'owners',
  harness: 'rare',
  actor: 'rare',
  idempotency: 'rare',
} as const satisfies Readonly<Record<ValueField, Group>>

function hashesIn(
  columns: Partial<Readonly<Record<ValueField, Uint32Array>>>,
  field: ValueField,
): Uint32Array {
  return columns[field] ?? new Uint32Array(0)
}

function valuesOf({ layers }: Known): Pick<RecordTable, 'hasValue' | 'withValue' | 'hasAny' | 'differs'> {
  /** The records with this number in a column, by a search that the engine has built in. */
  function* withHash(field: ValueField, hash: number): Iterable<number> {
    for (const [at, { segment, replaced }] of layers.entries()) {
      const column = hashesIn(segment.passingColumns(GROUP_OF[field]), field)
      for (let row = column.indexOf(hash); row >= 0; row = column.indexOf(hash, row + 1)) {
        if (replaced?.[row] !== 1 && !isProblem(layers, numberOf(at, row))) yield numberOf(at, row)
      }
    }
  }
  const hashOf = (field: ValueField) =>
    numbersIn(layers, (segment) => hashesIn(segment.columns(GROUP_OF[field]), field))
  return {
    hasValue(field, value) {
      const [hash, hashIn] = [textHash(value), hashOf(field)]
      return (record) => hashIn(record) === hash
    },
    withValue: (field, value) => [...withHash(field, textHash(value))],
    hasAny(field, value) {
      for (const _ of withHash(field, textHash(value))) return true
      return false
    },
    differs(field) {
      let value: number | undefined
      for (const [at, { segment }] of layers.entries()) {
        const column = hashesIn(segment.passingColumns(GROUP_OF[field]), field)
        const rows = isUniform(column) ? recordsOf(layers, at).subarray(0, 1) : recordsOf(layers, at)
        for (const record of rows) {
          value ??= column[rowIn(record)]
          if (column[rowIn(record)] !== value) return true
        }
      }
      return false
    },
  }
}

/** Whether all numbers are equal: each to the next one, by one comparison of bytes. */
function isUniform(column: Uint32Array): boolean {
  const bytes = Buffer.from(column.buffer, column.byteOffset, column.byteLength)
  const size = column.BYTES_PER_ELEMENT
  return bytes.length === 0 || bytes.subarray(size).equals(bytes.subarray(0, -size))
}

/** So many records are asked for their children one by one; for more the answer for all is kept. */
const FEW_LEAVES = 8

function relativesOf({ layers }: Known): Pick<RecordTable, 'find' | 'childrenOf' | 'isLeaf'> {
  const hides = (child: number): boolean => {
    const { bits } = segmentWith(layers, child).columns('states')
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
      const { key } = segmentWith(layers, record).columns('keys')
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
  const segment = segmentWith(layers, number)
  return segment.problems > 0 && isProblemIn(segment.columns('states').bits[rowIn(number)] ?? 0)
}

type Files = Pick<FileTable, 'known' | 'files' | 'present' | 'problems' | 'load' | 'texts'>

/** So many files are looked for one by one; for more an index of all is made. */
const FEW_FILES = 4000

function filesOf({ layers, records }: Known): Files {
  const texts = (rows: readonly number[]): readonly (readonly string[])[] =>
    blobs(layers, rows, 'texts').map((bytes) => bytes.toString('utf8').split('\u0000'))
  let asked = 0
  let find = (key: KeyWords): number => findRow(layers, key)
  return {
    present: layers.reduce((sum, layer) => sum + liveCount(layer), 0),
    known(name) {
      asked += 1
      if (asked === FEW_FILES) find = keysOf(layers)
      const row = find(wordsOfKey(keyOf(name.replace(/\.json$/, ''))))
      return row < 0 ? undefined : timeIn(layers, row)
    },
    *files(rows) {
      for (const row of rows ?? records()) {
        const { key } = segmentWith(layers, row).columns('keys')
        yield { name: `${idAt(key, rowIn(row))}.json`, ...timeIn(layers, row) }
      }
      if (rows) return
      const problems = liveProblems(layers)
      for (const [n, { name }] of contents(layers, problems).entries())
        yield { name, ...timeIn(layers, problems[n] ?? 0) }
    },
    problems() {
      const sorted = contents(layers, liveProblems(layers)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
      return sorted.flatMap(({ problem }) => problem ?? [])
    },
    load: async (rows) => contents(layers, rows).flatMap(({ row }) => row ?? []),
    texts: async (rows) => texts(rows),
  }
}

function timeIn(layers: readonly Layer[], row: number): FileTime {
  const { mtime, size } = segmentWith(layers, row).columns('files')
  return { mtimeMs: mtime[rowIn(row)] ?? 0, size: size[rowIn(row)] ?? 0 }
}
