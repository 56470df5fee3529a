import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
  type SyntaxKind,
} from 'jsonc-parser'
import {
  ConfigFault,
  type ConfigFormat,
  edited,
  ended,
  indentAt,
  lineBreakOf,
  lineEnd,
  lineNumber,
  lineStart,
  MAX_LEVELS,
  nested,
  nextLine,
  type Place,
  type TextEdit,
  tooDeep,
} from './config-format.ts'

// The kinds are a const enum, which a module of its own cannot read.
const OPENING: readonly SyntaxKind[] = [1, 3]
const CLOSING: readonly SyntaxKind[] = [2, 4]
const COMMA: SyntaxKind.CommaToken = 5
const LINE_COMMENT: SyntaxKind.LineCommentTrivia = 12
const BLOCK_COMMENT: SyntaxKind.BlockCommentTrivia = 13
const SPACE: SyntaxKind.Trivia = 15
const END: SyntaxKind.EOF = 17

/** JSON with comments and trailing commas, as most clients read it. */
export const jsonFormat: ConfigFormat = {
  read(text) {
    const root = treeOf(text)
    return root && getNodeValue(root)
  },
  put(text, place, value) {
    const root = treeOf(text)
    if (!root) {
      const lineBreak = lineBreakOf(text)
      return `${ended(text, lineBreak)}${written(nested(place, value), { unit: '  ', base: '', lineBreak })}${lineBreak}`
    }
    const { node, rest } = deepest(root, place)
    if (rest.length > 0) return edited(text, insertion(text, node, rest, value))
    const layout = layoutAt(text, node)
    return edited(text, [{ start: node.offset, end: endOf(node), text: written(value, layout) }])
  },
  take(text, place) {
    const found = findNodeAtLocation(treeOf(text) ?? noValue(), [...place]) ?? noValue()
    const unit = found.parent?.type === 'property' ? found.parent : found
    return edited(text, removal(text, unit))
  },
}

function noValue(): never {
  throw new TypeError('there is no value at that place')
}

function endOf(node: Node): number {
  return node.offset + node.length
}

/** Undefined for a text without a value. */
function treeOf(text: string): Node | undefined {
  requireLevels(text)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [error] = errors
  if (!error) return root
  if (!root && printParseErrorCode(error.error) === 'ValueExpected' && !hasToken(text)) return undefined
  throw new ConfigFault(
    lineNumber(text, error.offset),
    FAULTS[printParseErrorCode(error.error)] ?? 'it is not JSON',
  )
}

function requireLevels(text: string): void {
  const scanner = createScanner(text, true)
  let levels = 0
  for (let token = scanner.scan(); token !== END; token = scanner.scan()) {
    if (OPENING.includes(token)) levels += 1
    if (CLOSING.includes(token)) levels -= 1
    if (levels > MAX_LEVELS) throw tooDeep(text, scanner.getTokenOffset())
  }
}

/** The faults that people make, in words. */
const FAULTS: Readonly<Record<string, string>> = {
  PropertyNameExpected: 'a name in double quotes is missing',
  ValueExpected: 'a value is missing',
  ColonExpected: 'a colon is missing',
  CommaExpected: 'a comma is missing',
  CloseBraceExpected: 'a } is missing',
  CloseBracketExpected: 'a ] is missing',
  EndOfFileExpected: 'there is more after the end of the value',
  UnexpectedEndOfString: 'a string does not end',
  UnexpectedEndOfComment: 'a comment does not end',
  InvalidSymbol: 'a word is neither quoted nor true, false or null',
}

function hasToken(text: string): boolean {
  return createScanner(text, true).scan() !== END
}

/** The last value on the way to `place`, and the steps that are missing. */
function deepest(root: Node, place: Place): { readonly node: Node; readonly rest: Place } {
  let node = root
  for (const [at, step] of place.entries()) {
    const child = findNodeAtLocation(node, [step])
    if (!child) return { node, rest: place.slice(at) }
    node = child
  }
  return { node, rest: [] }
}

interface Layout {
  /** One level of indentation. */
  readonly unit: string
  /** The indentation of the line on which the value starts. */
  readonly base: string
  readonly lineBreak: string
  /** The text has its values on one line. */
  readonly inline?: boolean
}

function layoutAt(text: string, node: Node): Layout {
  const unit = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return {
    unit: unit.startsWith('\t') ? '\t' : unit,
    base: indentAt(text, node.offset),
    lineBreak: lineBreakOf(text),
  }
}

function written(value: unknown, { unit, base, lineBreak, inline }: Layout): string {
  if (inline) return JSON.stringify(value)
  const lines = JSON.stringify(value, undefined, unit).replaceAll(TEXTS, (list) =>
    list.replaceAll(/\n\s*/g, ' ').replaceAll(/^\[ | \]$/g, (end) => end.trim()),
  )
  return lines.split('\n').join(`${lineBreak}${base}`)
}

/** A list of texts, as JSON writes it in lines: people have it on one. */
const TEXTS = /\[\n\s*"(?:[^"\\]|\\.)*"(?:,\n\s*"(?:[^"\\]|\\.)*")*\n\s*\]/g

