/** Source text of values: how it is shown, and what may appear between its tokens. */
import { endOfLine, isBlockComment, isLineComment } from './cursor.ts'

/**
 * The text of an expression as it is shown: CRLF -> LF and the indentation that all lines but the first share removed.
 * Text that holds a heredoc is left as it is: its indentation means something.
 */
export function tidySource(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const [first = '', ...rest] = lines
  if (rest.length === 0 || /<<-?[\p{L}_]/u.test(text)) return lines.join('\n')
  const indents = rest
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length)
  const common = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY)
  return [first, ...rest.map((line) => (line.trim() === '' ? '' : line.slice(common).trimEnd()))].join('\n')
}

/** Offset of the first character at or after `offset` that is neither white space nor comment. */
export function skipTrivia(text: string, offset: number): number {
  let at = offset
  for (;;) {
    const char = text[at]
    if (char === ' ' || char === '\t' || char === '\n' || char === '\r') at += 1
    else if (isLineComment(text, at)) at = endOfLine(text, at)
    else if (isBlockComment(text, at)) {
      const end = text.indexOf('*/', at + 2)
      at = end === -1 ? text.length : end + 2
    } else return at
  }
}
