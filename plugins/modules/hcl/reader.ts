/**
 * Reads the structure of an HCL file: blocks, labels and the source text of every attribute, in source order.
 *
 * Pure and linear in the length of the text; may pause after each item; never throws. Nothing is evaluated. After an error it goes on
 * at the next line that starts with a block header in column 1 and keeps what it read before, so that one mistake costs
 * one block. What it says about broken or doubtful files is for the caller to check against the reference.
 */
import { atOnce, type Pieces } from '../../../server/plugin.ts'
import { unquoteLabel } from '../domain/quoted.ts'
import { endOfLine, isBlockComment, isLineComment } from '../domain/source-text.ts'
import { closeBlock, createSpacing, noteSpacing } from './block-spacing.ts'
import type { Attribute, Block, Body } from './body.ts'
import {
  CLOSE_BRACE,
  type Cursor,
  countLines,
  createCursor,
  type Doubt,
  doubt,
  EQUALS,
  fail,
  failTooDeep,
  headerAt,
  MAX_BRACKETS,
  NEWLINE,
  OPEN_BRACE,
  type Problem,
  QUOTE,
  readIdentifier,
  SPACE,
  skipBlanks,
  skipBlockComment,
} from './cursor.ts'
import { scanQuoted, scanValue } from './scan-value.ts'

/** A comment between items, with its markers. */
export interface Comment {
  readonly text: string
  readonly line: number
  readonly endLine: number
}

/** What an HCL file holds. `problems` empty and `doubts` empty means: the structure is certain. */
export interface HclFile extends Body {
  readonly comments: readonly Comment[]
  readonly problems: readonly Problem[]
  readonly doubts: readonly Doubt[]
}

/** More errors than this in one file: the rest is not read. */
const MAX_PROBLEMS = 100
/** Text read twice because of recoveries may be this many times the file: it keeps hostile input linear. */
const MAX_REREAD = 4

/** Read between two pauses: a fraction of a millisecond of work. */
const PAUSE_CHARS = 4_000

/** A value that has no end keeps this much of its text. */
const MAX_BROKEN_CHARS = 2_000

const TOP_LEVEL =
  /^(?:variable|output|resource|data|module|provider|terraform|locals|moved|import|removed|check|ephemeral)\b/
const CONFLICT_MARKER = /^(?:<{7}|={7}|>{7})/

interface Reading {
  readonly cursor: Cursor
  readonly comments: Comment[]
  readonly problems: Problem[]
  /** A top-level header in column 1 ends every open block. Set when the first pass reached the end of the text inside a block. */
  readonly strictColumns: boolean
  reread: number
  /** Open blocks end immediately: reading continues at the top level. */
  unwinding: boolean
  endedInside: boolean
  /** The next offset at which other work may be done. */
  pauseAt: number
}

interface OpenBlock {
  readonly type: string
  readonly labels: readonly string[]
  readonly line: number
}

/** Reads one file. The byte order mark and CRLF are understood; names are never used as object keys. */
export function readHcl(text: string): HclFile {
  return atOnce(readingHcl(text))
}

/** `readHcl` in pieces, for texts of callers. */
export function* readingHcl(text: string): Pieces<HclFile> {
  const first = yield* readOnce(text, false)
  return first.endedInside ? (yield* readOnce(text, true)).file : first.file
}

function* readOnce(
  text: string,
  strictColumns: boolean,
): Pieces<{ readonly file: HclFile; readonly endedInside: boolean }> {
  const reading: Reading = {
    cursor: createCursor(text),
    comments: [],
    problems: [],
    strictColumns,
    reread: 0,
    unwinding: false,
    endedInside: false,
    pauseAt: PAUSE_CHARS,
  }
  const attributes = new Map<string, Attribute>()
  const blocks: Block[] = []
  do {
    reading.unwinding = false
    yield* readItems(reading, { attributes, blocks, depth: 0 }, undefined)
  } while (reading.unwinding && reading.cursor.at < text.length)
  const { comments, problems, endedInside } = reading
  const file = { attributes, blocks, comments, problems, doubts: reading.cursor.doubts }
  return { file, endedInside }
}

