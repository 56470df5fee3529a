import { type Block, layoutOf } from './layout.ts'

/** Prints data as compact text for a model: every member, in order, nothing cut. */
export function plainText(data: Readonly<Record<string, unknown>>): string {
  return printed(layoutOf(data), '').join('\n')
}

function printed(blocks: readonly Block[], indent: string): string[] {
  return blocks.flatMap((block) => linesOf(block, indent))
}

function linesOf(block: Block, indent: string): string[] {
  const { label } = block
  switch (block.kind) {
    case 'line':
      return [`${indent}${label === '' ? '' : `${label}: `}${block.value}`]
    case 'items':
      return [`${indent}${label}:`, ...block.items.map((item) => `${indent}- ${item}`)]
    case 'table':
      return [
        `${indent}${label}:`,
        `${indent}${block.header.join(' | ')}`,
        ...block.rows.map((row) => `${indent}${row.join(' | ')}`),
      ]
    case 'group':
      return [`${indent}${label}:`, ...printed(block.blocks, `${indent}  `)]
    case 'text':
      // Verbatim, without indentation: a reader may copy it back, with its last line end or without.
      return [
        `--- ${label} (${block.lines})`,
        block.text.replace(/\n$/, ''),
        `--- end of ${label}${block.text.endsWith('\n') ? '' : ', no final newline'}`,
      ]
    case 'entries':
      return [
        `${indent}${label}:`,
        ...block.entries.flatMap((entry, at) => entryLines(entry, `${block.first + at}. `, indent)),
      ]
  }
}

/** The short members of an entry share its first line. */
function entryLines(entry: readonly Block[], number: string, indent: string): string[] {
  const short = entry.flatMap((block) => (block.kind === 'line' ? linesOf(block, '') : []))
  const rest = entry.filter(({ kind }) => kind !== 'line')
  return [`${indent}${number}${short.join(' | ')}`, ...printed(rest, `${indent}   `)]
}
