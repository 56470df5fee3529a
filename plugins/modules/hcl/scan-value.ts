/** Finds where a value ends by counting brackets, strings, templates and heredocs; evaluates nothing. */
import { endOfLine, isBlockComment, isLineComment } from '../domain/source-text.ts'
import {
  BACKSLASH,
  CLOSE_BRACE,
  COMMA,
  type Cursor,
  DOLLAR,
  doubt,
  EQUALS,
  fail,
  failTooDeep,
  headerAt,
  LESS,
  MAX_BRACKETS,
  MAX_TEMPLATES,
  NEWLINE,
  OPEN_BRACE,
  PERCENT,
  QUOTE,
  RETURN,
  SPACE,
  skipBlockComment,
  TAB,
} from './cursor.ts'

const HEREDOC = /<<-?([\p{L}_][\p{L}\p{N}_-]*)\r?\n/uy

/** What a character can begin in a value. Everything that is not listed is part of a plain token. */
const PLAIN = 0
const BLANK = 1
const SPECIAL = 2
const KINDS = new Uint8Array(128).fill(PLAIN)
for (const char of ' \t\r') KINDS[char.charCodeAt(0)] = BLANK
for (const char of '\n"()[]{}#/<,=\'`;@\\^') KINDS[char.charCodeAt(0)] = SPECIAL

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
 * Moves past the value under the cursor and returns the offset after its last token (comments and blanks after it
 * are not part of it), or undefined with `c.problem` set. A comma or lone `=` outside brackets becomes a doubt.
 */
export function scanValue(c: Cursor, ending: Ending): number | undefined {
  const value: OpenValue = { ending, line: c.line, offset: c.at, outside: c.closers.length }
  const { text } = c
  let last = c.at
  for (;;) {
    const kind = kindOf(text.charCodeAt(c.at))
    if (kind === PLAIN) {
      c.at += 1
      last = c.at
    } else if (kind === BLANK) c.at += 1
    else {
      const step = scanSpecial(c, value)
      if (step === 'end') return last
      if (step === 'failed') return undefined
      if (step === 'token') last = c.at
    }
  }
}

/** NaN, past the end of the text, is special; letters beyond ASCII are plain. */
function kindOf(code: number): number | undefined {
  return code < 128 ? KINDS[code] : code >= 128 ? PLAIN : SPECIAL
}

/** A value being scanned: where it began, and how many brackets were open around it. */
interface OpenValue {
  readonly ending: Ending
  readonly line: number
  readonly offset: number
  readonly outside: number
}

type Step = 'token' | 'trivia' | 'end' | 'failed'

function scanSpecial(c: Cursor, value: OpenValue): Step {
  const code = c.text.charCodeAt(c.at)
  const isOutside = c.closers.length === value.outside
  if (code === NEWLINE) return scanLineBreak(c, value, isOutside)
  if (isLineComment(c.text, c.at)) {
    c.at = endOfLine(c.text, c.at)
    return 'trivia'
  }
  if (isBlockComment(c.text, c.at)) return skipBlockComment(c) ? 'trivia' : 'failed'
  if (isOutside && endsAt(code, value.ending)) return 'end'
  if (Number.isNaN(code)) return endOfText(c, value)
  if (!scanToken(c, code)) return 'failed'
  if (isOutside && value.ending === 'line') noteDoubt(c, code)
  return 'token'
}

function scanLineBreak(c: Cursor, value: OpenValue, isOutside: boolean): Step {
  if (isOutside && (value.ending === 'line' || value.ending === 'entry')) return 'end'
  return nextLine(c, isOutside ? value.line : (c.openLines.at(-1) ?? value.line)) ? 'trivia' : 'failed'
}

function endsAt(code: number, ending: Ending): boolean {
  if (code === CLOSE_BRACE) return true
  return (
    (code === COMMA && (ending === 'entry' || ending === 'element')) || (code === 93 && ending === 'element')
  )
}

function endOfText(c: Cursor, value: OpenValue): Step {
  const unclosed = c.closers.length > value.outside ? c.openLines.at(-1) : undefined
  if (unclosed === undefined && value.ending !== 'template') return 'end'
  const what = unclosed === undefined ? 'template' : 'bracket'
  fail(c, `A ${what} is not closed.`, unclosed ?? value.line, value.offset)
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

function scanToken(c: Cursor, code: number): boolean {
  if (code === QUOTE) return scanQuoted(c)
  if (code === LESS && c.text.charCodeAt(c.at + 1) === LESS) return scanHeredoc(c)
  if (UNEXPECTED.has(code)) return fail(c, `Unexpected character ${JSON.stringify(c.text[c.at])}.`)
  const closer = CLOSER.get(code)
  if (closer !== undefined) {
    if (c.closers.length >= MAX_BRACKETS) {
      return failTooDeep(c, `Brackets are nested more than ${MAX_BRACKETS} deep.`)
    }
    c.closers.push(closer)
    c.openLines.push(c.line)
  } else if (CLOSERS.has(code) && !closeBracket(c, code)) return false
  c.at += 1
  return true
}

function closeBracket(c: Cursor, code: number): boolean {
  const closer = c.closers.pop()
  const line = c.openLines.pop()
  if (closer === undefined) return fail(c, `Unexpected "${c.text[c.at]}".`)
  if (closer === code) return true
  return fail(c, `"${c.text[c.at]}" does not close the bracket of line ${line}.`)
}

function noteDoubt(c: Cursor, code: number): void {
  if (code === COMMA) doubt(c, 'a comma outside brackets')
  if (code !== EQUALS) return
  const before = c.text[c.at - 2] ?? ''
  const after = c.text[c.at] ?? ''
  if (!'=!<>'.includes(before) && !'=>'.includes(after)) doubt(c, 'a second "="')
}

/** Moves past the quoted string under the cursor. It may not span lines, except inside a template. */
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
