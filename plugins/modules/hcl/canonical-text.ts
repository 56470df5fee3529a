/** One spelling for expressions that mean the same, so that formatting is not a change of code. */
import { skipTrivia } from '../domain/source-text.ts'
import { createCursor } from './cursor.ts'
import { scanQuoted, scanValue } from './scan-value.ts'

const WORD = /[\p{L}\p{N}_-]/u
/** `.*` and `.0`, as old configurations write indexes. */
const LEGACY = /^\.(\*|\d{1,9})(?!\w)/
const OPENERS = '([{'
const CLOSERS = ')]}'

/**
 * The text of an expression without comments, white space and optional commas; `"${x}"` is `x`, `a.*.b` is `a[*].b` and
 * `a.0.b` is `a[0].b`, as Terraform reads them. Strings and heredocs stay as they are.
 */
export function canonicalText(text: string): string {
  const out: string[] = []
  const open: string[] = []
  let at = skipTrivia(text, 0)
  while (at < text.length) {
    const token = tokenAt(text, at)
    const next = skipTrivia(text, token.end)
    if (CLOSERS.includes(token.text)) {
      if (out.at(-1) === ',') out.pop()
      open.pop()
    }
    if (OPENERS.includes(token.text)) open.push(token.text)
    const gap = { before: token.text, text: text.slice(token.end, next), after: text[next] ?? '' }
    out.push(token.text, ...separators(gap, open.at(-1) === '{'))
    at = next
  }
  return out.join('')
}

interface Gap {
  readonly before: string
  /** White space and comments. */
  readonly text: string
  readonly after: string
}

/** A line break ends an entry of an object; elsewhere it is white space, which only counts between two words. */
function separators({ before, text, after }: Gap, inObject: boolean): string[] {
  if (inObject && text.includes('\n') && !'{([,:=?'.includes(before) && !'},'.includes(after)) return [',']
  return text !== '' && WORD.test(before.at(-1) ?? '') && WORD.test(after) ? [' '] : []
}

/** A piece of source text, and the offset after it. */
interface Token {
  readonly text: string
  readonly end: number
}

function tokenAt(text: string, at: number): Token {
  const char = text[at]
  if (char === '"') return quotedAt(text, at)
  if (char === '<' && text[at + 1] === '<') return heredocAt(text, at)
  const legacy =
    char === '.' && /[\p{L}_]$/u.test(text[at - 1] ?? '') ? LEGACY.exec(text.slice(at, at + 12)) : null
  if (legacy !== null) return { text: `[${legacy[1]}]`, end: at + legacy[0].length }
  let end = at + 1
  if (WORD.test(char ?? '')) while (end < text.length && WORD.test(text[end] ?? '')) end += 1
  return { text: text.slice(at, end), end }
}

/** A string that is only `${…}` is the expression inside. */
function quotedAt(text: string, at: number): Token {
  const cursor = createCursor(text)
  cursor.at = at
  const end = scanQuoted(cursor) ? cursor.at : text.length
  const quoted = text.slice(at, end)
  if (!quoted.startsWith('"${') || !quoted.endsWith('}"')) return { text: quoted, end }
  const inside = createCursor(quoted)
  inside.at = 3
  const closed = scanValue(inside, 'template')
  if (closed === undefined || inside.at !== quoted.length - 2) return { text: quoted, end }
  return { text: canonicalText(quoted.slice(3, -2)), end }
}

/** The heredoc that begins at `<<`, to the end of its last line; the two signs alone where none begins there. */
export function heredocAt(text: string, at: number): Token {
  const marker = /^<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/u.exec(text.slice(at, at + 200))?.[1]
  if (marker === undefined) return { text: '<<', end: at + 2 }
  let line = text.indexOf('\n', at) + 1
  while (line > 0 && line < text.length) {
    const found = text.indexOf('\n', line)
    const end = found === -1 ? text.length : found
    if (text.slice(line, end).trim() === marker) return { text: text.slice(at, end), end }
    line = end + 1
  }
  return { text: text.slice(at), end: text.length }
}
