/** Finds where a value ends by counting brackets, strings, templates and heredocs; evaluates nothing. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  COMMA,
  type Cursor,
  DOLLAR,
  doubt,
  EQUALS,
  endOfLine,
  fail,
  failTooDeep,
  headerAt,
  isBlockComment,
  isLineComment,
  LESS,
  MAX_BRACKETS,
  MAX_TEMPLATES,
  NEWLINE,
  OPEN_BRACE,
  PERCENT,
  QUOTE,
  RETURN,
  SPACE,
  skipBlanks,
  skipBlockComment,
  TAB,
} from './cursor.ts'

const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy
const CLOSER = new Map([
  [40, 41],
  [91, 93],
  [OPEN_BRACE, CLOSE_BRACE],
])
const CLOSERS = new Set(CLOSER.values())
const UNEXPECTED = new Set([..."'`;@\\^"].map((text) => text.charCodeAt(0)))

/**
 * What ends a value outside brackets: the line (an attribute), the closing brace of its template, a comma or line break
 * (an entry of an object), a comma (an element of a list). A closing brace always does, a closing bracket in a list.
 */
export type Ending = 'line' | 'template' | 'entry' | 'element'

/**
 * Moves behind the value under the cursor and answers the offset behind its last token (comments and blanks after it
 * are not part of it), or undefined with `c.problem` set. A comma or lone `=` outside brackets becomes a doubt.
 */
export function scanValue(c: Cursor, ending: Ending): number | undefined {
  const value = { ending, open: [], line: c.line, offset: c.at }
  let last = c.at
  for (;;) {
    const step = nextToken(c, value)
    if (step === 'end') return last
    if (step === 'failed') return undefined
    last = c.at
  }
}

interface OpenValue {
  readonly ending: Ending
  readonly open: OpenBracket[]
  readonly line: number
  readonly offset: number
}

function nextToken(c: Cursor, value: OpenValue): 'token' | 'end' | 'failed' {
  const { ending, open } = value
  const outside = open.length === 0
  const endsAtLine = outside && (ending === 'line' || ending === 'entry')
  const step = skipTrivia(c, endsAtLine, open.at(-1)?.line ?? value.line)
  if (step !== 'token') return step
  const code = c.text.charCodeAt(c.at)
  if (outside && endsAt(code, ending)) return 'end'
  if (Number.isNaN(code)) return endOfText(c, value)
  if (!scanToken(c, code, open)) return 'failed'
  if (outside && ending === 'line') noteDoubt(c, code)
  return 'token'
}

interface OpenBracket {
  readonly closer: number
  readonly line: number
}

/** Skips blanks, comments and line breaks; `end` at a line break that ends the value. */
function skipTrivia(c: Cursor, endsAtLine: boolean, openLine: number): 'token' | 'end' | 'failed' {
  for (;;) {
    skipBlanks(c)
    if (c.text.charCodeAt(c.at) === NEWLINE) {
      if (endsAtLine) return 'end'
      if (!nextLine(c, openLine)) return 'failed'
    } else if (isLineComment(c.text, c.at)) c.at = endOfLine(c.text, c.at)
    else if (!isBlockComment(c.text, c.at)) return 'token'
    else if (!skipBlockComment(c)) return 'failed'
  }
}

function endsAt(code: number, ending: Ending): boolean {
  if (code === CLOSE_BRACE) return true
  return (
    (code === COMMA && (ending === 'entry' || ending === 'element')) || (code === 93 && ending === 'element')
  )
}

function endOfText(c: Cursor, value: OpenValue): 'end' | 'failed' {
  const unclosed = value.open.at(-1)
  if (unclosed === undefined && value.ending !== 'template') return 'end'
  const what = unclosed === undefined ? 'template' : 'bracket'
  fail(c, `A ${what} is not closed.`, unclosed?.line ?? value.line, value.offset)
  return 'failed'
}

/** A line that starts with a block header cannot belong to a value: better to stop there than at the end of the file. */
function nextLine(c: Cursor, openLine: number): boolean {
  if (headerAt(c.text, c.at + 1) !== undefined) {
    return fail(c, `The bracket or template opened on line ${openLine} is not closed.`, openLine, c.at + 1)
  }
  c.at += 1
  c.line += 1
  return true
}

