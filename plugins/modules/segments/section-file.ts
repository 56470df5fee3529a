import { crc32 } from 'node:zlib'
import { type Disk, keepRecent, systemCode } from '../../../server/plugin.ts'

/**
 * A file of named sections that is written once and read where it is needed. Each page has a checksum that is compared
 * when the page is read, so damage is an error and never another answer.
 */
export interface SectionFile {
  readonly bytes: number
  /** What the writer said about the sections. */
  readonly meta: unknown
  /** Bytes of a section; 0 where there is none. */
  lengthOf(section: string): number
  /** A part of a section, never to be changed. Starts at a multiple of 8 in memory when `from` is 0. Errors: `DamagedFile`. */
  read(section: string, from: number, to: number): Buffer
  whole(section: string): Buffer
  close(): void
}

/** A file that is not what was written. */
export class DamagedFile extends Error {
  /** A newer version of satchel wrote it. */
  readonly format: number | undefined

  constructor(why: string, format?: number) {
    super(why)
    this.format = format
  }
}

/** Where the bytes of a section file are. */
export interface ByteSource {
  readonly size: number
  /** Fills `into` from `at`; fewer bytes where the source ends. */
  read(into: Buffer, at: number): number
  close(): void
}

const MAGIC = 'satchel\n'
const FORMAT = 1
const PREAMBLE_BYTES = 32
const PAGE_BYTES = 16 * 1024
/** Pages of one file that stay in memory: small parts of a few records are read again and again. */
const PAGES_KEPT = 512

interface Head {
  readonly meta: unknown
  /** Name -> offset behind the head, and length. */
  readonly sections: Readonly<Record<string, readonly [offset: number, length: number]>>
  readonly checksums: { readonly offset: number; readonly crc: number }
}

/**
 * The bytes of a section, in one piece or in several that follow one another. Pieces are visited twice, and each is
 * used before the next is asked for: one that is made on the way may be in memory that the next one needs.
 */
export type SectionBytes = Uint8Array | Iterable<Uint8Array>

/** The bytes of a section file; they are copied once, because they may be hundreds of megabytes. */
export function sectionFileBytes(meta: unknown, sections: Readonly<Record<string, SectionBytes>>): Buffer {
  const places: Record<string, readonly [number, number]> = {}
  let offset = 0
  for (const [name, bytes] of Object.entries(sections)) {
    let length = 0
    for (const piece of piecesOf(bytes)) length += piece.length
    places[name] = [offset, length]
    offset = aligned(offset + length)
  }
  const headOf = (crc: number): Buffer =>
    Buffer.from(JSON.stringify({ meta, sections: places, checksums: { offset, crc } } satisfies Head))
  const headBytes = headOf(0xffffffff).length // the longest one; spaces fill a shorter one up
  const start = aligned(PREAMBLE_BYTES + headBytes)
  const pages = Math.ceil(offset / PAGE_BYTES)
  const file = Buffer.alloc(start + offset + pages * 4)
  for (const [name, bytes] of Object.entries(sections)) {
    let at = start + (places[name]?.[0] ?? 0)
    for (const piece of piecesOf(bytes)) {
      file.set(piece, at)
      at += piece.length
    }
  }
  const checksums = file.subarray(start + offset)
  writeChecksums(file.subarray(start, start + offset), checksums)
  const text = file.subarray(PREAMBLE_BYTES, PREAMBLE_BYTES + headBytes).fill(' ')
  text.set(headOf(crc32(checksums)))
  file.write(MAGIC, 'latin1')
  file.writeUInt32LE(FORMAT, 8)
  file.writeUInt32LE(headBytes, 12)
  file.writeUInt32LE(crc32(text), 16)
  return file
}

function piecesOf(bytes: SectionBytes): Iterable<Uint8Array> {
  return bytes instanceof Uint8Array ? [bytes] : bytes
}

