import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import { frontMatterEnd } from '../domain/heading.ts'
import { sectionsOf } from '../domain/section.ts'
import { partsOf } from '../domain/text-parts.ts'

type Root = ReturnType<typeof fromMarkdown>
type Nodes = Root['children'][number]

/** A node of a document as plain data. The page creates one element of a fixed set for each, and text as text only. */
export type MarkdownNode = string | MarkdownElement

export interface MarkdownElement {
  readonly tag: MarkdownTag
  readonly children: readonly MarkdownNode[]
  /** Of a link: `http:`, `https:` or `mailto:` only, or a footnote of this document. */
  readonly href?: string
  /** Of a footnote: `note-1`. */
  readonly id?: string
  /** Of a heading outside of lists and quotes: what a proposal or lease calls its section. */
  readonly target?: string
  /** Of a task: whether it is done, and where its `[ ]` begins in the document. */
  readonly task?: { readonly done: boolean; readonly at: number }
  /** Of `pre`: text that is shown as it is written, because it was not parsed. */
  readonly isPlain?: true
  /** Of a numbered list that does not begin with 1. */
  readonly start?: number
  /** Of a table's cell. */
  readonly align?: 'left' | 'right' | 'center'
}

/** The elements that a document can contain. */
const MARKDOWN_TAGS = [
  'p',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'blockquote',
  'ul',
  'ol',
  'li',
  'pre',
  'code',
  'em',
  'strong',
  'del',
  'a',
  'sup',
  'br',
  'hr',
  'span',
  'table',
  'thead',
  'tbody',
  'tr',
  'th',
  'td',
] as const
export type MarkdownTag = (typeof MARKDOWN_TAGS)[number]

const MAX_DEPTH = 40

/** What rendering a node needs to know of the document. */
interface Source {
  /** The part that its positions count from, and where that begins. */
  readonly text: string
  readonly offset: number
  /** Section targets by where their heading begins. */
  readonly targets: ReadonlyMap<number, string>
  /** Numbers of footnotes by their label, in the order of their first reference. */
  readonly notes: Map<string, number>
}

/**
 * What is parsed together: a parser keeps hundreds of bytes for each character until it is done, and what lives long is
 * moved by every garbage collection in between, on every processor.
 */
const PART_CHARS = 2048
/** In each definition of a link or of a note, which has a meaning for the whole document. */
const DEFINES = ']:'
const BYTE_ORDER_MARK = '\ufeff'

/** Converts a document to nodes. Front matter, HTML, images and unsafe links remain source text. Never throws. */
export function markdownTree(text: string, partChars = PART_CHARS): readonly MarkdownNode[] {
  const targets = targetsIn(text)
  const notes = new Map<string, number>()
  const begin = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0 // no character to a parser, which counts without it
  let offset = Math.max(begin, frontMatterEnd(text))
  const matter = text.slice(begin, offset)
  const body = text.slice(offset)
  const shown = (body.includes(DEFINES) ? [body] : partsOf(body, partChars)).flatMap((part) => {
    const mark = part.startsWith(BYTE_ORDER_MARK) ? 1 : 0 // behind front matter
    const nodes = treeOf({ text: part.slice(mark), offset: offset + mark, targets, notes })
    offset += part.length
    return nodes
  })
  return matter === '' ? shown : [codeBlock(matter), ...shown]
}

function codeBlock(text: string): MarkdownElement {
  return { tag: 'pre', children: [{ tag: 'code', children: [text] }] }
}

function treeOf(source: Source): readonly MarkdownNode[] {
  const root = fromMarkdown(source.text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] })
  const shown = root.children.filter(({ type }) => type !== 'footnoteDefinition')
  const nodes = shown.map((node) => nodeOf(node, source, 0))
  return [...nodes, ...footnotes(root, source)]
}

function targetsIn(text: string): ReadonlyMap<number, string> {
  return new Map(sectionsOf(text).map(({ path, start }) => [start, `section:${path}`]))
}

const PLAIN_TAGS: Readonly<Record<string, MarkdownTag>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  emphasis: 'em',
  strong: 'strong',
  delete: 'del',
  thematicBreak: 'hr',
  break: 'br',
}

