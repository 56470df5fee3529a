import { firstBytes } from '../domain/short-text.ts'
import type { MarkdownNode } from './markdown-tree.ts'

/** Above this the page shows plain text. */
const RENDERED_BYTES = 128 * 1024
/**
 * Containers in one another on one line, items inside of items between two headings, and characters with a meaning in
 * one block: a parser takes quadratic time.
 */
const MAX_DEPTH = 40
const MAX_INNER_ITEMS = 2000
const MAX_MARKS = 4000

/**
 * The markup of a document as JSON in UTF-8: `nodes` of its first 128 KiB, `rest` as plain text. Text that would take a parser
 * too long has no nodes: it is counted before anything is parsed.
 */
export async function pageMarkup(content: string): Promise<Uint8Array> {
  const { text } = firstBytes(content, RENDERED_BYTES)
  if (!isBounded(text)) return noMarkup(content)
  const { markdownTree } = await import('./markdown-tree.ts')
  return asJson(markdownTree(text), content.slice(text.length))
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
