import { createHash } from 'node:crypto'

/** Where a row stands in an order: no two rows have the same. */
export type Key = readonly (string | number)[]

/** A name of the question that a page answers; members that are undefined do not count. */
export function questionName(question: Readonly<Record<string, unknown>>): string {
  const canonical = Object.entries(question)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(canonical)).digest('hex').slice(0, 12)
}

/** An opaque cursor: the key of the last row of a page. */
export function cursorOf(question: string, key: Key): string {
  return Buffer.from(JSON.stringify([question, ...key])).toString('base64url')
}

/** The key in a cursor; undefined when it is none, or belongs to another question. */
export function keyIn(cursor: string, question: string): Key | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor.slice(0, 4000), 'base64url').toString('utf8'))
    const isKey =
      Array.isArray(parts) && parts.every((part) => typeof part === 'string' || typeof part === 'number')
    return isKey && parts[0] === question ? parts.slice(1) : undefined
  } catch {
    return undefined
  }
}

export function compareKeys(a: Key, b: Key): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? ''
    if (left < right) return -1
    if (left > right) return 1
  }
  return 0
}
