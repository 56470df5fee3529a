import { withoutHidden } from '../../../server/plugin.ts'
import { LIMITS } from './limits.ts'
import { countDefinitionLines } from './link-definition.ts'
import { firstChars } from './short-text.ts'

/** A heading of the document itself; headings inside quotes, lists, code, HTML and comments do not count. */
export interface Heading {
  readonly level: number
  /** As written, without markers and hidden characters, trimmed, NFC, at most 512 characters. */
  readonly text: string
  /** Character offset of its first line. */
  readonly start: number
  /** 1-based. */
  readonly line: number
}

interface Line {
  readonly text: string
  readonly start: number
  readonly number: number
}

type Fence = { readonly kind: 'fence'; readonly mark: string; readonly length: number }

/** What an item or a quote leaves open: a paragraph that a later line may continue, or a fence of its own. */
interface Content {
  readonly lazy: boolean
  readonly fence: Fence | undefined
}

/** What the scanner is inside of, between two lines. */
export type State =
  | { readonly kind: 'open' }
  | { readonly kind: 'paragraph'; readonly lines: Line[] }
  | Fence
  | { readonly kind: 'html'; readonly end: RegExp }
  | ({ readonly kind: 'item'; readonly width: number; readonly empty: boolean } & Content)
  | ({ readonly kind: 'quote' } & Content)

const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/
const BREAK = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/
const FENCE = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/s
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])(?:([ \t]+)(.*)|)$/s
const BLOCK_TAGS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'

