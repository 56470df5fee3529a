/** A line of Markdown, as a reader of headings and lists sees it. */
export type MarkdownLine =
  | { readonly kind: 'heading'; readonly text: string; readonly level: number; readonly heading: string }
  /** `**Goal:** text`: a heading in bold on the line of its text. Or a line such as `Next steps:` before a list. */
  | {
      readonly kind: 'label'
      readonly text: string
      readonly label: string
      readonly rest: string
      readonly isBold: boolean
      readonly isBeforeList: boolean
    }
  /** A row of a table below its head; the head is a `frame`. A column that tells the status is its check box. */
  | { readonly kind: 'row'; readonly text: string; readonly cells: string; readonly box: ListEntry['box'] }
  /** A `rule` is a line across the page. */
  | { readonly kind: 'text' | 'code' | 'frame' | 'rule'; readonly text: string }

/** The lines of a text. Inside a fenced block nothing is a heading. The line under an underlined heading is part of it. */
export function* markdownLines(markdown: string): Generator<MarkdownLine> {
  let fence: string | undefined
  const table: Table = { statusAt: -1 }
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
    } else if (!underlined(lines, at - 1)) yield lineOf(lines, at, table)
  }
}

function lineOf(lines: readonly string[], at: number, table: Table): MarkdownLine {
  const [text = '', ...below] = lines.slice(at, at + 3)
  return isRow(text) ? rowOf(text, below[0] ?? '', table) : (underlined(lines, at) ?? plainLine(text, below))
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

function cellsOf(line: string): string[] {
  const cells = line.trim().slice(1, -1).split('|')
  return cells.map((cell) => cell.trim())
}

/** The table that is read. */
interface Table {
  /** The place of the column that tells the status; -1 without one. */
  statusAt: number
}

function rowOf(text: string, below: string, table: Table): MarkdownLine {
  const cells = cellsOf(text)
  const isHead = isRule(below)
  if (isHead) table.statusAt = cells.findIndex((cell) => /^(?:status|state|done\??)$/i.test(cell))
  if (isHead || isRule(text)) return { kind: 'frame', text }
  const said = cells.filter((cell) => cell !== '').join(' - ')
  return { kind: 'row', text, cells: said, box: boxOf(cells[table.statusAt] ?? '') }
}

/** What a cell says of the status, as a check box; undefined for another text. */
function boxOf(status: string): ListEntry['box'] {
  const isOpen =
    /\b(?:to-?do|open|pending|planned|deferred|blocked|next|wip|in[ -]progress|partial(?:ly)?|not|no)\b|[\u274C\u2B1C\u23F3\u{1F6A7}\u{1F504}]/iu
  if (isOpen.test(status)) return 'open'
  return /\b(?:done|complete[d]?|finished|shipped|merged|fixed|closed|yes)\b|[\u2705\u2611\u2714]/iu.test(
    status,
  )
    ? 'ticked'
    : undefined
}

/** Longest line that says what the list below it is. */
const MAX_LABEL = 80

function plainLine(text: string, below: readonly string[]): MarkdownLine {
  if (/^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(text)) return { kind: 'rule', text }
  const [, marks, titled = ''] = /^(#{1,6})[ \t]+(.*)$/s.exec(text) ?? []
  if (marks !== undefined && titled !== '') {
    return { kind: 'heading', text, level: marks.length, heading: withoutEnd(titled) }
  }
  const isBeforeList = listEntry(below.find((line) => line.trim() !== '') ?? '') !== undefined
  const [, label, rest = ''] = /^(?:\*\*|__)([^*_]{1,80}?):?(?:\*\*|__):?[ \t]*(.*)$/s.exec(text) ?? []
  if (
    label !== undefined &&
    (text.slice(0, label.length + 6).includes(':') || (rest === '' && isBeforeList))
  ) {
    return { kind: 'label', text, label, rest, isBold: true, isBeforeList }
  }
  const isLabel = isBeforeList && text.length <= MAX_LABEL && /^[^\s>*+|-].*:[ \t]*$/.test(text)
  return isLabel && listEntry(text) === undefined
    ? { kind: 'label', text, label: text.trim().slice(0, -1), rest: '', isBold: false, isBeforeList }
    : { kind: 'text', text }
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