function insertion(
  text: string,
  container: Node,
  [name = '', ...rest]: Place,
  value: unknown,
): readonly TextEdit[] {
  const isFit = typeof name === 'string' ? container.type === 'object' : container.type === 'array'
  if (!isFit) {
    const wanted = typeof name === 'string' ? 'an object' : 'a list'
    throw new ConfigFault(
      lineNumber(text, container.offset),
      `${wanted} is expected here, not ${container.type}`,
    )
  }
  const label = (inline: boolean) =>
    typeof name === 'string' ? `${JSON.stringify(name)}:${inline && isCompact(text) ? '' : ' '}` : ''
  const inner = nested(rest, value)
  const { children = [] } = container
  const last = children.at(-1)
  const layout = layoutAt(text, container)
  if (!last) return [filled(text, container, layout, (at) => `${label(false)}${written(inner, at)}`)]
  const comma = commaAfter(text, last, container)
  const after = comma === undefined ? endOf(last) : comma + 1
  const separator = comma === undefined ? [{ start: endOf(last), end: endOf(last), text: ',' }] : []
  if (!text.slice(container.offset, last.offset).includes('\n')) {
    const put = `${isCompact(text) ? '' : ' '}${label(true)}${written(inner, { ...layout, inline: true })}`
    return joined(separator, { start: after, end: after, text: put })
  }
  const start = endOfRemarks(text, after, endOf(container) - 1)
  const base = text.slice(lineStart(text, last.offset), last.offset)
  const at = { ...layout, base: base.trim() === '' ? base : `${layout.base}${layout.unit}` }
  const put = `${layout.lineBreak}${at.base}${label(false)}${written(inner, at)}${comma === undefined ? '' : ','}`
  return joined(separator, { start, end: start, text: put })
}

/** Two edits at one offset are one. */
function joined(separator: readonly TextEdit[], put: TextEdit): readonly TextEdit[] {
  const [comma] = separator
  if (comma?.start !== put.start) return [...separator, put]
  return [{ ...put, text: `,${put.text}` }]
}

function isCompact(text: string): boolean {
  return /^\S*$/.test(text.trim())
}

/** The edit that puts the first member into `{}`, behind the comments that it may hold. */
function filled(text: string, container: Node, layout: Layout, member: (at: Layout) => string): TextEdit {
  const close = endOf(container) - 1
  const inside = text.slice(container.offset + 1, close).trimEnd()
  const start = container.offset + 1 + inside.length
  const base = `${layout.base}${layout.unit}`
  const put = `${layout.lineBreak}${base}${member({ ...layout, base })}${layout.lineBreak}${layout.base}`
  return { start, end: close, text: put }
}

/** The offset of the comma behind a member. */
function commaAfter(text: string, member: Node, container: Node): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(endOf(member))
  if (scanner.scan() !== COMMA) return undefined
  return scanner.getTokenOffset() < endOf(container) ? scanner.getTokenOffset() : undefined
}

/** The end of the comments that follow on the same line, at most `limit`. */
function endOfRemarks(text: string, from: number, limit: number): number {
  const scanner = createScanner(text)
  scanner.setPosition(from)
  let end = from
  for (;;) {
    const token = scanner.scan()
    if (scanner.getTokenOffset() >= limit) return end
    if (token === LINE_COMMENT || token === BLOCK_COMMENT)
      end = scanner.getTokenOffset() + scanner.getTokenLength()
    else if (token !== SPACE) return end
  }
}

function removal(text: string, unit: Node): readonly TextEdit[] {
  const container = unit.parent ?? noValue()
  const { children = [] } = container
  const at = children.indexOf(unit)
  const comma = commaAfter(text, unit, container)
  const cut = wholeLine(text, unit.offset, comma === undefined ? endOf(unit) : comma + 1)
  if (children.length === 1) return [emptied(text, container, cut)]
  if (at < children.length - 1 || comma !== undefined) return [cut]
  const before = children[at - 1] ?? noValue()
  const orphan = commaAfter(text, before, container) ?? noValue()
  // On one line the cut starts at the comma.
  if (lineStart(text, unit.offset) <= orphan) return [{ start: orphan, end: endOf(unit), text: '' }]
  return [{ start: orphan, end: orphan + 1, text: '' }, cut]
}

/** Widens a cut to its whole lines where nothing else is on them, else to the space behind it. */
function wholeLine(text: string, start: number, end: number): TextEdit {
  const [first, last] = [lineStart(text, start), lineEnd(text, end)]
  const isAlone = text.slice(first, start).trim() === '' && text.slice(end, last).trim() === ''
  if (isAlone) return { start: first, end: nextLine(text, end), text: '' }
  return { start, end: end + (/^ /.test(text.slice(end)) ? 1 : 0), text: '' }
}

/** The edit of a container whose only member is cut: nothing is left in it but comments. */
function emptied(text: string, container: Node, cut: TextEdit): TextEdit {
  const [open, close] = [container.offset + 1, endOf(container) - 1]
  const left = text.slice(open, Math.max(open, cut.start)) + text.slice(Math.min(close, cut.end), close)
  return left.trim() === '' ? { start: open, end: close, text: '' } : cut
}
