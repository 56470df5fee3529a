import { isAscii } from 'node:buffer'
import { isJsonObject } from '../../../server/plugin.ts'

/** The format of an index file: what is before its records, between two of them, and behind the last. */
export const RECORDS_START = '"records":[\n'
export const BETWEEN = Buffer.from(',\n')
export const RECORDS_END = Buffer.from('\n]}\n')

/** The JSON of an index file. */
export interface IndexText {
  readonly value: unknown
  /** Where each record begins, and where the one behind the last would; absent for a file that `saveIndex` did not write. */
  readonly starts?: readonly number[] | undefined
}

/** Errors: `SyntaxError`. */
export function parseIndexText(bytes: Buffer): IndexText {
  return parseByLines(bytes) ?? { value: JSON.parse(textOf(bytes)) as unknown }
}

/**
 * Records that are parsed together: a text of the whole file would be memory that is touched once. V8 makes the objects
 * of longer texts otherwise, which took longer.
 */
const PARSED_BYTES = 64 * 1024

/** Undefined where head and records are not JSON by themselves: together they may be, or tell where they are not. */
function parseByLines(bytes: Buffer): IndexText | undefined {
  const head = bytes.indexOf(RECORDS_START)
  const first = head + RECORDS_START.length
  const end = bytes.length - RECORDS_END.length
  if (head === -1 || end < first || !bytes.subarray(end).equals(RECORDS_END)) return undefined
  try {
    const value: unknown = JSON.parse(`${textOf(bytes.subarray(0, first))}]}`)
    const { records, starts } = parseLines(bytes, first, end)
    return isJsonObject(value) ? { value: { ...value, records }, starts } : undefined
  } catch {
    return undefined
  }
}

function parseLines(bytes: Buffer, first: number, end: number) {
  const records: unknown[] = []
  const starts = [first]
  let areRecords = true
  for (let from = first; from < end; ) {
    let to = from
    while (to < end && to - from < PARSED_BYTES) {
      to = lineAfter(bytes, to)
      starts.push(to)
    }
    const text = textOf(bytes.subarray(from, to > end ? end : to - BETWEEN.length))
    for (const record of JSON.parse(`[${text}]`) as unknown[]) {
      areRecords &&= isLine(bytes, starts[records.length], record)
      records.push(record)
      areRecords &&= isEnded(bytes, starts[records.length] ?? 0, end)
    }
    areRecords &&= records.length === starts.length - 1
    from = to
  }
  return { records, starts: areRecords ? starts : undefined }
}

const [BRACE, COMMA, QUOTE] = [0x7d, 0x2c, 0x22]
const OPENING = '{"id":"'

/** Whether a record begins here as `saveIndex` writes it. */
function isLine(bytes: Buffer, start: number | undefined, record: unknown): boolean {
  if (start === undefined || !isJsonObject(record) || typeof record['id'] !== 'string') return false
  const { id } = record as { readonly id: string } // as was just looked at
  const from = start + OPENING.length
  return isAt(bytes, start, OPENING) && isAt(bytes, from, id) && bytes[from + id.length] === QUOTE
}

/** Byte by byte: this is asked for each record. */
function isAt(bytes: Buffer, start: number, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (bytes[start + at] !== text.charCodeAt(at)) return false
  return true
}

/** Whether a record ends with a brace, before what separates it from the next. */
function isEnded(bytes: Buffer, next: number, end: number): boolean {
  if (next > end) return bytes[end - 1] === BRACE
  return bytes[next - BETWEEN.length] === COMMA && bytes[next - BETWEEN.length - 1] === BRACE
}

const NEWLINE = 10

/** Where the next line begins. */
function lineAfter(bytes: Buffer, at: number): number {
  return Uint8Array.prototype.indexOf.call(bytes, NEWLINE, at) + 1
}

function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')
}
