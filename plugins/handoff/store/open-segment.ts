import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Disk, systemCode } from '../../../server/plugin.ts'
import { HEADER_BYTES, headerIn, type Section, type SegmentFacts } from './segment.ts'
import { type Columns, type Group, viewOf } from './segment-columns.ts'

/** A part of the index, in a file or, until it is saved, in memory. Reads what is asked for, when it is asked for. */
export interface Segment extends SegmentFacts {
  /** Absent: not saved. */
  readonly file?: string
  /** The columns of a group. Errors: `DamagedSegment`. */
  columns<G extends Group>(group: G): Columns<G>
  /** As `columns`, but valid only until the next call for this group of any segment. */
  passingColumns<G extends Group>(group: G): Columns<G>
  /** See `EDGE_WORDS`. Errors: `DamagedSegment`. */
  edges(): Uint32Array
  /** A part of a section; whole sections are checked. Errors: `DamagedSegment`. */
  section(name: Section, from?: number, length?: number): Buffer
  /** As `section`, but valid only until the next call for this section of any segment, in room that serves all. */
  passing(name: Section, from?: number, length?: number): Buffer
  sizeOf(name: Section): number
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

/** Reads a part of a segment, into `room` where that is given. */
type ReadPart = (from: number, length: number, room?: Buffer) => Buffer

/** A segment of these bytes, in memory. */
export function segmentOf(bytes: Buffer): Segment {
  return openedSegment((from, length) => bytes.subarray(from, from + length), { bytes })
}

/** A saved segment. Errors: `DamagedSegment`, also for a missing one. */
export function openSegment(disk: Disk, folder: string, file: string): Segment {
  const path = join(folder, file)
  const read: ReadPart = (from, length, room = Buffer.allocUnsafeSlow(length)) =>
    readInto(disk, path, { from, into: room.subarray(0, length), file })
  return openedSegment(read, { file })
}

interface Wanted {
  readonly from: number
  readonly into: Buffer
  readonly file: string
}

/** Read on this thread: a turn through the thread pool costs more than a part of a file that was just written. */
function readInto(disk: Disk, path: string, { from, into, file }: Wanted): Buffer {
  try {
    const open = disk.openToReadSync(path)
    try {
      return into.subarray(0, disk.readSync(open, into, from))
    } finally {
      disk.closeSync(open)
    }
  } catch (thrown) {
    throw systemCode(thrown) === undefined ? thrown : new DamagedSegment(file)
  }
}

/** Memory that is touched for the first time costs more than the reading: parts that pass by share it. */
const rooms = new Map<Section | 'header', Buffer>()
const LEAST_ROOM = 16 * 1024

function roomFor(name: Section | 'header', length: number): Buffer {
  const known = rooms.get(name)
  if (known && known.length >= length) return known
  const room = Buffer.allocUnsafeSlow(Math.max(LEAST_ROOM, Math.ceil(length * 1.25)))
  rooms.set(name, room)
  return room
}

function openedSegment(read: ReadPart, origin: Pick<Segment, 'file' | 'bytes'>): Segment {
  const damaged = () => new DamagedSegment(origin.file)
  const header = headerIn(read(0, HEADER_BYTES, roomFor('header', HEADER_BYTES)))
  if (!header) throw damaged()
  const part = (name: Section, from: number, length: number | undefined, room?: Buffer): Buffer => {
    const [at, size, crc] = header[name]
    const wanted = length ?? size
    if (wanted === 0) return Buffer.alloc(0)
    const bytes = read(at + from, wanted, room)
    if (bytes.length !== wanted || (wanted === size && crc32(bytes) !== crc)) throw damaged()
    return bytes
  }
  const section: Segment['section'] = (name, from = 0, length) => part(name, from, length)
  const known = new Map<Group, Columns<Group>>()
  let edges: Uint32Array | undefined
  const { count, problems, newest, range } = header
  const passing: Segment['passing'] = (name, from = 0, length) =>
    part(name, from, length, roomFor(name, length ?? header[name][1]))
  return {
    ...{ ...origin, count, problems, newest, range, section, passing },
    sizeOf: (name) => header[name][1],
    passingColumns: <G extends Group>(group: G) =>
      (known.get(group) as Columns<G> | undefined) ?? viewOf(group, evenly(passing(group)), count), // stored under its name
    columns<G extends Group>(group: G) {
      const columns = known.get(group) ?? viewOf(group, arrayOf(section(group)), count)
      known.set(group, columns)
      return columns as Columns<G> // stored under its name
    },
    edges: () => {
      edges ??= new Uint32Array(arrayOf(section('edges')))
      return edges
    },
  }
}

/** The bytes where a view can begin. */
function evenly(bytes: Buffer): ArrayBuffer {
  return (bytes.byteOffset === 0 ? bytes.buffer : arrayOf(bytes)) as ArrayBuffer // never shared between threads
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
