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
const PAGES_KEPT = 128

interface Head {
  readonly meta: unknown
  /** Name -> offset behind the head, and length. */
  readonly sections: Readonly<Record<string, readonly [offset: number, length: number]>>
  readonly checksums: { readonly offset: number; readonly crc: number }
}

/** The bytes of a section file. */
export function sectionFileBytes(meta: unknown, sections: Readonly<Record<string, Uint8Array>>): Buffer {
  const places: Record<string, readonly [number, number]> = {}
  let offset = 0
  for (const [name, bytes] of Object.entries(sections)) {
    places[name] = [offset, bytes.length]
    offset = aligned(offset + bytes.length)
  }
  const body = Buffer.alloc(offset)
  for (const [name, bytes] of Object.entries(sections)) body.set(bytes, places[name]?.[0] ?? 0)
  const checksums = checksumsOf(body)
  const head = { meta, sections: places, checksums: { offset, crc: crc32(checksums) } } satisfies Head
  const text = Buffer.from(JSON.stringify(head))
  const start = aligned(PREAMBLE_BYTES + text.length)
  const file = Buffer.alloc(start)
  file.write(MAGIC, 'latin1')
  file.writeUInt32LE(FORMAT, 8)
  file.writeUInt32LE(text.length, 12)
  file.writeUInt32LE(crc32(text), 16)
  file.set(text, PREAMBLE_BYTES)
  return Buffer.concat([file, body, checksums])
}

/** Opens a section file; the caller closes it. Errors: `DamagedFile`. */
export function openSectionFile(source: ByteSource): SectionFile {
  const { head, start } = readHead(source)
  const { offset: bodyBytes, crc } = head.checksums
  const checksums = exactly(source, start + bodyBytes, Math.ceil(bodyBytes / PAGE_BYTES) * 4)
  if (crc32(checksums) !== crc) throw new DamagedFile('its checksums are damaged')
  const checked = new Uint8Array(checksums.length / 4)
  const kept = keepRecent<number, Buffer>(PAGES_KEPT)
  const read = (section: string, from: number, to: number): Buffer => {
    const [offset = 0, length = 0] = head.sections[section] ?? []
    if (from < 0 || to > length || from > to) throw new DamagedFile(`its section ${section} is too short`)
    const first = Math.floor((offset + from) / PAGE_BYTES)
    const last = Math.ceil((offset + to) / PAGE_BYTES)
    const begin = first * PAGE_BYTES
    const pages = last - first === 1 ? page(first) : checkedPages(first, last)
    return pages.subarray(offset + from - begin, offset + to - begin)
  }
  const page = (number: number): Buffer => kept.get(number, () => checkedPages(number, number + 1))
  const checkedPages = (first: number, last: number): Buffer => {
    const begin = first * PAGE_BYTES
    const pages = exactly(source, start + begin, Math.min(last * PAGE_BYTES, bodyBytes) - begin)
    for (let page = first; page < last; page++) {
      if (checked[page] === 1) continue
      const bytes = pages.subarray((page - first) * PAGE_BYTES, (page - first + 1) * PAGE_BYTES)
      if (crc32(bytes) !== checksums.readUInt32LE(page * 4)) throw new DamagedFile('a part of it is damaged')
      checked[page] = 1
    }
    return pages
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

function readHead(source: ByteSource): { readonly head: Head; readonly start: number } {
  const preamble = exactly(source, 0, PREAMBLE_BYTES)
  if (preamble.toString('latin1', 0, MAGIC.length) !== MAGIC)
    throw new DamagedFile('it is no file of satchel')
  const format = preamble.readUInt32LE(8)
  if (format > FORMAT) throw new DamagedFile('a newer version of satchel wrote it', format)
  const length = preamble.readUInt32LE(12)
  if (format !== FORMAT || length > source.size) throw new DamagedFile('its head is damaged')
  const text = exactly(source, PREAMBLE_BYTES, length)
  if (crc32(text) !== preamble.readUInt32LE(16)) throw new DamagedFile('its head is damaged')
  return { head: JSON.parse(text.toString('utf8')) as Head, start: aligned(PREAMBLE_BYTES + length) } // as written: the checksum fits
}

function checksumsOf(body: Buffer): Buffer {
  const checksums = Buffer.alloc(Math.ceil(body.length / PAGE_BYTES) * 4)
  for (let page = 0; page * PAGE_BYTES < body.length; page++) {
    const bytes = body.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES)
    checksums.writeUInt32LE(crc32(bytes), page * 4)
  }
  return checksums
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
    const file = disk.openToReadSync(path)
    const size = disk.sizeSync(file)
    let isOpen = true
    return {
      size,
      read: (into, at) => disk.readSync(file, into, at),
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
