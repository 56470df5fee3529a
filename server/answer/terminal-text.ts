import { isJsonObject } from '../platform/json-object.ts'
import { showHidden } from '../platform/visible-text.ts'
import { type Block, layoutOf } from './layout.ts'
import { Literal } from './literal.ts'
import { type TextFit, textFitOf } from './text-fit.ts'

export interface TerminalStyle {
  /** Width in columns; undefined: no line is wrapped, as for a file or a pipe. */
  readonly columns: number | undefined
  readonly color: boolean
}

/** A style, with what fits text to its width. */
interface Style extends TerminalStyle {
  readonly fit: TextFit
}

/** Columns between those of a table. */
const GAP = 2
/** Narrowest column of a table; a table that needs narrower ones is printed as a list. */
const COLUMN_MIN = 8

/** Prints data for a person: a headline, then every member, with tables and text that fit the width. */
export async function terminalText(
  headline: string,
  data: Readonly<Record<string, unknown>>,
  { columns, color }: TerminalStyle,
): Promise<string> {
  const isTerminal = columns !== undefined
  const shown = (isTerminal ? visible(data) : data) as Record<string, unknown> // an object stays one
  const style = { columns, color, fit: await textFitOf(shown, columns) }
  return [
    bold(isTerminal ? showHidden(headline) : headline, style),
    ...printed(
      layoutOf(shown).filter((block) => !isHeadline(block, headline)),
      0,
      style,
    ),
  ].join('\n')
}

/** Prints data without a headline, indented, with hidden characters made visible. */
export async function terminalBlocks(
  data: Readonly<Record<string, unknown>>,
  style: TerminalStyle,
  indent: number,
): Promise<string> {
  const shown = visible(data) as Record<string, unknown> // an object stays one
  const fit = await textFitOf(shown, style.columns)
  return printed(layoutOf(shown), indent, { ...style, fit }).join('\n')
}

/** True for a value that the headline already is. */
function isHeadline(block: Block, headline: string): boolean {
  return block.kind === 'line' && block.value === headline
}

function printed(blocks: readonly Block[], indent: number, style: Style): string[] {
  return blocks.flatMap((block) => linesOf(block, indent, style))
}

function linesOf(block: Block, indent: number, style: Style): string[] {
  const title = (): string => `${' '.repeat(indent)}${bold(`${block.label}:`, style)}`
  switch (block.kind) {
    case 'line':
      return wrapped(
        `${block.label === '' ? '' : `${bold(`${block.label}:`, style)} `}${block.value}`,
        indent,
        style,
      )
    case 'items':
      return [title(), ...block.items.flatMap((item) => wrapped(`- ${item}`, indent + 2, style))]
    case 'text':
      return [title(), block.text.replace(/\n$/, '')]
    case 'group':
      return [title(), ...printed(block.blocks, indent + 2, style)]
    case 'table':
      return [title(), ...tableLines(block.header, block.rows, indent + 2, style)]
    case 'entries':
      return [
        title(),
        ...block.entries.flatMap((entry, at) => {
          const [first = '', ...rest] = printed(entry, indent + 5, style)
          const number = `${' '.repeat(indent)}${`${block.first + at}.`.padStart(4)} `
          return [`${number}${first.trimStart()}`, ...rest]
        }),
      ]
  }
}

/** Wraps a line; the lines after the first are indented two columns more. */
function wrapped(line: string, indent: number, { columns, fit }: Style): string[] {
  const start = ' '.repeat(indent)
  if (columns === undefined) return [`${start}${line}`]
  const [first = '', ...rest] = fit.wrap(line, Math.max(20, columns - indent - 2))
  return [`${start}${first}`, ...rest.map((each) => `${start}  ${each}`)]
}

function tableLines(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  indent: number,
  style: Style,
): string[] {
  const { fit } = style
  // Not by one call with a width for each row: of many rows there are more than a call takes.
  const natural = header.map((name, column) =>
    rows.reduce((widest, row) => Math.max(widest, fit.width(row[column] ?? '')), fit.width(name)),
  )
  const widths =
    style.columns === undefined
      ? natural
      : fitted(natural, style.columns - indent - GAP * (header.length - 1))
  if (!widths) {
    return rows.flatMap((row) =>
      header.flatMap((name, column) =>
        wrapped(`${column === 0 ? '- ' : '  '}${name}: ${row[column] ?? ''}`, indent, style),
      ),
    )
  }
  const line = (cells: readonly string[], paint = (text: string): string => text): string[] => {
    const wrappedCells = cells.map((cell, column) => fit.wrap(cell, widths[column] ?? 0))
    const height = Math.max(...wrappedCells.map(({ length }) => length))
    return Array.from({ length: height }, (_, at) =>
      `${' '.repeat(indent)}${wrappedCells
        .map((parts, column) => padded(paint(parts[at] ?? ''), widths[column] ?? 0, fit))
        .join(' '.repeat(GAP))}`.trimEnd(),
    )
  }
  return [...line(header, (text) => dim(text, style)), ...rows.flatMap((row) => line(row))]
}

/** Narrows the widest columns until the sum fits; undefined if the columns would be too narrow. */
function fitted(natural: readonly number[], available: number): number[] | undefined {
  const widths = [...natural]
  const sum = (): number => widths.reduce((total, width) => total + width, 0)
  while (sum() > available) {
    const widest = widths.indexOf(Math.max(...widths))
    if ((widths[widest] ?? 0) <= COLUMN_MIN) return undefined
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

function padded(text: string, width: number, fit: TextFit): string {
  return `${text}${' '.repeat(Math.max(0, width - fit.width(text)))}`
}

function bold(text: string, { color }: TerminalStyle): string {
  return color ? `\u001b[1m${text}\u001b[22m` : text
}

function dim(text: string, { color }: TerminalStyle): string {
  return color && text !== '' ? `\u001b[2m${text}\u001b[22m` : text
}

/** Data whose hidden characters can be seen and cannot control the terminal. */
function visible(value: unknown): unknown {
  if (typeof value === 'string') return showHidden(value)
  if (value instanceof Literal) return new Literal(showHidden(value.text))
  if (Array.isArray(value)) return value.map(visible)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [showHidden(name), visible(member)]),
  )
}