/** Opens a section file; the caller closes it. Errors: `DamagedFile`. */
export function openSectionFile(source: ByteSource): SectionFile {
  const { head, start } = readHead(source)
  const pagesOf = pageReader(source, start, head.checksums)
  const read = (section: string, from: number, to: number): Buffer => {
    const [offset = 0, length = 0] = head.sections[section] ?? []
    if (from < 0 || to > length || from > to) throw new DamagedFile(`its section ${section} is too short`)
    const first = Math.floor((offset + from) / PAGE_BYTES)
    const pages = pagesOf(first, Math.ceil((offset + to) / PAGE_BYTES))
    const begin = first * PAGE_BYTES
    return pages.subarray(offset + from - begin, offset + to - begin)
  }
  const lengthOf = (section: string): number => head.sections[section]?.[1] ?? 0
  return {
    bytes: source.size,
    meta: head.meta,
    lengthOf,
    read,
    whole: (section) => read(section, 0, lengthOf(section)),
    close: source.close,
  }
}

type PageReader = (first: number, last: number) => Buffer

/** Reads whole pages from the `first` to before the `last`; each is compared with its checksum once. */
function pageReader(source: ByteSource, start: number, { offset, crc }: Head['checksums']): PageReader {
  const checksums = exactly(source, start + offset, Math.ceil(offset / PAGE_BYTES) * 4)
  if (crc32(checksums) !== crc) throw new DamagedFile('its checksums are damaged')
  const checked = new Uint8Array(checksums.length / 4)
  const check = (page: number, bytes: Buffer): void => {
    if (checked[page] === 1) return
    if (crc32(bytes) !== checksums.readUInt32LE(page * 4)) throw new DamagedFile('a part of it is damaged')
    checked[page] = 1
  }
  const checkedPages: PageReader = (first, last) => {
    const begin = first * PAGE_BYTES
    const pages = exactly(source, start + begin, Math.min(last * PAGE_BYTES, offset) - begin)
    for (let page = first; page < last; page++)
      check(page, pages.subarray((page - first) * PAGE_BYTES, (page - first + 1) * PAGE_BYTES))
    return pages
  }
  const kept = keepRecent<number, Buffer>(PAGES_KEPT)
  return (first, last) =>
    last - first === 1 ? kept.get(first, () => checkedPages(first, last)) : checkedPages(first, last)
}

function readHead(source: ByteSource): { readonly head: Head; readonly start: number } {
  const preamble = exactly(source, 0, PREAMBLE_BYTES)
  if (preamble.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new DamagedFile('it is not a file of satchel')
  const format = preamble.readUInt32LE(8)
  if (format > FORMAT) throw new DamagedFile('a newer version of satchel wrote it', format)
  const length = preamble.readUInt32LE(12)
  if (format !== FORMAT || length > source.size) throw new DamagedFile('its head is damaged')
  const text = exactly(source, PREAMBLE_BYTES, length)
  if (crc32(text) !== preamble.readUInt32LE(16)) throw new DamagedFile('its head is damaged')
  return { head: JSON.parse(text.toString('utf8')) as Head, start: aligned(PREAMBLE_BYTES + length) } // as written: the checksum fits
}

function writeChecksums(body: Buffer, into: Buffer): void {
  for (let page = 0; page * PAGE_BYTES < body.length; page++)
    into.writeUInt32LE(crc32(body.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)), page * 4)
}

function exactly(source: ByteSource, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length) // not from the pool: typed arrays need its start aligned
  if (at + length > source.size || source.read(bytes, at) !== length) throw new DamagedFile('it is cut off')
  return bytes
}

function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8
}

/** Bytes in memory. */
export function memorySource(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (into, at) => bytes.copy(into, 0, at), close: () => {} }
}

/** An open file; undefined where there is none. A file that is replaced or removed meanwhile stays readable. */
export function fileSource(path: string, disk: Disk): ByteSource | undefined {
  try {
    const file = unlessFolder(() => disk.openToReadSync(path))
    const size = disk.sizeSync(file)
    let isOpen = true
    return {
      size,
      read: (into, at) => unlessFolder(() => disk.readSync(file, into, at)),
      close: () => {
        if (isOpen) disk.closeSync(file)
        isOpen = false
      },
    }
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT' || systemCode(thrown) === 'ENOTDIR') return undefined
    throw thrown
  }
}

/** What `read` gives; a folder in the place of the file is damage, too. */
export function unlessFolder<T>(read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    if (systemCode(thrown) === 'EISDIR') throw new DamagedFile('a folder is in its place')
    throw thrown
  }
}
