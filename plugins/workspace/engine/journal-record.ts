import { crc32 } from 'node:zlib'
import type { Cell } from '../domain/rows.ts'
import type { TextChange } from './journal-texts.ts'

/** One statement of a record: its number in the fixed table and its positional parameters. */
export type Step = readonly [id: number, values: readonly Cell[]]

/** One committed transaction, with the texts that it brought and gave up. */
export interface JournalRecord extends TextChange {
  readonly seq: number
  /** The highest `seq` known durable when this was appended: all up to it may have been acknowledged. */
  readonly durable: number
  readonly steps: readonly Step[]
}

// u32 length | u32 crc32 | u64 seq | payload, little endian (design workspace-engine 2)
const HEADER_BYTES = 16
export const RECORD_MAX_BYTES = 8 * 1024 * 1024 // design workspace-engine 2

/** A record that is about to be written. */
export interface NewRecord extends JournalRecord {
  /** The UTF-8 of a text that it brings. Absent, also for one text: it is made from the text. */
  readonly contentOf?: (sha256: string) => Buffer | undefined
}

/**
 * The bytes of a record. The checksum covers the generation too, so that blocks of an older journal never read as
 * this one's. The payload is JSON and holds no zero byte, so no content can pass for a header: a `seq` always has one.
 */
export function encodeRecord(generation: number, record: NewRecord): Buffer {
  const rows = JSON.stringify({ f: record.durable, s: record.steps })
  const texts = textsAsJson(record)
  const rowsLength = Buffer.byteLength(rows)
  const length = rowsLength + Math.max(0, texts.length - 1)
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length)
  bytes.writeUInt32LE(length, 0)
  bytes.writeUInt32LE(record.seq % WORD, 8)
  bytes.writeUInt32LE(Math.floor(record.seq / WORD), 12)
  bytes.write(rows, HEADER_BYTES)
  if (texts) {
    // One object of both: the end of the first and the start of the second become the comma between their members.
    const at = HEADER_BYTES + rowsLength - 1
    bytes.write(texts, at, 'latin1')
    bytes[at] = COMMA
  }
  bytes.writeUInt32LE(checksum(generation, bytes.subarray(8)), 4)
  return bytes
}

const WORD = 2 ** 32
const COMMA = 0x2c

/**
 * The texts of a record as a JSON object with a character for each byte of its UTF-8, or '' without any. JSON escapes no
 * character above the quote and the backslash, so these are the bytes that the text itself would give, in half the time.
 */
function textsAsJson({ texts, drops, contentOf }: NewRecord): string {
  if (!texts && !drops) return ''
  const b = texts?.map(([sha256, text]) => [
    sha256,
    text && (contentOf?.(sha256) ?? Buffer.from(text)).toString('latin1'),
  ])
  return JSON.stringify({ b, d: drops })
}

/** What follows the last good record of a journal. */
export type JournalEnd =
  /** Nothing but zeros. */
  | { readonly kind: 'end' }
  /** Bytes that were never acknowledged. */
  | { readonly kind: 'torn'; readonly bytes: number }
  /** A record that was acknowledged is unreadable: `offset` and `seq` say which. */
  | { readonly kind: 'damaged'; readonly offset: number; readonly seq: number }

export interface JournalScan {
  readonly records: readonly JournalRecord[]
  /** Bytes up to the end of the last good record. */
  readonly length: number
  readonly end: JournalEnd
}

/** Reads a journal whose first record must be `firstSeq`. Never throws: damage is a finding. */
export function scanJournal(bytes: Buffer, generation: number, firstSeq: number): JournalScan {
  const records: JournalRecord[] = []
  let offset = 0
  for (;;) {
    const found = recordAt(bytes, offset, generation)
    if (!found || found.record.seq !== firstSeq + records.length) break
    records.push(found.record)
    offset = found.next
  }
  return { records, length: offset, end: endAt(bytes, offset, generation, firstSeq + records.length) }
}

/** How records become bytes and back. */
export interface Codec {
  encode(generation: number, record: NewRecord): Buffer
  scan(bytes: Buffer, generation: number, firstSeq: number): JournalScan
}

export const journalCodec: Codec = { encode: encodeRecord, scan: scanJournal }

function endAt(bytes: Buffer, offset: number, generation: number, seq: number): JournalEnd {
  const last = lastNonZero(bytes, offset)
  if (last < offset) return { kind: 'end' }
  for (let at = offset + 1; at + HEADER_BYTES < bytes.length; at += 1) {
    // A good record further on that was appended when `seq` was durable proves that `seq` was acknowledged. One that
    // was appended before belongs to the same unsynced group, whose sectors may reach the disk in any order.
    const later = plausible(bytes, at, seq) ? recordAt(bytes, at, generation) : undefined
    if (later && later.record.durable >= seq) return { kind: 'damaged', offset, seq }
  }
  return { kind: 'torn', bytes: last + 1 - offset }
}

const SEQ_REACH = 1_000_000 // more records than any journal holds

function plausible(bytes: Buffer, at: number, seq: number): boolean {
  const length = bytes.readUInt32LE(at)
  if (length === 0 || length > RECORD_MAX_BYTES || at + HEADER_BYTES + length > bytes.length) return false
  if (bytes.readUInt32LE(at + 12) > 0x1fffff) return false
  const found = Number(bytes.readBigUInt64LE(at + 8))
  return found > seq && found < seq + SEQ_REACH
}

function recordAt(
  bytes: Buffer,
  offset: number,
  generation: number,
): { record: JournalRecord; next: number } | undefined {
  if (offset + HEADER_BYTES > bytes.length) return undefined
  const length = bytes.readUInt32LE(offset)
  const next = offset + HEADER_BYTES + length
  if (length === 0 || length > RECORD_MAX_BYTES || next > bytes.length) return undefined
  if (bytes.readUInt32LE(offset + 4) !== checksum(generation, bytes.subarray(offset + 8, next)))
    return undefined
  const seq = Number(bytes.readBigUInt64LE(offset + 8))
  // The checksum holds, so these are bytes of ours: they parse.
  const { f, s, b, d } = JSON.parse(bytes.toString('utf8', offset + HEADER_BYTES, next)) as Payload
  return { record: { seq, durable: f, steps: s, ...(b && { texts: b }), ...(d && { drops: d }) }, next }
}

interface Payload {
  readonly f: number
  readonly s: readonly Step[]
  readonly b?: NonNullable<TextChange['texts']>
  readonly d?: readonly string[]
}

let prefix = { generation: -1, crc: 0 } // a room writes many records of one generation

function checksum(generation: number, seqAndPayload: Uint8Array): number {
  if (prefix.generation !== generation) {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(generation))
    prefix = { generation, crc: crc32(bytes) }
  }
  return crc32(seqAndPayload, prefix.crc)
}

function lastNonZero(bytes: Buffer, from: number): number {
  let at = bytes.length - 1
  while (at >= from && bytes[at] === 0) at -= 1
  return at
}
