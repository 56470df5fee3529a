import { isJsonObject, type SatchelError } from '../../../server/plugin.ts'
import { refusals } from '../reasons.ts'
import { MAX_DEPTH } from './json-text.ts'

// design handoff, section 7, check `size`
export const MAX_RECORD_BYTES = 1024 * 1024
export const LARGE_RECORD_BYTES = 256 * 1024
export const MAX_ITEMS = 5000
export const MAX_STRING_BYTES = 64 * 1024
/** Larger files are not read as records. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024
/** Records that one call imports or exports (design handoff-store, section 2). */
export const MAX_BUNDLE_RECORDS = 1000

/** A limit that a record exceeds. */
export interface SizeFault {
  readonly reason: 'record_too_large' | 'too_deep' | 'too_many_items'
  readonly actual: number
  readonly limit: number
}

/** Refuses a record that exceeds a limit. Errors: `too_large` with the reason of the limit. */
export function refuseTooLarge(text: string, value: unknown): void {
  const fault = sizeFault(text, value)
  if (fault) throw tooLarge(fault)
}

/** The first limit that a record exceeds; undefined if there is none. */
export function sizeFault(text: string, value: unknown): SizeFault | undefined {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_RECORD_BYTES) return { reason: 'record_too_large', actual: bytes, limit: MAX_RECORD_BYTES }
  const depth = depthOf(value)
  if (depth > MAX_DEPTH) return { reason: 'too_deep', actual: depth, limit: MAX_DEPTH }
  const items = countItems(value)
  if (items > MAX_ITEMS) return { reason: 'too_many_items', actual: items, limit: MAX_ITEMS }
  return undefined
}

/** The error for a record that exceeds a limit. Nothing was written. */
export function tooLarge(
  { reason, actual, limit }: SizeFault,
  advice = 'Shorten it, then try again.',
  options: Parameters<typeof refusals.record_too_large>[1] = {},
): SatchelError {
  return refusals[reason]({ actual, limit, advice }, options)
}

/** Number of elements in all lists at the top level. */
export function countItems(value: unknown): number {
  if (!isJsonObject(value)) return 0
  let count = 0
  for (const member of Object.values(value)) if (Array.isArray(member)) count += member.length
  return count
}

/** Nesting depth of objects and lists. Iterative, because the value may be deep. */
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
