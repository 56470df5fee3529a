import { createHash } from 'node:crypto'
import { counted, type EvidenceFinding, isJsonObject } from '../../../server/plugin.ts'
import type { CheckedText } from './check-text.ts'

/** One file whose module calls were checked, as a claim names it. */
export interface CheckedFile {
  readonly path: string
  /** `sha256:<hex>` of its bytes. */
  readonly digest: string
  readonly calls: number
  readonly findings: number
}

export const MAX_CHECKED_FILES = 100

/** The facts of a check of one file. */
export function checkedFile(path: string, text: string, checked: CheckedText): CheckedFile {
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  return { path, digest, calls: checked.blocks.length, findings: linesOf(checked).length }
}

/** The files that an author or a record names; a sentence where it names none. */
export function readFiles(
  named: unknown,
): readonly { readonly path: string; readonly findings: number }[] | string {
  const list = isJsonObject(named) ? named['files'] : named
  const given: unknown[] = Array.isArray(list) ? list : [list]
  const files = given.map((one) => {
    const { path, findings } = isJsonObject(one) ? one : { path: one }
    return { path, findings: typeof findings === 'number' ? findings : 0 }
  })
  const isEach = files.every(
    (file): file is { path: string; findings: number } => typeof file.path === 'string' && file.path !== '',
  )
  if (!isEach || files.length === 0) return 'it names no files'
  return files.length > MAX_CHECKED_FILES ? `it names more than ${MAX_CHECKED_FILES} files` : files
}

/** What a check found, a line for each finding: `3: unknown input "x"`. */
export function linesOf({ blocks, problems }: CheckedText): readonly string[] {
  const all = [...problems, ...blocks.flatMap(({ findings }) => findings)]
  return all
    .sort((a, b) => a.line - b.line)
    .map(({ line, message }) => `line ${line}: ${message.replace(/\.$/, '')}`)
}

const SHOWN_LINES = 3

/** The finding for one checked text; a text without a call shows nothing. */
export function judgeChecked(where: string, checked: CheckedText, known = 0): EvidenceFinding {
  const lines = linesOf(checked)
  if (lines.length > known) {
    const more = lines.length > SHOWN_LINES ? ['…'] : []
    const shown = [...lines.slice(0, SHOWN_LINES), ...more].join('; ')
    return { verdict: 'contradicted', reason: `${where}: ${counted(lines.length, 'finding')} (${shown})` }
  }
  if (checked.blocks.length === 0) return { verdict: 'unverifiable', reason: `${where} calls no module` }
  const calls = counted(checked.blocks.length, 'module call')
  const as = lines.length === 0 ? 'nothing found' : `${counted(lines.length, 'finding')}, as before`
  return { verdict: 'holds', reason: `${where}: ${calls} checked, ${as}` }
}

/**
 * The HCL of the fenced blocks of a Markdown text, each at its own lines, so that findings name lines of the text. A text
 * without such a block is empty.
 */
export function hclOfMarkdown(text: string): string {
  let fence: { readonly mark: string; readonly isHcl: boolean } | undefined
  return text
    .split(/\r?\n/)
    .map((line) => {
      const [, mark = '', info = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`{]*)/.exec(line) ?? []
      const closes = fence && mark.startsWith(fence.mark) && /^ {0,3}[`~]+[ \t]*$/.test(line)
      if (closes) fence = undefined
      else if (!fence && mark !== '') fence = { mark, isHcl: HCL_NAMES.has(info.toLowerCase()) }
      else if (fence?.isHcl) return line
      return ''
    })
    .join('\n')
}

const HCL_NAMES: ReadonlySet<string> = new Set(['hcl', 'terraform', 'tf', 'opentofu', 'tofu'])
