import { classOf, OTHER_CLASS, type SecretSpan } from './secret-values.ts'

const PEM_OPEN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g

/** The private keys in PEM in a text, in order. */
export function pemSpans(text: string): SecretSpan[] {
  const spans: SecretSpan[] = []
  if (!text.includes('-----BEGIN ')) return spans
  let from = 0
  for (const match of text.matchAll(PEM_OPEN)) {
    if (match.index < from) continue
    const bodyAt = match.index + match[0].length
    const close = text.indexOf('-----END ', bodyAt)
    const lineEnd = close < 0 ? -1 : text.indexOf('-----', close + 9)
    const end = lineEnd < 0 ? endOfKey(text, bodyAt) : lineEnd + 5
    if (end === undefined) {
      // Without an end and a body it is a mention; no later one has an end either.
      if (close < 0 && !hasBody(text, bodyAt, text.length)) break
      continue
    }
    spans.push({ rule: 'private_key', start: match.index, end, prefix: '-----BEGIN' })
    from = end
  }
  return spans
}

/** A line of a key's body is not shorter. */
const BODY_CHARS = 40

/** True if 40 letters, digits, `+`, `/` or `=` are in a row. From a unit that breaks the row the next 40 are due. */
function hasBody(text: string, from: number, to: number): boolean {
  const end = Math.min(to, text.length)
  for (let last = from + BODY_CHARS - 1; last < end; ) {
    let row = 0
    while (row < BODY_CHARS && isBodyUnit(text.charCodeAt(last - row))) row++
    if (row === BODY_CHARS) return true
    last += BODY_CHARS - row
  }
  return false
}

function isBodyUnit(unit: number): boolean {
  return classOf(unit) !== OTHER_CLASS || unit === 0x2b || unit === 0x2f || unit === 0x3d
}

/** Lines of a key and of its headers. */
const KEY_LINES = /(?:[A-Za-z0-9+/=:, ."'-]{0,100}(?:\r?\n|\\n|$))*/y

/** Where a key without an end line ends; undefined if it has no body: then the text only speaks of one. */
function endOfKey(text: string, bodyAt: number): number | undefined {
  if (!hasBody(text, bodyAt, bodyAt + 400)) return undefined
  KEY_LINES.lastIndex = bodyAt
  return Math.max(KEY_LINES.exec(text)?.[0].length ?? 0, 0) + bodyAt
}