function nodeOf(node: Nodes, source: Source, depth: number): MarkdownNode {
  if (depth > MAX_DEPTH) return sourceOf(node, source)
  const children = (): readonly MarkdownNode[] =>
    'children' in node ? node.children.map((child) => nodeOf(child, source, depth + 1)) : []
  switch (node.type) {
    case 'text':
      return node.value
    case 'heading':
      return heading(node, source, children())
    case 'list':
      return { tag: node.ordered ? 'ol' : 'ul', children: children(), ...startOf(node) }
    case 'listItem':
      return { tag: 'li', children: children(), ...taskOf(node, source) }
    case 'code':
      return codeBlock(node.value)
    case 'inlineCode':
      return { tag: 'code', children: [node.value] }
    case 'link':
      return link(node.url, children())
    case 'table':
      return table(node, source, depth)
    case 'footnoteReference':
      return noteReference(node.identifier, source)
    default: {
      const tag = PLAIN_TAGS[node.type]
      return tag ? { tag, children: children() } : sourceOf(node, source)
    }
  }
}

function heading(
  node: Nodes & { type: 'heading' },
  { targets, offset }: Source,
  children: readonly MarkdownNode[],
): MarkdownNode {
  const start = node.position?.start
  // The heading of a section begins its line; the node begins after up to three blanks of indentation.
  const target = start && targets.get(offset + (start.offset ?? 0) - (start.column - 1))
  return { tag: `h${node.depth}`, children, ...(target !== undefined && { target }) }
}

function startOf({ start }: Nodes & { type: 'list' }) {
  return typeof start === 'number' && start !== 1 ? { start } : {}
}

function taskOf(node: Nodes & { type: 'listItem' }, { text, offset }: Source) {
  const from = node.position?.start.offset
  if (typeof node.checked !== 'boolean' || from === undefined) return {}
  return { task: { done: node.checked, at: offset + text.indexOf('[', from) } }
}

/** Accepts links to web pages and mail addresses; others (`javascript:`, `data:`) remain text. */
function link(url: string, children: readonly MarkdownNode[]): MarkdownNode {
  const href = /^(?:https?:\/\/|mailto:)[^\s\u0000-\u001f]+$/i.test(url) ? url : undefined
  if (href !== undefined) return { tag: 'a', href, children }
  return { tag: 'span', children: [...children, ` (${url})`] }
}

function table(node: Nodes & { type: 'table' }, source: Source, depth: number): MarkdownNode {
  const [head, ...body] = node.children.map((row, index) => ({
    tag: 'tr' as const,
    children: row.children.map((cell, column) => {
      const align = node.align?.[column]
      return {
        tag: index === 0 ? ('th' as const) : ('td' as const),
        children: cell.children.map((child) => nodeOf(child, source, depth + 3)),
        ...(align && { align }),
      }
    }),
  }))
  const parts: MarkdownNode[] = head ? [{ tag: 'thead', children: [head] }] : []
  if (body.length > 0) parts.push({ tag: 'tbody', children: body })
  return { tag: 'table', children: parts }
}

function noteReference(label: string, { notes }: Source): MarkdownNode {
  const number = notes.get(label) ?? notes.size + 1
  notes.set(label, number)
  return { tag: 'sup', children: [{ tag: 'a', href: `#note-${number}`, children: [String(number)] }] }
}

/** The footnotes in the order of their references; those that nothing refers to come last. */
function footnotes(root: Root, source: Source): readonly MarkdownNode[] {
  const found = root.children.filter((node) => node.type === 'footnoteDefinition')
  if (found.length === 0) return []
  const items = found.map((note) => {
    noteReference(note.identifier, source)
    return {
      number: source.notes.get(note.identifier) ?? 0,
      children: note.children.map((child) => nodeOf(child, source, 2)),
    }
  })
  const list = items
    .sort((a, b) => a.number - b.number)
    .map(({ number, children }) => ({ tag: 'li' as const, id: `note-${number}`, children }))
  return [
    { tag: 'hr', children: [] },
    { tag: 'ol', children: list },
  ]
}

/** The source text of a node that is not rendered. */
function sourceOf(node: Nodes, { text }: Source): MarkdownNode {
  const { start, end } = node.position ?? {}
  const written = text.slice(start?.offset ?? 0, end?.offset ?? 0)
  const isBlock = node.type === 'html' || node.type === 'definition'
  return { tag: isBlock && written.includes('\n') ? 'pre' : 'span', children: [written] }
}
