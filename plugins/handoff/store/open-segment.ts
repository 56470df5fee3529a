import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Disk, systemCode } from '../../../server/plugin.ts'
import { HEADER_BYTES, headerIn, SEGMENT_ROWS, type Section } from './segment.ts'
import { type Columns, type Group, rowBytes, viewOf } from './segment-columns.ts'

/** A part of the index, in a file or, until it is saved, in memory. Reads what is asked for, when it is asked for. */
export interface Segment {
  /** Absent: not saved. */
  readonly file?: string
  readonly count: number
  readonly facts: Columns<'facts'>
  /** The columns of a group. Errors: `DamagedSegment`. */
  columns<G extends Group>(group: G): Columns<G>
  /** See `EDGE_WORDS`. Errors: `DamagedSegment`. */
  edges(): Uint32Array
  /** A part of a section; whole sections are checked. Errors: `DamagedSegment`. */
  section(name: Section, from?: number, length?: number): Buffer
  /** The bytes of the whole segment; only of one that is not saved. */
  readonly bytes?: Buffer
}

/** A segment is not what was written: it is dropped, and its files are read again. */
export class DamagedSegment extends Error {
  readonly file: string | undefined

  constructor(file: string | undefined) {
    super('a segment of the index is damaged')
    this.file = file
  }
}

type ReadPart = (from: number, length: number) => Buffer

/** A segment of these bytes, in memory. */
export function segmentOf(bytes: Buffer): Segment {
  return openedSegment((from, length) => bytes.subarray(from, from + length), { bytes })
}

/** A saved segment. Errors: `DamagedSegment`, also for a missing one. */
export function openSegment(disk: Disk, folder: string, file: string): Segment {
  return openedSegment((from, length) => readPart(disk, { path: join(folder, file), from, length }, file), {
    file,
  })
}

/** Read on this thread: a turn through the thread pool costs more than a part of a file that was just written. */
function readPart(
  disk: Disk,
  { path, from, length }: { readonly path: string; readonly from: number; readonly length: number },
  name: string,
): Buffer {
  try {
    const file = disk.openToReadSync(path)
    try {
      const bytes = Buffer.allocUnsafeSlow(length)
      return bytes.subarray(0, disk.readSync(file, bytes, from))
    } finally {
      disk.closeSync(file)
    }
  } catch (thrown) {
    throw systemCode(thrown) === undefined ? thrown : new DamagedSegment(name)
  }
}

/** What nearly every question asks is read with the header. */
const FIRST_BYTES = HEADER_BYTES + SEGMENT_ROWS * rowBytes('facts')

function openedSegment(read: ReadPart, origin: Pick<Segment, 'file' | 'bytes'>): Segment {
  const damaged = () => new DamagedSegment(origin.file)
  const first = read(0, FIRST_BYTES)
  const header = headerIn(first.subarray(0, HEADER_BYTES))
  if (!header) throw damaged()
  const checked = (name: Section, bytes: Buffer): Buffer => {
    const [, size, crc] = header[name]
    if (bytes.length !== size || crc32(bytes) !== crc) throw damaged()
    return bytes
  }
  const section: Segment['section'] = (name, from = 0, length) => {
    const [at, size] = header[name]
    const wanted = length ?? size
    const bytes = read(at + from, wanted)
    if (bytes.length !== wanted) throw damaged()
    return wanted === size ? checked(name, bytes) : bytes
  }
  const [at, size] = header.facts
  const facts = viewOf('facts', arrayOf(checked('facts', first.subarray(at, at + size))), header.count)
  const known = new Map<Group, Columns<Group>>([['facts', facts]])
  let edges: Uint32Array | undefined
  return {
    ...origin,
    count: header.count,
    facts,
    section,
    columns<G extends Group>(group: G) {
      const columns = known.get(group) ?? viewOf(group, arrayOf(section(group)), header.count)
      known.set(group, columns)
      return columns as Columns<G> // stored under its name
    },
    edges: () => {
      edges ??= new Uint32Array(arrayOf(section('edges')))
      return edges
    },
  }
}

/** The bytes with an array of their own: views need their positions even. */
function arrayOf(bytes: Buffer): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = bytes
  return (
    byteOffset === 0 && byteLength === buffer.byteLength
      ? buffer
      : buffer.slice(byteOffset, byteOffset + byteLength)
  ) as ArrayBuffer // never shared between threads
}
