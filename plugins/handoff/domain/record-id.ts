import { createHash } from 'node:crypto'

/** Record ids and names derived from hashes. */

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
const FRAGMENT = /^[0-9a-f]{4,32}$/
/** Share of equal digits from which an id counts as near a mistyped one. */
const NEAR_SHARE = 0.75
const MAX_NEAR = 5

/** Random bytes from the caller's source. */
export type RandomBytes = (size: number) => Uint8Array

/** A version 7 uuid: 48 bits of milliseconds, then 74 random bits; later ones sort after earlier ones. */
export function newRecordId(nowMs: number, random: RandomBytes): string {
  const time = Math.max(0, Math.floor(nowMs)).toString(16).padStart(12, '0').slice(-12)
  const noise = Buffer.from(random(10)).toString('hex')
  const variant = (8 + (Number.parseInt(noise[3] ?? '0', 16) % 4)).toString(16)
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${noise.slice(0, 3)}`,
    `${variant}${noise.slice(4, 7)}`,
    noise.slice(8, 20),
  ].join('-')
}

/** True for a uuid of any case, version and variant. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/** The last 8 hex digits, as shown in lists; the first 8 of a version 7 uuid are only a time. */
export function shortId(id: string): string {
  return id.slice(-8).toLowerCase()
}

/** The id in what shows one: the address of a resource, a file of the store, digits after or before an ellipsis. */
export function idIn(given: string): string {
  const shown = given.trim().replace(/^(?:\u2026|\.{3})|(?:\u2026|\.{3})$/g, '')
  const named = /^handoff:\/\/([^/]+)(?:\/brief)?$/i.exec(shown) ?? /^(?:.*\/)?([^/]+)\.json$/i.exec(shown)
  return named?.[1] ?? shown
}

/** Ids that start or end with these hex digits, at least 4; hyphens are ignored. */
export function matchingIds(fragment: string, ids: readonly string[]): readonly string[] {
  const wanted = digitsOf(fragment)
  if (!FRAGMENT.test(wanted)) return []
  return ids.filter((id) => {
    const digits = digitsOf(id)
    return digits.startsWith(wanted) || digits.endsWith(wanted)
  })
}

/** At most five ids that a mistyped id or fragment may mean: most of its digits agree with their start or end. Best first. */
export function nearIds(mistyped: string, ids: readonly string[]): readonly string[] {
  const wanted = digitsOf(mistyped)
  if (!FRAGMENT.test(wanted)) return []
  return ids
    .map((id) => {
      const digits = digitsOf(id)
      const ends = [digits.slice(0, wanted.length), digits.slice(-wanted.length)]
      return { id, equal: Math.max(...ends.map((end) => equalDigits(wanted, end))) }
    })
    .filter(({ equal }) => equal >= wanted.length * NEAR_SHARE)
    .sort((a, b) => b.equal - a.equal)
    .slice(0, MAX_NEAR)
    .map(({ id }) => id)
}

function equalDigits(a: string, b: string): number {
  return [...a].filter((digit, index) => digit === b[index]).length
}

function digitsOf(id: string): string {
  return id.toLowerCase().replaceAll('-', '')
}

/** SHA-256 of bytes or of a text's UTF-8, in hex. */
export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** `sha256:<hex>`. */
export function sha256(content: string | Uint8Array): string {
  return `sha256:${sha256Hex(content)}`
}

/** True for `sha256:<hex>` of any case. */
export function isSha256(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/i.test(text)
}

/** The name of a harness session in records. The real id is never written to a file. */
export function sessionName(sessionId: string): string {
  if (/^s-[0-9a-f]{16}$/.test(sessionId)) return sessionId
  return `s-${sha256Hex(sessionId).slice(0, 16)}`
}
