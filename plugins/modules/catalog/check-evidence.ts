import { createHash } from 'node:crypto'
import { counted, type EvidenceFinding, isJsonObject } from '../../../server/plugin.ts'
import type { CheckFinding } from '../domain/check.ts'
import type { CheckedText } from './check-text.ts'

/** One file whose module calls were checked, as a claim names it. */
export interface CheckedFile {
  readonly path: string
  /** `sha256:<hex>` of its bytes. */
  readonly digest: string
  readonly calls: number
  readonly findings: number
  /** Calls of what is not ingested here; absent: none. */
  readonly unresolved?: number
}

/** How much a check found when it was captured: what is no more than that is not new. */
export type KnownFindings = Pick<CheckedFile, 'findings' | 'unresolved'>

export const MAX_CHECKED_FILES = 100

/** The facts of a check of one file. */
export function checkedFile(path: string, text: string, checked: CheckedText): CheckedFile {
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  const { wrong, unresolved } = findingsOf(checked)
  const counts = { calls: checked.blocks.length, findings: wrong.length }
  return { path, digest, ...counts, ...(unresolved.length > 0 && { unresolved: unresolved.length }) }
}

/** The files that an author or a record names; a sentence where it names none. */
export function readFiles(named: unknown): readonly ({ readonly path: string } & KnownFindings)[] | string {
  const list = isJsonObject(named) ? named['files'] : named
  const given: unknown[] = Array.isArray(list) ? list : [list]
  const files = given.map((one) => {
    const { path, findings, unresolved } = isJsonObject(one) ? one : { path: one }
    const count = (value: unknown) => (typeof value === 'number' ? value : 0)
    return { path, findings: count(findings), unresolved: count(unresolved) }
  })
  const isEach = files.every(
    (file): file is typeof file & { path: string } => typeof file.path === 'string' && file.path !== '',
  )
  if (!isEach || files.length === 0) return 'it names no files'
  return files.length > MAX_CHECKED_FILES ? `it names more than ${MAX_CHECKED_FILES} files` : files
}

const SHOWN_LINES = 3
/** Findings that say nothing about a call: what it calls is not here to be compared with. */
const UNRESOLVED: ReadonlySet<CheckFinding['code']> = new Set([
  'module_not_indexed',
  'unknown_ref',
  'module_not_whole',
  'local_module_outside',
])

interface Line {
  readonly line: number
  readonly message: string
}

function findingsOf({ blocks, problems }: CheckedText) {
  const findings = blocks.flatMap((block) => block.findings)
  const unresolved = findings.filter(({ code }) => UNRESOLVED.has(code))
  return { wrong: [...problems, ...findings.filter((one) => !unresolved.includes(one))], unresolved }
}

/**
 * The finding for one checked text: contradicted by a call that does not fit. A text shows nothing that calls no module,
 * or none that is ingested here.
 */
export function judgeChecked(
  where: string,
  checked: CheckedText,
  known: KnownFindings = { findings: 0 },
): EvidenceFinding {
  const { wrong, unresolved } = findingsOf(checked)
  if (wrong.length > known.findings)
    return {
      verdict: 'contradicted',
      reason: `${where}: ${counted(wrong.length, 'finding')} (${listed(wrong)})`,
    }
  if (checked.blocks.length === 0) return { verdict: 'unverifiable', reason: `${where} calls no module` }
  const compared = checked.blocks.filter(({ module }) => module !== undefined).length
  if (unresolved.length > (known.unresolved ?? 0) || compared === 0) {
    const why = unresolved.length > 0 ? listed(unresolved) : 'it calls local modules only'
    return { verdict: 'unverifiable', reason: `${where}: ${why}` }
  }
  const all = [
    `${counted(compared, 'module call')} checked`,
    wrong.length === 0 ? 'nothing found' : `${counted(wrong.length, 'finding')}, as before`,
    ...(unresolved.length === 0
      ? []
      : [`${counted(unresolved.length, 'call')} not ingested here, as before`]),
  ]
  return { verdict: 'holds', reason: `${where}: ${all.join(', ')}` }
}

function listed(lines: readonly Line[]): string {
  const inOrder = [...lines].sort((a, b) => a.line - b.line)
  const shown = inOrder
    .slice(0, SHOWN_LINES)
    .map(({ line, message }) => `line ${line}: ${message.replace(/\.$/, '')}`)
  return [...shown, ...(lines.length > SHOWN_LINES ? ['…'] : [])].join('; ')
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