/** Reads items until the block's closing brace, the end of the text or an error that unwinds. */
function* readItems(reading: Reading, into: OpenBody, owner: OpenBlock | undefined): Pieces<void> {
  const c = reading.cursor
  const spacing = createSpacing(owner)
  while (!reading.unwinding) {
    if (isPauseDue(reading)) yield
    const step = beforeItem(reading, owner)
    if (step === 'end of text') return endOfFile(reading, owner)
    if (step === 'closing brace') return closeBlock(c, spacing, into)
    if (step === 'item') noteSpacing(c, spacing)
    const read = step === 'problem' ? false : readItem(reading, into)
    const isRead = typeof read === 'object' ? yield* readBlock(reading, into, read) : read
    if (!isRead) recover(reading, owner)
    spacing.endLine = c.line
  }
}

function isPauseDue(reading: Reading): boolean {
  const isDue = reading.cursor.at >= reading.pauseAt
  if (isDue) reading.pauseAt = reading.cursor.at + PAUSE_CHARS
  return isDue
}

function beforeItem(
  reading: Reading,
  owner: OpenBlock | undefined,
): 'item' | 'closing brace' | 'end of text' | 'problem' {
  const c = reading.cursor
  if (!skipSpace(reading)) return 'problem'
  if (c.at >= c.text.length) return 'end of text'
  if (owner === undefined) {
    if (c.text.charCodeAt(c.at) !== CLOSE_BRACE) return 'item'
    fail(c, 'Unexpected "}".')
    c.at += 1
    return 'problem'
  }
  if (c.text.charCodeAt(c.at) === CLOSE_BRACE) return 'closing brace'
  if (!endsOpenBlocks(reading)) return 'item'
  fail(c, `The block opened on line ${owner.line} is not closed.`, owner.line)
  return 'problem'
}

/** A body being read; `depth` counts the blocks around it. */
interface OpenBody {
  readonly attributes: Map<string, Attribute>
  readonly blocks: Block[]
  readonly depth: number
}

function endsOpenBlocks(reading: Reading): boolean {
  const c = reading.cursor
  if (!reading.strictColumns || (c.at > 0 && c.text.charCodeAt(c.at - 1) !== NEWLINE)) return false
  const header = headerAt(c.text, c.at)
  return header !== undefined && TOP_LEVEL.test(header)
}

function endOfFile(reading: Reading, owner: OpenBlock | undefined): void {
  if (owner === undefined) return
  if (!reading.endedInside) {
    const message = `The block opened on line ${owner.line} is not closed.`
    reading.problems.push({ code: 'syntax', message, line: owner.line, offset: reading.cursor.text.length })
  }
  reading.endedInside = true
}

/** Skips blanks, line breaks and comments, keeping the comments. */
function skipSpace(reading: Reading): boolean {
  const c = reading.cursor
  for (;;) {
    skipBlanks(c)
    const start = c.at
    const line = c.line
    if (c.text.charCodeAt(c.at) === NEWLINE) {
      c.at += 1
      c.line += 1
    } else if (isLineComment(c.text, c.at)) {
      c.at = endOfLine(c.text, c.at)
      reading.comments.push({ text: c.text.slice(start, c.at).trimEnd(), line, endLine: line })
    } else if (isBlockComment(c.text, c.at)) {
      if (!skipBlockComment(c)) return false
      reading.comments.push({ text: c.text.slice(start, c.at), line, endLine: c.line })
    } else return true
  }
}

/** Reads an attribute, or the header of a block up to its brace. */
function readItem(reading: Reading, into: OpenBody): boolean | OpenBlock {
  const c = reading.cursor
  const line = c.line
  const name = readItemName(c)
  if (name === undefined) {
    return fail(c, `Unexpected character ${JSON.stringify(c.text[c.at])}: an argument or block was expected.`)
  }
  if (!skipInline(c)) return false
  if (c.text.charCodeAt(c.at) === EQUALS && c.text.charCodeAt(c.at + 1) !== EQUALS) {
    c.at += 1
    return readAttribute(reading, into.attributes, name, line)
  }
  const labels: string[] = []
  while (c.text.charCodeAt(c.at) !== OPEN_BRACE) {
    const label = readLabel(c)
    if (label === undefined) return fail(c, `"${name}" is followed by neither "=" nor a block.`)
    labels.push(label)
    if (!skipInline(c)) return false
  }
  c.at += 1
  return { type: name, labels, line }
}

/** A quoted name is read as a name, but Terraform refuses it. */
function readItemName(c: Cursor): string | undefined {
  if (c.text.charCodeAt(c.at) !== QUOTE) return readIdentifierOrDoubt(c)
  doubt(c, 'a name in quotes')
  return readLabel(c)
}