function scanToken(c: Cursor, code: number, open: OpenBracket[]): boolean {
  if (code === QUOTE) return scanQuoted(c)
  if (code === LESS && c.text.charCodeAt(c.at + 1) === LESS) return scanHeredoc(c)
  if (UNEXPECTED.has(code)) return fail(c, `Unexpected character ${JSON.stringify(c.text[c.at])}.`)
  const closer = CLOSER.get(code)
  if (closer !== undefined) {
    c.depth += 1
    if (c.depth > MAX_BRACKETS) return failTooDeep(c, `Brackets are nested more than ${MAX_BRACKETS} deep.`)
    open.push({ closer, line: c.line })
  } else if (CLOSERS.has(code) && !closeBracket(c, code, open.pop())) return false
  c.at += 1
  return true
}

function closeBracket(c: Cursor, code: number, opened: OpenBracket | undefined): boolean {
  if (opened === undefined) return fail(c, `Unexpected "${c.text[c.at]}".`)
  c.depth -= 1
  if (opened.closer === code) return true
  return fail(c, `"${c.text[c.at]}" does not close the bracket of line ${opened.line}.`)
}

function noteDoubt(c: Cursor, code: number): void {
  if (code === COMMA) doubt(c, 'a comma outside brackets')
  if (code !== EQUALS) return
  const before = c.text[c.at - 2] ?? ''
  const after = c.text[c.at] ?? ''
  if (!'=!<>'.includes(before) && !'=>'.includes(after)) doubt(c, 'a second "="')
}

/** Moves behind the quoted string under the cursor. It may not span lines, except inside a template. */
export function scanQuoted(c: Cursor): boolean {
  const start = c.at
  const line = c.line
  c.at += 1
  for (;;) {
    const code = c.text.charCodeAt(c.at)
    if (code === DOLLAR || code === PERCENT) {
      if (!scanMarker(c, code)) return false
    } else if (endsString(code)) break
    else c.at += code === BACKSLASH && c.text.charCodeAt(c.at + 1) !== NEWLINE ? 2 : 1
  }
  if (c.text.charCodeAt(c.at) !== QUOTE) return fail(c, 'A string is not closed.', line, start)
  c.at += 1
  return true
}

function endsString(code: number): boolean {
  return code === QUOTE || code === NEWLINE || Number.isNaN(code)
}

/** At `$` or `%`: `$${` is text, `${` opens a template, anything else is text. */
function scanMarker(c: Cursor, code: number): boolean {
  const next = c.text.charCodeAt(c.at + 1)
  if (next === code && c.text.charCodeAt(c.at + 2) === OPEN_BRACE) {
    c.at += 3
    return true
  }
  if (next !== OPEN_BRACE) {
    c.at += 1
    return true
  }
  if (c.templates >= MAX_TEMPLATES) {
    return failTooDeep(c, `Templates are nested more than ${MAX_TEMPLATES} deep.`)
  }
  c.templates += 1
  c.at += 2
  const end = scanValue(c, 'template')
  c.templates -= 1
  if (end === undefined) return false
  c.at += 1
  return true
}

function scanHeredoc(c: Cursor): boolean {
  HEREDOC.lastIndex = c.at
  const opening = HEREDOC.exec(c.text)
  const marker = opening?.[1]
  if (opening === null || marker === undefined)
    return fail(c, 'A heredoc needs a marker and a line break after "<<".')
  const start = c.at
  const line = c.line
  c.at += opening[0].length
  c.line += 1
  for (;;) {
    const end = endOfLine(c.text, c.at)
    if (isMarkerLine(c.text, c.at, end, marker)) {
      c.at = end - (c.text.charCodeAt(end - 1) === RETURN ? 1 : 0)
      return end < c.text.length || fail(c, 'The last line of a heredoc needs a line break.', line, c.at)
    }
    if (!scanHeredocLine(c, end)) return false
    if (c.at >= c.text.length) return fail(c, `The heredoc <<${marker} is not closed.`, line, start)
    c.at += 1
    c.line += 1
  }
}

/** Moves to the line feed that ends this line of text, which lies further on when a template spans lines. */
function scanHeredocLine(c: Cursor, firstEnd: number): boolean {
  let end = firstEnd
  while (c.at < end) {
    const code = c.text.charCodeAt(c.at)
    if (code !== DOLLAR && code !== PERCENT) {
      c.at += 1
      continue
    }
    if (!scanMarker(c, code)) return false
    if (c.at > end) end = endOfLine(c.text, c.at)
  }
  return true
}

function isMarkerLine(text: string, from: number, end: number, marker: string): boolean {
  let at = from
  while (at < end && (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB)) at += 1
  if (!text.startsWith(marker, at)) return false
  at += marker.length
  while (at < end && /\s/.test(text[at] ?? '')) at += 1
  return at === end
}
