/** Text of quoted strings. */

const SIMPLE = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['\\', '\\'],
])

/** The text of a quoted string without templates, or why it is not certain. */
export type Unquoted = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'unsure' }

/**
 * Resolves the escapes of design modules 3.2 in the inside of a quoted string: backslashes, `$${` and `%%{`.
 * Any other backslash escape, and an invalid code point, is `unsure`.
 */
export function unescapeQuoted(inside: string): Unquoted {
  if (!inside.includes('\\')) return { kind: 'text', text: unescapeMarkers(inside) }
  let text = ''
  let from = 0
  for (let at = inside.indexOf('\\'); at !== -1; at = inside.indexOf('\\', from)) {
    const escaped = readEscape(inside, at)
    if (escaped === undefined) return { kind: 'unsure' }
    text += unescapeMarkers(inside.slice(from, at)) + escaped.text
    from = at + escaped.length
  }
  return { kind: 'text', text: text + unescapeMarkers(inside.slice(from)) }
}

/** `$${` and `%%{` are how `${` and `%{` are written where a template could start. */
export function unescapeMarkers(text: string): string {
  return text.replaceAll('$${', '${').replaceAll('%%{', '%{')
}

/** Whether the inside of a string or heredoc holds a template (`${` or `%{`, not doubled). */
export function holdsTemplate(inside: string): boolean {
  for (let at = inside.indexOf('{'); at !== -1; at = inside.indexOf('{', at + 1)) {
    const marker = inside[at - 1]
    if ((marker === '$' || marker === '%') && inside[at - 2] !== marker) return true
  }
  return false
}

/** Offset of the quote that closes the plain string opened at `offset`, or the text's length. */
export function closingQuote(text: string, offset: number): number {
  let at = offset + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return Math.min(at, text.length)
}

/** A block label: the quoted text, its escapes resolved where they are certain. */
export function unquoteLabel(quoted: string): string {
  const inside = quoted.slice(1, -1)
  const unquoted = unescapeQuoted(inside)
  return unquoted.kind === 'text' ? unquoted.text : inside
}

function readEscape(inside: string, at: number): { text: string; length: number } | undefined {
  const code = inside[at + 1] ?? ''
  const simple = SIMPLE.get(code)
  if (simple !== undefined) return { text: simple, length: 2 }
  const digits = code === 'u' ? 4 : 8
  const hex = inside.slice(at + 2, at + 2 + digits)
  if ((code !== 'u' && code !== 'U') || hex.length !== digits || !/^[0-9a-fA-F]+$/.test(hex)) return undefined
  const point = Number.parseInt(hex, 16)
  if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return undefined
  return { text: String.fromCodePoint(point), length: 2 + digits }
}
