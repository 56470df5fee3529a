/** The text of a heredoc. */
import { holdsTemplate, unescapeMarkers } from './quoted.ts'

/** A heredoc cut out of its surroundings; `end` is the offset after its closing marker. */
export interface Heredoc {
  readonly flush: boolean
  readonly content: string
  readonly end: number
}

/** The text of a heredoc, `template` when it holds `${` or `%{`, `unsure` where only the reference knows. */
export type HeredocText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'template' }
  | { readonly kind: 'unsure'; readonly reason: string }

const OPENING = /<<(-?)([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy

/** The heredoc that starts at `offset`, if one does; its content runs to the first line that is only the marker. */
export function readHeredoc(text: string, offset: number): Heredoc | undefined {
  OPENING.lastIndex = offset
  const opening = OPENING.exec(text)
  const marker = opening?.[2]
  if (opening === null || marker === undefined) return undefined
  const start = offset + opening[0].length
  let at = start
  while (at <= text.length) {
    const found = text.indexOf('\n', at)
    const end = found === -1 ? text.length : found
    if (text.slice(at, end).trim() === marker) {
      return { flush: opening[1] === '-', content: text.slice(start, at), end }
    }
    at = end + 1
  }
  return undefined
}

/**
 * Resolves one heredoc: CRLF becomes LF, `$${` and `%%{` lose a character, the trailing newline stays.
 * `<<-` removes the smallest indentation from every line that is not blank; blank lines do not change.
 */
export function heredocText(heredoc: Heredoc): HeredocText {
  if (holdsTemplate(heredoc.content)) return { kind: 'template' }
  const content = heredoc.content.replaceAll('\r\n', '\n')
  if (content.includes('\r')) return { kind: 'unsure', reason: 'a bare carriage return in a heredoc' }
  if (!heredoc.flush) return { kind: 'text', text: unescapeMarkers(content) }
  const indents = filledLines(content).map(indentOf)
  if (indents.some((indent) => indent.includes('\t')) && indents.some((indent) => indent.includes(' '))) {
    return { kind: 'unsure', reason: 'tabs and spaces mixed in the indentation of a heredoc' }
  }
  return { kind: 'text', text: unescapeMarkers(flush(content)) }
}

/** The lines of a heredoc as they are shown when it is a template: LF, without the common indentation of `<<-`. */
export function heredocSource(heredoc: Heredoc): string {
  const content = heredoc.content.replaceAll('\r\n', '\n')
  return heredoc.flush ? flush(content) : content
}

function flush(content: string): string {
  const indents = filledLines(content).map((line) => indentOf(line).length)
  const common = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY)
  const lines = content.split('\n').map((line) => (line.trim() === '' ? line : line.slice(common)))
  return lines.join('\n')
}

function filledLines(content: string): string[] {
  return content.split('\n').filter((line) => line.trim() !== '')
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}
