/** The reader's position in one file, and what it found wrong. Owned by one `readHcl` call. */
export interface Cursor {
  readonly text: string
  at: number
  line: number
  /** Closing characters of the brackets open in the value being read, and the lines they were opened on. */
  readonly closers: number[]
  readonly openLines: number[]
  templates: number
  /** Set by a scan that returns false. */
  problem: Problem | undefined
  /** Why Terraform would reject the file although it could be cut into blocks. */
  readonly doubts: Doubt[]
}

/** A place where the text can be cut into blocks but Terraform would reject it. */
export interface Doubt {
  readonly message: string
  readonly line: number
}

/** What stopped a scan, and where reading can continue. */
export interface Problem {
  readonly code: 'syntax' | 'too_deep'
  readonly message: string
  readonly line: number
  readonly offset: number
}

// design modules 8: bracket depth 512, template depth 64
export const MAX_BRACKETS = 512
export const MAX_TEMPLATES = 64

const MAX_DOUBTS = 20

export const TAB = 9
export const NEWLINE = 10
export const RETURN = 13
export const SPACE = 32
export const QUOTE = 34
export const DOLLAR = 36
export const PERCENT = 37
export const COMMA = 44
export const LESS = 60
export const EQUALS = 61
export const BACKSLASH = 92
export const OPEN_BRACE = 123
export const CLOSE_BRACE = 125

const IDENTIFIER = /[\p{L}_][\p{L}\p{N}_-]*/uy
const HEADER = /[A-Za-z_][\w-]*(?:[ \t]+(?:"[^"\n]*"|[A-Za-z_][\w-]*))*[ \t]*\{/y

/** A cursor at the start of `text`, after its byte order mark if there is one. */
export function createCursor(text: string): Cursor {
  const at = text.charCodeAt(0) === 0xfeff ? 1 : 0
  return { text, at, line: 1, closers: [], openLines: [], templates: 0, problem: undefined, doubts: [] }
}

/** Records a problem at `offset` (where the construct began) and returns false. Only the first problem is kept. */
export function fail(c: Cursor, message: string, line = c.line, offset = c.at): false {
  c.problem ??= { code: 'syntax', message, line, offset }
  return false
}

/** Records a doubt at the cursor's line; only a few are kept for a file. */
export function doubt(c: Cursor, message: string): void {
  if (c.doubts.length < MAX_DOUBTS) c.doubts.push({ message, line: c.line })
}

/** Like `fail`, for a limit that was reached: the reference is not asked about such a file. */
export function failTooDeep(c: Cursor, message: string): false {
  c.problem ??= { code: 'too_deep', message, line: c.line, offset: c.at }
  return false
}

/** Reads an identifier, or returns undefined without moving. */
export function readIdentifier(c: Cursor): string | undefined {
  const end = asciiIdentifierEnd(c.text, c.at)
  if (end > c.at && !(c.text.charCodeAt(end) > 127)) {
    const start = c.at
    c.at = end
    return c.text.slice(start, end)
  }
  IDENTIFIER.lastIndex = c.at
  const name = IDENTIFIER.exec(c.text)?.[0]
  if (name !== undefined) c.at += name.length
  return name
}

/** Names are nearly always ASCII; the pattern with character classes is for the others. */
function asciiIdentifierEnd(text: string, start: number): number {
  if (!isAsciiLetter(text.charCodeAt(start))) return start
  let at = start + 1
  for (;;) {
    const code = text.charCodeAt(at)
    if (!isAsciiLetter(code) && code !== 45 && !(code >= 48 && code <= 57)) return at
    at += 1
  }
}

/** Whether the character is `a`-`z`, `A`-`Z` or `_`. */
export function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95
}

/** The header `identifier "label" … {` that starts exactly at `offset`, if one does. */
export function headerAt(text: string, offset: number): string | undefined {
  if (!isAsciiLetter(text.charCodeAt(offset))) return undefined
  HEADER.lastIndex = offset
  return HEADER.exec(text)?.[0]
}

/** Skips blanks on this line. */
export function skipBlanks(c: Cursor): void {
  for (;;) {
    const code = c.text.charCodeAt(c.at)
    if (code !== SPACE && code !== TAB && code !== RETURN) return
    c.at += 1
  }
}

/** Skips the block comment under the cursor, counting lines. */
export function skipBlockComment(c: Cursor): boolean {
  const end = c.text.indexOf('*/', c.at + 2)
  if (end === -1) return fail(c, 'A /* comment is not closed.')
  countLines(c, c.at, end)
  c.at = end + 2
  return true
}

/** Adds the line feeds of `text[from, to)` to the cursor's line. */
export function countLines(c: Cursor, from: number, to: number): void {
  for (let at = c.text.indexOf('\n', from); at !== -1 && at < to; at = c.text.indexOf('\n', at + 1))
    c.line += 1
}
