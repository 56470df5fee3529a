import { createHash } from 'node:crypto'
import { parsedJson } from './json-object.ts'

/** The place of a row in an order: no two rows have the same. */
export type CursorKey = readonly (string | number)[]

/** Longest cursor that is read, in characters. */
const MAX_CHARS = 4000

/** A short name of the question that pages answer; members that are undefined do not count. */
export function questionName(question: Readonly<Record<string, unknown>>): string {
  const canonical = Object.entries(question)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 12)
}

/** An opaque cursor: the question and the key of the last row of a page. */
export function cursorOf(question: string, key: CursorKey): string {
  return Buffer.from(JSON.stringify([question, ...key])).toString('base64url')
}

/** The key in a cursor; undefined when it is malformed or belongs to another question. */
export function keyIn(cursor: string, question: string): CursorKey | undefined {
  if (cursor.length > MAX_CHARS) return undefined
  const parts = parsedJson(Buffer.from(cursor, 'base64url').toString('utf8'))
  const isKey =
    Array.isArray(parts) && parts.every((part) => typeof part === 'string' || typeof part === 'number')
  return isKey && parts[0] === question ? parts.slice(1) : undefined
}

/** The whole number, 0 or more, that a cursor of one number holds; undefined as for `keyIn`. */
export function numberIn(cursor: string, question: string): number | undefined {
  const [number, ...more] = keyIn(cursor, question) ?? []
  const isNumber = typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
  return isNumber && more.length === 0 ? number : undefined
}

/** Negative when `a` is before `b`. */
export function compareKeys(a: CursorKey, b: CursorKey): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? ''
    if (left < right) return -1
    if (left > right) return 1
  }
  return 0
}
