/** Source text of values: how it is shown, and what may appear between its tokens. */

const HASH = 35
const STAR = 42
const SLASH = 47

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
    else if (isBlockComment(text, at)) at = endOfBlockComment(text, at)
    else return at
  }
}

/** Offset of the line feed that ends the line of `offset`, or the text's length. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end
}

/** Whether a comment that runs to the end of its line starts at `offset`. */
export function isLineComment(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset)
  return code === HASH || (code === SLASH && text.charCodeAt(offset + 1) === SLASH)
}

/** Whether a block comment starts at `offset`. */
export function isBlockComment(text: string, offset: number): boolean {
  return text.charCodeAt(offset) === SLASH && text.charCodeAt(offset + 1) === STAR
}

/** Offset behind the block comment that starts at `offset`, or the text's length. */
export function endOfBlockComment(text: string, offset: number): number {
  const end = text.indexOf('*/', offset + 2)
  return end === -1 ? text.length : end + 2
}
