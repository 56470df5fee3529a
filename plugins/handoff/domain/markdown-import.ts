import { refusals } from '../reasons.ts'
import { BLOCK_INFO } from './markdown-export.ts'
import { sha256Hex } from './record-id.ts'

/** The record inside a Markdown file that `toMarkdown` wrote. */
export interface EmbeddedRecord {
  /** The record's own text, byte by byte. */
  readonly text: string
  /** The block no longer has the hash that the file names. */
  readonly isChanged: boolean
}

const MARK = /<!-- satchel:record sha256=([0-9a-f]{64}) newline=([01]) -->/

/**
 * The record in a Markdown file; undefined without a record block.
 * Errors: `invalid`/`ambiguous_markdown` for two.
 */
export function embeddedRecord(markdown: string): EmbeddedRecord | undefined {
  const blocks = recordBlocks(markdown)
  const [block] = blocks
  if (!block) return undefined
  if (blocks.length > 1) {
    throw refusals.ambiguous_markdown({ details: { blocks: blocks.length } })
  }
  const mark = MARK.exec(markdown.slice(0, block.start))
  const text = mark?.[2] === '0' ? block.text.replace(/\r?\n$/, '') : block.text
  return { text, isChanged: mark !== null && mark[1] !== sha256Hex(text) }
}

interface Block {
  /** Offset of its opening fence. */
  readonly start: number
  readonly text: string
}

/** Fenced blocks with the record info string. By the rules of Markdown only a fence of at least the same length closes one. */
function recordBlocks(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: OpenFence | undefined
  for (const { line, start, end } of linesOf(markdown)) {
    const fence = fenceOf(line)
    if (!open) {
      open = fence && { ...fence, start, from: end }
    } else if (fence?.info === '' && fence.run.startsWith(open.run)) {
      if (open.info === BLOCK_INFO) blocks.push({ start: open.start, text: markdown.slice(open.from, start) })
      open = undefined
    }
  }
  return blocks
}

interface OpenFence {
  readonly run: string
  readonly info: string
  readonly start: number
  readonly from: number
}

/** Parses a fence line. The info string after backticks contains no backtick. */
function fenceOf(line: string): { readonly run: string; readonly info: string } | undefined {
  const [, run, rest = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*(.*)$/.exec(line) ?? []
  if (run === undefined || (run.startsWith('`') && rest.includes('`'))) return undefined
  return { run, info: rest.trim() }
}

/** Lines without their ends, with the offsets of their start and of the next line. */
function* linesOf(
  text: string,
): Generator<{ readonly line: string; readonly start: number; readonly end: number }> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline + 1
    yield { line: text.slice(start, newline < 0 ? end : newline).replace(/\r$/, ''), start, end }
    start = end
  }
}