/** The HTML blocks of CommonMark: how each starts, how it ends, whether it may follow a paragraph line directly. */
const HTML_BLOCKS: readonly { readonly start: RegExp; readonly end: RegExp; readonly interrupts: boolean }[] =
  [
    {
      start: /^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i,
      end: /<\/(?:script|pre|style|textarea)>/i,
      interrupts: true,
    },
    { start: /^ {0,3}<!--/, end: /-->/, interrupts: true },
    { start: /^ {0,3}<\?/, end: /\?>/, interrupts: true },
    { start: /^ {0,3}<![A-Za-z]/, end: />/, interrupts: true },
    { start: /^ {0,3}<!\[CDATA\[/, end: /\]\]>/, interrupts: true },
    { start: new RegExp(`^ {0,3}</?(?:${BLOCK_TAGS})(?:\\s|/?>|$)`, 'i'), end: /^[ \t]*$/, interrupts: true },
    {
      start:
        /^ {0,3}(?:<[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>|<\/[A-Za-z][A-Za-z0-9-]*\s*>)[ \t]*$/,
      end: /^[ \t]*$/,
      interrupts: false,
    },
  ]

/** All headings of a Markdown text, in order: ATX and setext, outside of a leading front matter. Linear in the text's length. */
export function findHeadings(text: string): readonly Heading[] {
  const headings: Heading[] = []
  let state: State = { kind: 'open' }
  for (const line of bodyLines(text)) {
    const step: Step = next(state, line)
    if (step.heading) headings.push(step.heading)
    state = step.state
  }
  return headings
}

interface Step {
  readonly state: State
  readonly heading?: Heading
}

/** Inside of nothing. */
export const OPEN: State = { kind: 'open' }

/** What a line makes of what the scanner is inside of, and the heading that ends with it. */
export function next(state: State, line: Line): Step {
  switch (state.kind) {
    case 'fence':
      return { state: closesFence(state, line.text) ? OPEN : state }
    case 'html':
      return { state: state.end.test(line.text) ? OPEN : state }
    case 'item':
      return inItem(state, line)
    case 'quote':
      return inQuote(state, line)
    case 'paragraph':
      return inParagraph(state.lines, line)
    case 'open':
      return startBlock(line)
  }
}

function startBlock(line: Line): Step {
  const { text } = line
  if (isBlank(text) || indentOf(text) >= 4) return { state: OPEN }
  return blockStart(line, 'nothing') ?? { state: { kind: 'paragraph', lines: [line] } }
}

/** What is open right before a line: fewer blocks may start after a paragraph, or after one inside a container. */
type Before = 'nothing' | 'paragraph' | 'inner paragraph'

type BlockStart = (line: Line, before: Before, depth: number) => Step | undefined

/** By the first character behind the indentation, so that most lines meet no pattern, and the others only theirs. */
const BLOCK_STARTS: Readonly<Record<string, BlockStart>> = {
  '#': headingStart,
  '`': fenceStart,
  '~': fenceStart,
  '>': quoteStart,
  '<': htmlStart,
  _: breakStart,
  '*': breakOrItemStart,
  '-': breakOrItemStart,
  '+': itemStart,
  ...Object.fromEntries(Array.from('0123456789', (digit) => [digit, itemStart])),
}

/** The block that this line opens, if it opens one. */
function blockStart(line: Line, before: Before, depth = 0): Step | undefined {
  return BLOCK_STARTS[firstMark(line.text)]?.(line, before, depth)
}

/** The character behind up to three blanks. */
export function firstMark(text: string): string {
  let at = 0
  while (at < 3 && text.charAt(at) === ' ') at += 1
  return text.charAt(at)
}

function headingStart(line: Line): Step | undefined {
  const atx = ATX.exec(line.text)
  return atx ? { state: OPEN, heading: atxHeading(line, atx) } : undefined
}

function fenceStart({ text }: Line): Step | undefined {
  const state = fenceOf(text)
  return state && { state }
}

function fenceOf(text: string): Fence | undefined {
  const fence = FENCE.exec(text)
  if (!fence) return undefined
  const marks = fence[1] ?? fence[2] ?? ''
  return { kind: 'fence', mark: marks.charAt(0), length: marks.length }
}

const QUOTE = /^ {0,3}> ?/

function quoteStart({ text }: Line, _before: Before, depth: number): Step {
  return { state: { kind: 'quote', ...contentAfter(undefined, text.replace(QUOTE, ''), depth + 1) } }
}

function breakStart({ text }: Line): Step | undefined {
  return BREAK.test(text) ? { state: OPEN } : undefined
}

function breakOrItemStart(line: Line, before: Before, depth: number): Step | undefined {
  return breakStart(line) ?? itemStart(line, before, depth)
}

function itemStart({ text }: Line, before: Before, depth: number): Step | undefined {
  const item = ITEM.exec(text)
  if (!item || (before === 'paragraph' && !interruptsParagraph(item))) return undefined
  return { state: itemState(item, depth) }
}

function htmlStart({ text }: Line, before: Before): Step | undefined {
  for (const block of HTML_BLOCKS) {
    if (!block.start.test(text) || (before !== 'nothing' && !block.interrupts)) continue
    return { state: block.end.test(text) ? OPEN : { kind: 'html', end: block.end } }
  }
  return undefined
}

function inParagraph(lines: Line[], line: Line): Step {
  if (isBlank(line.text)) return { state: OPEN }
  const underline = SETEXT.exec(line.text)
  const underlined = underline ? lines.slice(countDefinitionLines(lines.map(({ text }) => text))) : []
  const first = underlined[0]
  if (underline && first) {
    const text = headingText(underlined.map((one) => one.text.trim()).join(' '))
    const level = underline[1]?.startsWith('=') ? 1 : 2
    return { state: OPEN, heading: { level, text, start: first.start, line: first.number } }
  }
  if (indentOf(line.text) < 4) {
    const block = blockStart(line, 'paragraph')
    if (block) return block
  }
  lines.push(line) // one growing list: a copy per line would be quadratic
  return { state: { kind: 'paragraph', lines } }
}

function inItem(state: State & { kind: 'item' }, line: Line): Step {
  const { text } = line
  if (isBlank(text)) return { state: state.empty ? OPEN : { ...state, lazy: false } }
  const indent = indentOf(text)
  if (indent >= state.width) {
    return {
      state: {
        ...state,
        empty: false,
        ...contentAfter(state.fence, text.slice(Math.min(state.width, text.search(/\S/))), 1),
      },
    }
  }
  return isLazy(state.lazy, line) ? { state } : startBlock(line)
}

function inQuote(state: State & { kind: 'quote' }, line: Line): Step {
  const { text } = line
  if (QUOTE.test(text))
    return { state: { ...state, ...contentAfter(state.fence, text.replace(QUOTE, ''), 1) } }
  return isLazy(state.lazy, line) ? { state } : startBlock(line)
}

/** True when the line only continues the paragraph that a quote or list item left open. */
function isLazy(lazy: boolean, line: Line): boolean {
  if (!lazy || isBlank(line.text)) return false
  return indentOf(line.text) >= 4 || blockStart(line, 'inner paragraph') === undefined
}

/** Containers within containers that are followed; deeper ones are taken as holding no paragraph. */
const MAX_NESTING = 50

const NOTHING: Content = { lazy: false, fence: undefined }

/** What a line of a container leaves open, behind a fence of that container. */
function contentAfter(fence: Fence | undefined, text: string, depth: number): Content {
  if (fence) return closesFence(fence, text) ? NOTHING : { lazy: false, fence }
  const started = fenceOf(text)
  if (started) return { lazy: false, fence: started }
  return { lazy: endsInParagraph(text, depth), fence: undefined }
}

/** True when text inside a container leaves a paragraph open that a later line may continue. */
function endsInParagraph(text: string, depth: number): boolean {
  if (depth > MAX_NESTING || isBlank(text) || indentOf(text) >= 4) return false
  const inner = blockStart({ text, start: 0, number: 0 }, 'nothing', depth)
  if (!inner) return true
  return (inner.state.kind === 'quote' || inner.state.kind === 'item') && inner.state.lazy
}

function itemState(item: RegExpExecArray, depth: number): State {
  const [, indent = '', marker = '', gap = '', rest = ''] = item
  const markerWidth = indent.length + marker.length
  const blank = isBlank(rest)
  const gapWidth = columns(gap, markerWidth)
  const width = markerWidth + (blank || gapWidth > 4 ? 1 : gapWidth)
  return {
    kind: 'item',
    width,
    empty: blank,
    ...(blank || gapWidth > 4 ? NOTHING : contentAfter(undefined, rest, depth + 1)),
  }
}

function interruptsParagraph(item: RegExpExecArray): boolean {
  const [, , marker = '', , rest = ''] = item
  return !isBlank(rest) && (!/^\d/.test(marker) || /^1[.)]$/.test(marker))
}

