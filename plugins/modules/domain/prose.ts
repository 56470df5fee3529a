/** The prose of a README: what a person wrote, without banners, badges, tables, code and generated documentation. */
import { visibleText } from './visible-text.ts'

/** Longest part of a paragraph that is read: a description is far shorter. */
const MAX_PARAGRAPH_CHARS = 4_000

/** A piece of what a person wrote; white space collapsed, links as their text. */
export interface ProseBlock {
  /** A paragraph is not a quote, table, code, rule, badge, or list or line of links; headings are those outside code. */
  readonly kind: 'paragraph' | 'heading'
  readonly text: string
}

/** A piece as its lines hold it. */
interface RawBlock {
  readonly kind: 'text' | 'item' | 'heading'
  readonly source: string
}

/** A piece that may continue: a paragraph that ends in a colon includes the list after it. */
interface OpenBlock extends ProseBlock {
  readonly takesItems: boolean
}

type LineKind = 'text' | 'item' | 'heading' | 'underline' | 'table' | 'skip'

const UNDERLINE = /^([=\-~^])\1{2,}$/
const NO_WORDS = /^[^\p{L}\p{N}]*$/u
const TABLE_RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+$/
/** Link definitions, directives of reStructuredText, admonitions, quotes: not what the author says about the module. */
const NO_PROSE = /^(?:>|\.\. |!!!|:::|\[[^\]]{1,200}\]:)/

/** Paragraphs and headings in the order of the text, read as far as they are asked for. Linear in its length. */
export function* readProse(markdown: string): Generator<ProseBlock> {
  let open: OpenBlock | undefined
  for (const { kind, source } of blocksOf(visibleText(markdown).split('\n'))) {
    const { text, outsideLinks } = renderInline(source)
    if (NO_WORDS.test(kind === 'heading' ? text : outsideLinks)) {
      open = behindWordless(kind, open)
      continue
    }
    const longer: OpenBlock | undefined = withItem(open, kind, text)
    if (open && !longer) yield open
    open = longer ?? openedBy(kind, text)
  }
  if (open) yield open
}

function openedBy(kind: RawBlock['kind'], text: string): OpenBlock {
  if (kind === 'heading') return { kind, text, takesItems: false }
  return { kind: 'paragraph', text, takesItems: kind === 'text' && text.endsWith(':') }
}

/** A heading ends the list, also one that is only an image. */
function behindWordless(kind: RawBlock['kind'], open: OpenBlock | undefined): OpenBlock | undefined {
  return open && kind === 'heading' ? { ...open, takesItems: false } : open
}

/** The open paragraph with this item, where it takes items and this is one. */
function withItem(open: OpenBlock | undefined, kind: RawBlock['kind'], text: string): OpenBlock | undefined {
  if (kind !== 'item' || !open?.takesItems || open.text.length >= MAX_PARAGRAPH_CHARS) return undefined
  return { ...open, text: `${open.text}${open.text.endsWith(':') ? ' ' : '; '}${text}` }
}

interface OpenLines {
  readonly kind: 'text' | 'item'
  readonly lines: string[]
}

function* blocksOf(lines: readonly string[]): Generator<RawBlock> {
  let open: OpenLines = { kind: 'text', lines: [] }
  let inTable = false
  for (let at = 0; at <= lines.length; at++) {
    const line = lines[at] ?? ''
    const kind = kindOf(line, lines[at + 1] ?? '', open.lines.length > 0, inTable)
    inTable = kind === 'table'
    if (kind === 'text') {
      open.lines.push(line)
      continue
    }
    if (open.lines.length > 0) {
      yield { kind: kind === 'underline' ? 'heading' : open.kind, source: open.lines.join(' ') }
    }
    open = linesBehind(kind, line, open)
    if (kind === 'heading') yield { kind, source: line.replace(/^[\s#]+|[\s#]+$/g, '') }
  }
}

function linesBehind(kind: LineKind, line: string, open: OpenLines): OpenLines {
  if (kind === 'underline') return { kind: open.kind, lines: [] }
  if (kind !== 'item') return { kind: 'text', lines: [] }
  return { kind, lines: [line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')] }
}

function kindOf(line: string, next: string, isOpen: boolean, inTable: boolean): LineKind {
  const text = line.trim()
  if (isOpen && UNDERLINE.test(text)) return 'underline'
  if (text.startsWith('|') || (text.includes('|') && (inTable || TABLE_RULE.test(next.trim()))))
    return 'table'
  if (NO_WORDS.test(text) || NO_PROSE.test(text)) return 'skip'
  if (/^#{1,6}\s/.test(text)) return 'heading'
  if (/^(?:[-*+]|\d+[.)])\s/.test(text)) return isLinkItem(text) ? 'skip' : 'item'
  return !isOpen && /^(?: {4}|\t)/.test(line) ? 'skip' : 'text'
}

function isLinkItem(text: string): boolean {
  return /^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(?:[*_]*\[|<?https?:)/.test(text)
}

const LINK_START = '\uE000'
const LINK_END = '\uE001'

/** Images are removed, links become their text; `outsideLinks` is the rest. */
function renderInline(source: string): { text: string; outsideLinks: string } {
  const clean = source.slice(0, MAX_PARAGRAPH_CHARS).replace(/[\uE000\uE001]/g, '')
  const linked = renderLinks(clean)
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/\*\*|__|~~/g, '')
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES.get(name) ?? ' ')
  const outsideLinks = linked.replace(/\uE000[^\uE001]*\uE001/g, ' ')
  return { text: collapse(linked.replace(/[\uE000\uE001]/g, '')), outsideLinks: collapse(outsideLinks) }
}

const ENTITIES = new Map([
  ['nbsp', ' '],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
])

function renderLinks(source: string): string {
  const pieces: string[] = []
  const open: { piece: number; image: boolean }[] = []
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at] ?? ''
    const opener = char === ']' ? open.pop() : undefined
    const end = opener === undefined ? undefined : targetEnd(source, at + 1)
    if (char === '[') open.push({ piece: pieces.length, image: source[at - 1] === '!' })
    if (opener === undefined || end === undefined) {
      pieces.push(char)
      continue
    }
    const text = pieces
      .splice(opener.piece)
      .slice(1)
      .join('')
      .replace(/[\uE000\uE001]/g, '')
    if (opener.image) pieces.pop()
    else pieces.push(LINK_START, text, LINK_END)
    at = end - 1
  }
  return pieces.join('')
}

/** Offset after the `(url)` or `[reference]` that starts at `offset`, if one does. */
function targetEnd(source: string, offset: number): number | undefined {
  const closing = new Map([
    ['(', ')'],
    ['[', ']'],
  ]).get(source[offset] ?? '')
  if (closing === undefined) return undefined
  let depth = 0
  for (let at = offset; at < Math.min(source.length, offset + 1000); at += 1) {
    if (source[at] === source[offset]) depth += 1
    if (source[at] === closing) depth -= 1
    if (depth === 0) return at + 1
  }
  return undefined
}

/** On one line, with single spaces. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
