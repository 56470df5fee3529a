/** Maximum length of a line in bytes (mcp, section 10). */
export const LINE_MAX_BYTES = 10 * 1024 * 1024

const NEWLINE = 0x0a

/** The result of a line reader. `not_utf8` and `too_long` replace one line each. */
export type Line =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'not_utf8' }
  | { readonly kind: 'too_long' }

/**
 * Splits bytes into lines: at most 10 MiB each, strict UTF-8, `\r\n` accepted, blank lines skipped. A last line
 * without newline is dropped. Returns the function that takes the next chunk.
 */
export function createLineReader(found: (line: Line) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let parts: Buffer[] = []
  let bytes = 0
  let skipping = false

  const keep = (part: Buffer): void => {
    if (skipping) return
    bytes += part.length
    parts.push(part)
    if (bytes <= LINE_MAX_BYTES) return
    skipping = true
    parts = []
    found({ kind: 'too_long' })
  }
  const end = (): void => {
    if (!skipping) report(Buffer.concat(parts, bytes))
    parts = []
    bytes = 0
    skipping = false
  }
  const report = (line: Buffer): void => {
    let text: string
    try {
      text = decoder.decode(line).trim()
    } catch {
      found({ kind: 'not_utf8' })
      return
    }
    if (text !== '') found({ kind: 'text', text })
  }

  return (chunk) => {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      keep(chunk.subarray(from, at))
      end()
      from = at + 1
    }
    if (from < chunk.length) keep(chunk.subarray(from))
  }
}
