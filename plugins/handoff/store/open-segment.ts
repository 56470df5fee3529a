import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Disk, systemCode } from '../../../server/plugin.ts'
import { EDGE_WORDS, encodeSegment, fitsColumns, HEADER_BYTES, headerIn, type Section } from './segment.ts'
import type { IndexedFile } from './segment-columns.ts'

/** A part of the index, in a file or, until it is saved, in memory. Reads what is asked for. */
export interface Segment {
  /** Absent: not saved. */
  readonly file?: string
  readonly count: number
  readonly columns: Buffer
  /** See `EDGE_WORDS`. */
  readonly edges: Uint32Array
  /** A part of a section; whole sections are checked. */
  section(name: Section, from?: number, length?: number): Promise<Buffer>
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

type ReadPart = (from: number, length: number) => Promise<Buffer>

/** A segment of these files, in memory. */
export function segmentOf(files: readonly IndexedFile[]): Promise<Segment> {
  const bytes = encodeSegment(files)
  return openedSegment((from, length) => Promise.resolve(bytes.subarray(from, from + length)), { bytes })
}

/** A saved segment. Errors: `DamagedSegment`, also for a missing one. */
export function openSegment(disk: Disk, folder: string, file: string): Promise<Segment> {
  return openedSegment(
    async (from, length) => {
      try {
        return await disk.readPart(join(folder, file), from, length)
      } catch (thrown) {
        throw systemCode(thrown) === undefined ? thrown : new DamagedSegment(file)
      }
    },
    { file },
  )
}

async function openedSegment(read: ReadPart, origin: Pick<Segment, 'file' | 'bytes'>): Promise<Segment> {
  const header = headerIn(await read(0, HEADER_BYTES))
  if (!header) throw new DamagedSegment(origin.file)
  const section: Segment['section'] = async (name, from = 0, length) => {
    const [at, size, crc] = header[name]
    const wanted = length ?? size
    const bytes = await read(at + from, wanted)
    const isWhole = wanted === size
    if (bytes.length !== wanted || (isWhole && crc32(bytes) !== crc)) throw new DamagedSegment(origin.file)
    return bytes
  }
  const [columns, edges] = [await section('columns'), await section('edges')]
  if (!fitsColumns(columns.length, header.count) || edges.length % (EDGE_WORDS * 4) !== 0) {
    throw new DamagedSegment(origin.file)
  }
  const words = new Uint32Array(edges.length / 4)
  Buffer.from(words.buffer).set(edges)
  return { ...origin, count: header.count, columns, edges: words, section }
}
