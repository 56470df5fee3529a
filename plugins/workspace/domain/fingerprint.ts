import { createHash, timingSafeEqual } from 'node:crypto'
import { canonicalJson } from '../../../server/plugin.ts'

/** sha256 of UTF-8 text, lower-case hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

/** True when two hex digests are equal; takes the same time wherever they differ. */
export function sameDigest(a: string, b: string): boolean {
  const left = Buffer.from(a, 'hex')
  const right = Buffer.from(b, 'hex')
  return left.length === right.length && timingSafeEqual(left, right)
}

/** The fingerprint of a request: equal for equal JSON values, regardless of the order of keys. */
export function requestHash(operation: string, input: Readonly<Record<string, unknown>>): string {
  return sha256(`${operation}\n${canonicalJson(input)}`)
}
