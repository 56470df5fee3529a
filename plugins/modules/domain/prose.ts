/** The prose of a README: what a person wrote, without banners, badges, tables, code and generated documentation. */
import { visibleText } from './visible-text.ts'

/** A paragraph is looked at up to here: a description is far shorter. */
const MAX_PARAGRAPH_CHARS = 4_000

/** What of a README is prose; white space collapsed, links as their text. */
export interface Prose {
  /** No headings, quotes, tables, code, rules, badges, or lists and lines of links. */
  readonly paragraphs: readonly string[]
  /** Headings outside code and generated documentation. */
  readonly headings: readonly string[]
}

interface Blocks {
  readonly paragraphs: string[]
  readonly headings: string[]
  /** The last paragraph ended in a colon: the list behind it belongs to it. */
  opensList: boolean
}

type LineKind = 'text' | 'item' | 'heading' | 'underline' | 'table' | 'skip'

const UNDERLINE = /^([=\-~^])\1{2,}$/
const NO_WORDS = /^[^\p{L}\p{N}]*$/u
const TABLE_RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+$/
/** Link definitions, directives of reStructuredText, admonitions, quotes: not what the author says of the module. */
const NO_PROSE = /^(?:>|\.\. |!!!|:::|\[[^\]]{1,200}\]:)/

/** Paragraphs and headings in the order of the text. Linear in its length. */
export function readProse(markdown: string): Prose {
  const blocks: Blocks = { paragraphs: [], headings: [], opensList: false }
  const lines = visibleText(markdown).split('\n')
  let open: string[] = []
  let isItem = false
  let inTable = false
  for (const [index, line] of [...lines, ''].entries()) {
    const kind = kindOf(line, lines[index + 1] ?? '', open.length > 0, inTable)
    inTable = kind === 'table'
    if (kind === 'underline') {
      addHeading(blocks, open.join(' '))
      open = []
      continue
    }
    if (kind !== 'text') {
      addParagraph(blocks, open, isItem)
      open = []
      isItem = kind === 'item'
    }
    if (kind === 'heading') addHeading(blocks, line.replace(/^[\s#]+|[\s#]+$/g, ''))
    if (kind === 'text') open.push(line)
    if (kind === 'item') open.push(line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, ''))
  }
  return blocks
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

function addHeading(blocks: Blocks, source: string): void {
  blocks.opensList = false
  const { text } = renderInline(source)
  if (!NO_WORDS.test(text)) blocks.headings.push(text)
}

function addParagraph(blocks: Blocks, lines: readonly string[], isItem: boolean): void {
  if (lines.length === 0) return
  const { text, outsideLinks } = renderInline(lines.join(' '))
  if (NO_WORDS.test(outsideLinks)) return
  const last = blocks.paragraphs.at(-1) ?? ''
  if (isItem && blocks.opensList && last.length < MAX_PARAGRAPH_CHARS) {
    blocks.paragraphs.splice(-1, 1, `${last}${last.endsWith(':') ? ' ' : '; '}${text}`)
    return
  }
  blocks.opensList = !isItem && text.endsWith(':')
  blocks.paragraphs.push(text)
}

const LINK_START = '\uE000'
const LINK_END = '\uE001'

/** Images go, links become their text; `outsideLinks` is the rest. */
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

/** Offset behind `(url)` or `[reference]` that starts at `offset`, if one does. */
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

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
