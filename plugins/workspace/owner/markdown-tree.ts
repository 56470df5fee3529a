import { fromMarkdown } from 'mdast-util-from-markdown'

type Nodes = ReturnType<typeof fromMarkdown>['children'][number]

/** A node of a document as plain data. The page creates one element of a fixed set for each, and text as text only. */
export type MarkdownNode =
  | string
  | {
      readonly tag: MarkdownTag
      readonly children: readonly MarkdownNode[]
      /** Of a link: `http:`, `https:` or `mailto:` only. */
      readonly href?: string
    }

/** The elements that a document can contain. */
export const MARKDOWN_TAGS = [
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
  'a',
  'br',
  'hr',
  'span',
] as const
export type MarkdownTag = (typeof MARKDOWN_TAGS)[number]

const MAX_DEPTH = 40

/** Converts a document to nodes. HTML, images and unsafe links remain source text. Never throws. */
export function markdownTree(text: string): readonly MarkdownNode[] {
  const root = fromMarkdown(text)
  return root.children.map((node) => nodeOf(node, text, 0))
}

const PLAIN_TAGS: Readonly<Record<string, MarkdownTag>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  listItem: 'li',
  emphasis: 'em',
  strong: 'strong',
  thematicBreak: 'hr',
  break: 'br',
}

function nodeOf(node: Nodes, source: string, depth: number): MarkdownNode {
  if (depth > MAX_DEPTH) return sourceOf(node, source)
  const children = (): readonly MarkdownNode[] =>
    'children' in node ? node.children.map((child) => nodeOf(child, source, depth + 1)) : []
  switch (node.type) {
    case 'text':
      return node.value
    case 'heading':
      return { tag: `h${node.depth}`, children: children() }
    case 'list':
      return { tag: node.ordered ? 'ol' : 'ul', children: children() }
    case 'code':
      return { tag: 'pre', children: [{ tag: 'code', children: [node.value] }] }
    case 'inlineCode':
      return { tag: 'code', children: [node.value] }
    case 'link':
      return link(node.url, children())
    default: {
      const tag = PLAIN_TAGS[node.type]
      return tag ? { tag, children: children() } : sourceOf(node, source)
    }
  }
}

/** Accepts links to web pages and mail addresses; others (`javascript:`, `data:`) remain text. */
function link(url: string, children: readonly MarkdownNode[]): MarkdownNode {
  const href = /^(?:https?:\/\/|mailto:)[^\s\u0000-\u001f]+$/i.test(url) ? url : undefined
  if (href !== undefined) return { tag: 'a', href, children }
  return { tag: 'span', children: [...children, ` (${url})`] }
}

/** The source text of a node that is not rendered. */
function sourceOf(node: Nodes, source: string): MarkdownNode {
  const { start, end } = node.position ?? {}
  const text = source.slice(start?.offset ?? 0, end?.offset ?? 0)
  const isBlock = node.type === 'html' || node.type === 'definition'
  return { tag: isBlock && text.includes('\n') ? 'pre' : 'span', children: [text] }
}
