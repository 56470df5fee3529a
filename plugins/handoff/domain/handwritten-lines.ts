/** A line of Markdown, as a reader of headings and lists sees it. */
export type MarkdownLine =
  | { readonly kind: 'heading'; readonly text: string; readonly level: number; readonly heading: string }
  /** `**Goal:** text`: a heading in bold on the line of its text. */
  | { readonly kind: 'label'; readonly text: string; readonly label: string; readonly rest: string }
  /** A row of a table below its head; the head is a `frame`. */
  | { readonly kind: 'row'; readonly text: string; readonly cells: string }
  | { readonly kind: 'text' | 'code' | 'frame'; readonly text: string }

/** The lines of a text. Inside a fenced block nothing is a heading. The line under an underlined heading is part of it. */
export function* markdownLines(markdown: string): Generator<MarkdownLine> {
  let fence: string | undefined
  const lines = markdown.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const text of lines.splice(0, frontMatterLines(lines))) yield { kind: 'text', text }
  for (const [at, text] of lines.entries()) {
    const run = /^ {0,3}(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence !== undefined) {
      yield { kind: 'code', text }
      if (run?.startsWith(fence) && text.trim() === run) fence = undefined
    } else if (run !== undefined) {
      fence = run
      yield { kind: 'code', text }
    } else if (!underlined(lines, at - 1)) yield underlined(lines, at) ?? plainLine(text, lines[at + 1])
  }
}

/** The number of lines of front matter: settings at the start, between two lines of three hyphens. */
function frontMatterLines(lines: readonly string[]): number {
  return lines[0] === '---' ? lines.indexOf('---', 1) + 1 : 0
}

/** The heading in a line that has `===` or `---` under it and no text above. */
function underlined(lines: readonly string[], at: number): MarkdownLine | undefined {
  const [above = '', text = '', under = ''] = [lines[at - 1], lines[at], lines[at + 1]]
  const isText = /^ {0,3}[^\s#>|`~*+-]/.test(text) && above.trim() === ''
  if (!isText || !/^(?:={3,}|-{3,})[ \t]*$/.test(under)) return undefined
  return {
    kind: 'heading',
    text: `${text}\n${under}`,
    level: under.startsWith('=') ? 1 : 2,
    heading: text.trim(),
  }
}

function isRow(line: string): boolean {
  return /^ {0,3}\|.*\|[ \t]*$/.test(line)
}

/** The line between the head of a table and its rows. */
function isRule(line: string): boolean {
  return isRow(line) && /^[|: \t-]*-[|: \t-]*$/.test(line)
}

function plainLine(text: string, next = ''): MarkdownLine {
  if (isRule(text) || (isRow(text) && isRule(next))) return { kind: 'frame', text }
  if (isRow(text)) {
    const cells = text.trim().slice(1, -1).split('|')
    const said = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
    return { kind: 'row', text, cells: said.join(' - ') }
  }
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
