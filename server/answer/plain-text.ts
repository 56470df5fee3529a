import { type Block, layoutOf } from './layout.ts'

/** Prints data as compact text for a model: every member that is `shown`, in order, nothing cut. */
export function plainText(
  data: Readonly<Record<string, unknown>>,
  shown?: (member: string) => boolean,
): string {
  const lines: string[] = []
  print(layoutOf(data, shown), '', lines)
  return lines.join('\n')
}

/** Appends the lines of the blocks. */
function print(blocks: readonly Block[], indent: string, lines: string[]): void {
  for (const block of blocks) printBlock(block, indent, lines)
}

function printBlock(block: Block, indent: string, lines: string[]): void {
  const { label } = block
  switch (block.kind) {
    case 'line':
      lines.push(`${indent}${lineText(block)}`)
      return
    case 'items':
      lines.push(`${indent}${label}:`)
      for (const item of block.items) lines.push(`${indent}- ${item}`)
      return
    case 'table':
      lines.push(`${indent}${label}:`, `${indent}${block.header.join(' | ')}`)
      for (const row of block.rows) lines.push(`${indent}${row.join(' | ')}`)
      return
    case 'group':
      lines.push(`${indent}${label}:`)
      print(block.blocks, `${indent}  `, lines)
      return
    case 'text': {
      // Verbatim, without indentation: a reader may copy it back, with its last line end or without.
      const { text } = block
      const isEnded = text.endsWith('\n')
      const end = `--- end of ${label}${isEnded ? '' : ', no final newline'}`
      lines.push(`--- ${label} (${block.lines})`, isEnded ? text.slice(0, -1) : text, end)
      return
    }
    case 'entries':
      lines.push(`${indent}${label}:`)
      for (const [at, entry] of block.entries.entries())
        printEntry(entry, `${indent}${block.first + at}. `, indent, lines)
  }
}

function lineText({ label, value }: Extract<Block, { kind: 'line' }>): string {
  return label === '' ? value : `${label}: ${value}`
}

/** The short members of an entry share its first line. */
function printEntry(entry: readonly Block[], number: string, indent: string, lines: string[]): void {
  const short: string[] = []
  const rest: Block[] = []
  for (const block of entry) {
    if (block.kind === 'line') short.push(lineText(block))
    else rest.push(block)
  }
  lines.push(`${number}${short.join(' | ')}`)
  print(rest, `${indent}   `, lines)
}