const REST_OF_NAME = /[^\s="{#/]*/y
const END_OF_NAME = new Set([SPACE, EQUALS, OPEN_BRACE, QUOTE])

/** Names may hold letters this reader does not know as such (combining marks): then the reference decides. */
function readIdentifierOrDoubt(c: Cursor): string | undefined {
  const name = readIdentifier(c)
  if (name === undefined) return undefined
  if (END_OF_NAME.has(c.text.charCodeAt(c.at))) return name
  REST_OF_NAME.lastIndex = c.at
  const tail = REST_OF_NAME.exec(c.text)?.[0] ?? ''
  if (tail === '' || tail.length > 200) return name
  doubt(c, `${JSON.stringify(name + tail)} is not an identifier`)
  c.at += tail.length
  return name + tail
}

function readLabel(c: Cursor): string | undefined {
  if (c.text.charCodeAt(c.at) !== QUOTE) return readIdentifier(c)
  const start = c.at
  return scanQuoted(c) ? unquoteLabel(c.text.slice(start, c.at)) : undefined
}

function skipInline(c: Cursor): boolean {
  skipBlanks(c)
  while (isBlockComment(c.text, c.at)) {
    if (!skipBlockComment(c)) return false
    skipBlanks(c)
  }
  return true
}

/** A value that cannot be read to its end still counts: its text is the part that was read. */
function readAttribute(
  reading: Reading,
  attributes: Map<string, Attribute>,
  name: string,
  line: number,
): boolean {
  const c = reading.cursor
  if (!skipInline(c)) return false
  const start = c.at
  if (c.closers.length > 0) c.closers.length = 0
  if (c.openLines.length > 0) c.openLines.length = 0
  c.templates = 0
  const end = scanValue(c, 'line')
  const text = c.text.slice(start, end ?? brokenEnd(c, start)).trimEnd()
  if (attributes.has(name)) {
    const message = `"${name}" is set twice in one block.`
    reading.problems.push({ code: 'syntax', message, line, offset: start })
  } else attributes.set(name, { kind: 'source', text, line })
  if (end === undefined) return false
  return text !== '' || fail(c, `"${name}" has no value.`, line)
}

/** The part that is kept of an unterminated value: a short text without the blocks after it. */
function brokenEnd(c: Cursor, start: number): number {
  const from = c.problem?.offset ?? start
  return Math.min(c.at, start + MAX_BROKEN_CHARS, Math.max(start, nextHeader(c.text, from)))
}

function* readBlock(reading: Reading, into: OpenBody, header: OpenBlock): Pieces<boolean> {
  const c = reading.cursor
  if (into.depth >= MAX_BRACKETS) return failTooDeep(c, `Blocks are nested more than ${MAX_BRACKETS} deep.`)
  const body = { attributes: new Map<string, Attribute>(), blocks: [], depth: into.depth + 1 }
  yield* readItems(reading, body, header)
  const { type, labels, line } = header
  into.blocks.push({
    type,
    labels,
    body: { attributes: body.attributes, blocks: body.blocks },
    line,
    endLine: c.line,
  })
  return true
}

/** Records the problem and moves to where reading can continue: after a conflict marker, else at the next header. */
function recover(reading: Reading, owner: OpenBlock | undefined): void {
  const c = reading.cursor
  const problem = c.problem ?? { code: 'syntax', message: 'Unreadable text.', line: c.line, offset: c.at }
  c.problem = undefined
  reading.problems.push(problem)
  const lineEnd = endOfLine(c.text, c.at)
  if (owner !== undefined && CONFLICT_MARKER.test(c.text.slice(c.at, Math.min(lineEnd, c.at + 8)))) {
    c.at = lineEnd
    return
  }
  reading.unwinding = true
  const next = nextHeader(c.text, problem.offset)
  reading.reread += Math.max(0, c.at - next)
  const exhausted = reading.problems.length >= MAX_PROBLEMS || reading.reread > MAX_REREAD * c.text.length
  const target = exhausted ? c.text.length : next
  if (target < c.at) c.line -= linesBetween(c.text, target, c.at)
  else countLines(c, c.at, target)
  c.at = target
}

function linesBetween(text: string, from: number, to: number): number {
  let lines = 0
  for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** The first line start at or behind `offset` that carries a block header, or the text's length. */
function nextHeader(text: string, offset: number): number {
  let at = offset === 0 || text.charCodeAt(offset - 1) === NEWLINE ? offset : endOfLine(text, offset) + 1
  while (at < text.length) {
    if (headerAt(text, at) !== undefined) return at
    at = endOfLine(text, at) + 1
  }
  return text.length
}
