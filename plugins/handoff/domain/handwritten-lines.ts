/** A line of Markdown, as a reader of headings and lists sees it. */
export type MarkdownLine =
  | { readonly kind: 'heading'; readonly text: string; readonly level: number; readonly heading: string }
  /** `**Goal:** text`: a heading in bold on the line of its text. */
  | { readonly kind: 'label'; readonly text: string; readonly label: string; readonly rest: string }
  | { readonly kind: 'text' | 'code'; readonly text: string }

/** The lines of a text. Inside a fenced block nothing is a heading. */
export function* markdownLines(markdown: string): Generator<MarkdownLine> {
  let fence: string | undefined
  for (const text of markdown.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const run = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      yield { kind: 'code', text }
      if (run?.startsWith(fence) && text.trim() === run) fence = undefined
    } else if (run !== undefined) {
      fence = run
      yield { kind: 'code', text }
    } else yield plainLine(text)
  }
}

function plainLine(text: string): MarkdownLine {
  const [, marks, titled = ''] = /^(#{1,6})[ \t]+(.*)$/s.exec(text) ?? []
  if (marks !== undefined && titled !== '') {
    return { kind: 'heading', text, level: marks.length, heading: withoutEnd(titled) }
  }
  const [, label, rest] = /^(?:\*\*|__)([^*_]{1,60}?):?(?:\*\*|__):?[ \t]*(.*)$/s.exec(text) ?? []
  if (label !== undefined && /:/.test(text.slice(0, label.length + 6))) {
    return { kind: 'label', text, label, rest: rest ?? '' }
  }
  return { kind: 'text', text }
}

/** A heading without the marks at its end and the blanks before them. One expression for both would try every blank. */
function withoutEnd(heading: string): string {
  let end = heading.length
  while (end > 1 && heading[end - 1] === '#') end -= 1
  while (end > 1 && /[ \t]/.test(heading[end - 1] ?? '')) end -= 1
  return heading.slice(0, end)
}

/** A list item, without its mark and check box. */
export interface ListEntry {
  readonly text: string
  /** Columns before its mark. */
  readonly indent: number
  /** Undefined without a check box. */
  readonly box: 'open' | 'ticked' | undefined
}

/** The list item in a line; undefined for another line. A box that is begun (`[-]`, `[~]`, `[/]`) is still open. */
export function listEntry(line: string): ListEntry | undefined {
  const [found, indent, box, text] =
    /^([ \t]*)(?:[-*+]|\d+[.)])[ \t]+(?:\[([ xX~/-]?)\][ \t]+)?(.*)$/s.exec(line) ?? []
  if (found === undefined) return undefined
  const ticked = box === 'x' || box === 'X'
  return {
    text: text ?? '',
    indent: (indent ?? '').length,
    box: box === undefined ? undefined : ticked ? 'ticked' : 'open',
  }
}
