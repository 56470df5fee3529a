import { firstBytes } from '../../../server/plugin.ts'
import { findHeadings } from '../domain/heading.ts'
import { sectionsOf } from '../domain/section.ts'
import { partsOf } from '../domain/text-parts.ts'
import type { MarkdownNode } from './markdown-tree.ts'

/** Above this the page shows plain text. */
const RENDERED_BYTES = 128 * 1024
/** The parts between which the plain text may begin. */
const PART_CHARS = 2048
/** Above this the headings of the plain text are not shown as such: a browser keeps several elements for each. */
const MAX_PLAIN_SECTIONS = 5000
/**
 * Containers in one another on one line, items inside of items between two headings, and characters with a meaning in
 * one block: a parser takes quadratic time.
 */
const MAX_DEPTH = 40
const MAX_INNER_ITEMS = 2000
const MAX_MARKS = 4000

/**
 * The markup of a document as JSON in UTF-8: `nodes` of its first 128 KiB, then of plain text below headings; `rest` as plain
 * text alone. Text that would take a parser too long has no nodes: it is counted before anything is parsed.
 */
export async function pageMarkup(content: string): Promise<Uint8Array> {
  const text = renderedPart(content)
  if (!isBounded(text)) return noMarkup(content)
  const { markdownTree } = await import('./markdown-tree.ts')
  const rendered = markdownTree(text)
  const plain = plainSections(content, text.length)
  return plain ? asJson([...rendered, ...plain], '') : asJson(rendered, content.slice(text.length))
}

/** What is rendered of a document: no paragraph, table or fence is cut, if it has a place between them. */
function renderedPart(content: string): string {
  const { text, cut } = firstBytes(content, RENDERED_BYTES)
  if (!cut) return text
  const whole = partsOf(text, PART_CHARS).slice(0, -1).join('')
  return whole === '' ? text : whole
}

/** The document behind `from` as headings with plain text, so that every section can be edited; undefined for too many. */
function plainSections(content: string, from: number): readonly MarkdownNode[] | undefined {
  if (from === content.length) return []
  const headings = findHeadings(content)
  const sections = sectionsOf(content)
    .map(({ path, start }, at) => ({ path, start, heading: headings[at] }))
    .filter(({ start }) => start >= from)
  if (sections.length > MAX_PLAIN_SECTIONS) return undefined
  const nodes = plainText(content.slice(from, sections[0]?.start))
  sections.forEach(({ path, start, heading }, at) => {
    const tag = HEADING_TAGS[(heading?.level ?? 0) - 1]
    if (heading && tag) nodes.push({ tag, target: `section:${path}`, children: [heading.text] })
    nodes.push(...plainText(content.slice(start, sections[at + 1]?.start).replace(ATX_LINE, '')))
  })
  return nodes
}

const HEADING_TAGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'] as const

/** A heading that is shown already. */
const ATX_LINE = /^ {0,3}#[^\r\n]*(?:\r\n|\n|\r|$)/

/** Without the blank lines around it. */
function plainText(text: string): MarkdownNode[] {
  const shown = text.trimEnd().replace(/^\s*\n/, '')
  return shown === '' ? [] : [{ tag: 'pre', isPlain: true, children: [shown] }]
}

/** The whole document as plain text. */
export function noMarkup(content: string): Uint8Array {
  return asJson([], content)
}

function asJson(nodes: readonly MarkdownNode[], rest: string): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ nodes, rest }))
}

const CONTAINERS = /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*/
/** A blank line, an item of a list or a heading: what was marked before has no meaning behind it. */
const BEGINS_BLOCK = /^[ \t]*(?:$|#{1,6}[ \t]|(?:[-+*]|\d{1,9}[.)])[ \t])/
/** A heading at the left edge ends every list. */
const ENDS_LISTS = /^#{1,6}[ \t]/
const INDENTED = /^[ \t]/
const MARKS = /[*_~`[\]()<>&!\\^]/g

function isBounded(text: string): boolean {
  let marks = 0
  let inner = 0
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (BEGINS_BLOCK.test(line)) marks = 0
    marks += line.match(MARKS)?.length ?? 0
    const [containers = ''] = CONTAINERS.exec(line) ?? []
    const depth = containers.replace(/[ \t\d]/g, '').length
    if (ENDS_LISTS.test(line)) inner = 0
    if (depth > 0) inner += INDENTED.test(line) ? depth : depth - 1
    if (marks > MAX_MARKS || depth > MAX_DEPTH || inner > MAX_INNER_ITEMS) return false
  }
  return true
}