function closesFence(fence: Fence, text: string): boolean {
  const match = /^ {0,3}(`+|~+)[ \t]*$/.exec(text)
  return match?.[1]?.charAt(0) === fence.mark && match[1].length >= fence.length
}

function atxHeading(line: Line, match: RegExpExecArray): Heading {
  const text = withoutClosing(match[2] ?? '')
  return { level: (match[1] ?? '#').length, text: headingText(text), start: line.start, line: line.number }
}

/** Without the closing `#`s, which follow white space. By hand: a pattern takes quadratic time on a long run of blanks. */
function withoutClosing(text: string): string {
  const marks = endBefore(text, text.length, ' \t')
  const end = endBefore(text, marks, '#')
  return end < marks && (end === 0 || ' \t'.includes(text.charAt(end - 1))) ? text.slice(0, end) : text
}

function endBefore(text: string, from: number, chars: string): number {
  let end = from
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1
  return end
}

/** More than any target can name: what is longer is cut, so that no path grows with its document. */
const HEADING_CHARS = LIMITS.targetChars

function headingText(text: string): string {
  return firstChars(withoutHidden(text).trim(), HEADING_CHARS).normalize('NFC')
}

/** Whether a line holds nothing but white space. */
export function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text)
}

/** Columns of leading white space; a tab ends at the next multiple of four. */
function indentOf(text: string): number {
  return /^[ \t]/.test(text) ? columns(/^[ \t]*/.exec(text)?.[0] ?? '', 0) : 0
}

function columns(space: string, from: number): number {
  let column = from
  for (const char of space) column = char === '\t' ? column + 4 - (column % 4) : column + 1
  return column - from
}

/** The lines after a byte order mark and a leading `---` front matter, without their line ends. */
function* bodyLines(text: string): Generator<Line> {
  const matter = frontMatterEnd(text)
  for (const line of splitLines(text)) if (line.start >= matter) yield line
}

/** The lines of a text, without a byte order mark and their line ends. */
export function* splitLines(text: string): Generator<Line> {
  let start = text.startsWith('\ufeff') ? 1 : 0
  for (let number = 1; start < text.length; number += 1) {
    const ending = nextLineEnd(text, start)
    yield { text: text.slice(start, ending.at), start, number }
    start = ending.after
  }
}

const LINE_END = /\r\n?|\n/g

/** Where the line that holds offset `from` ends, and where the next one begins. */
export function nextLineEnd(text: string, from: number): { readonly at: number; readonly after: number } {
  LINE_END.lastIndex = from
  const found = LINE_END.exec(text)
  return found ? { at: found.index, after: LINE_END.lastIndex } : { at: text.length, after: text.length }
}

/** Where a leading `---` front matter ends, with its last line end; 0 where a text begins with none. */
export function frontMatterEnd(text: string): number {
  for (const line of splitLines(text)) {
    if (line.number === 1 && line.text.trimEnd() !== '---') return 0
    if (line.number > 1 && /^(?:---|\.\.\.)[ \t]*$/.test(line.text))
      return nextLineEnd(text, line.start).after
  }
  return 0
}
