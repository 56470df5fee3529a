/** Longest token header to inspect. A text may hold a hundred thousand tokens, so they share one buffer. */
const HEADER_CHARS = 4000
const headerBytes = Buffer.alloc(HEADER_CHARS)

/** The header that was inspected last: a text often repeats one. */
let lastHeader = { text: '', isJwt: false }

/** True if the header is an object with an algorithm. Does not parse it, which would allocate too much. */
export function isJwt(token: string): boolean {
  const text = token.slice(0, Math.min(token.indexOf('.'), HEADER_CHARS))
  if (text === lastHeader.text) return lastHeader.isJwt
  const size = headerBytes.write(text, 'base64url')
  const header = headerBytes.toString('latin1', 0, size)
  lastHeader = { text, isJwt: /^\s*\{/.test(header) && /"alg"\s*:/.test(header) }
  return lastHeader.isJwt
}
