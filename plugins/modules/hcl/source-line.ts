/** Source text on one line. */
import { skipTrivia } from '../domain/source-text.ts'
import { heredocAt } from './canonical-text.ts'
import { createCursor } from './cursor.ts'
import { scanQuoted } from './scan-value.ts'

/**
 * An expression on one line, without its comments: with them, the rest of it would be one. What looks like a comment in a
 * string stays, as does all of a heredoc but its line ends.
 */
export function sourceLine(text: string): string {
  const parts: string[] = []
  let at = skipTrivia(text, 0)
  while (at < text.length) {
    const end = tokenEnd(text, at)
    const next = skipTrivia(text, end)
    parts.push(text.slice(at, end).replace(/\s*\n\s*/g, ' '), next > end && next < text.length ? ' ' : '')
    at = next
  }
  return parts.join('')
}

function tokenEnd(text: string, at: number): number {
  if (text[at] === '<' && text[at + 1] === '<') return heredocAt(text, at).end
  if (text[at] !== '"') return at + 1
  const cursor = createCursor(text)
  cursor.at = at
  return scanQuoted(cursor) ? cursor.at : text.length
}
