import { SatchelError } from '../../../server/plugin.ts'
import { isJsonObject } from './json-pointer.ts'
import { MAX_DEPTH } from './json-text.ts'

// design handoff, section 7, check `size`
export const MAX_RECORD_BYTES = 1024 * 1024
export const LARGE_RECORD_BYTES = 256 * 1024
export const MAX_ITEMS = 5000
export const MAX_STRING_BYTES = 64 * 1024

/** Refuses to write what is too large to be a record. Errors: `too_large` with the reason of the limit. */
export function refuseTooLarge(text: string, value: unknown): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_RECORD_BYTES) {
    throw tooLarge(
      'record_too_large',
      `The record has ${bytes} bytes; at most ${MAX_RECORD_BYTES} are stored.`,
    )
  }
  const depth = depthOf(value)
  if (depth > MAX_DEPTH) {
    throw tooLarge('too_deep', `The record is nested ${depth} levels deep; at most ${MAX_DEPTH} are stored.`)
  }
  const items = countItems(value)
  if (items > MAX_ITEMS) {
    throw tooLarge('too_many_items', `The record has ${items} items; at most ${MAX_ITEMS} are stored.`)
  }
}

function tooLarge(reason: string, message: string): SatchelError {
  return new SatchelError('too_large', reason, `${message} Shorten it, then try again.`)
}

/** Elements of all lists at the record's top level. */
export function countItems(value: unknown): number {
  if (!isJsonObject(value)) return 0
  let count = 0
  for (const member of Object.values(value)) if (Array.isArray(member)) count += member.length
  return count
}

/** Nesting of objects and lists; counted without recursion. */
export function depthOf(value: unknown): number {
  let deepest = 0
  let level: unknown[] = [value]
  while (level.length > 0) {
    const containers = level.filter((node): node is object => typeof node === 'object' && node !== null)
    if (containers.length === 0) return deepest
    deepest++
    level = containers.flatMap((node) => Object.values(node))
  }
  return deepest
}
