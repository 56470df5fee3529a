import * as z from 'zod'
import { counted, showHidden } from '../../../server/plugin.ts'
import {
  CHECK_LEVELS,
  CHECK_RULES,
  type CheckLevel,
  isAtLeast,
  type RuleCode,
} from '../domain/check-levels.ts'
import type { CheckedTree } from '../service/check-tree.ts'

/** One line of a report on a tree. */
export interface Reported {
  readonly file: string
  readonly line: number
  readonly code: RuleCode
  readonly message: string
  readonly suggestion?: string
  /** Name of the call; absent for what is wrong with a text. */
  readonly call?: string
}

/** What `satchel modules check` answers with `--format json`. */
export const checkReport = z.object({
  blocks: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      line: z.number().int(),
      source: z.string(),
      module: z
        .object({ id: z.string(), repository: z.string(), ref: z.string(), path: z.string() })
        .optional(),
      findings: z.array(
        z.object({
          line: z.number().int(),
          file: z.string().optional(),
          level: z.enum(CHECK_LEVELS),
          code: z.string(),
          message: z.string(),
          suggestion: z.string().optional(),
        }),
      ),
    }),
  ),
  problems: z.array(z.object({ file: z.string(), line: z.number().int(), message: z.string() })),
  outside: z.array(
    z.object({
      file: z.string(),
      line: z.number().int(),
      level: z.enum(CHECK_LEVELS),
      code: z.string(),
      message: z.string(),
      suggestion: z.string().optional(),
    }),
  ),
  files: z.number().int(),
  findings: z.number().int(),
  failing: z.number().int(),
})
type CheckReport = z.infer<typeof checkReport>

/** The data of a report; `failing` counts what matters at least as much as `failOn`. */
export function reportOf(tree: CheckedTree, files: number, failOn: CheckLevel): CheckReport {
  const all = reported(tree)
  return checkReport.parse({
    blocks: tree.blocks.map(({ findings, ...block }) => ({
      ...block,
      findings: findings.map((one) => ({ ...one, level: CHECK_RULES[one.code].level })),
    })),
    problems: tree.problems,
    outside: tree.findings.map((one) => ({ ...one, level: CHECK_RULES[one.code].level })),
    files,
    findings: all.length,
    failing: all.filter(({ code }) => isAtLeast(code, failOn)).length,
  })
}

/** Every finding with its place, by file and line. */
export function reported({ blocks, problems, findings: outside }: CheckedTree): readonly Reported[] {
  const found = [
    ...problems.map((one): Reported => ({ ...one, code: 'unreadable' })),
    ...outside.map((one): Reported => ({ file: '', ...one })),
    ...blocks.flatMap(({ name, file = '', findings }) =>
      findings.map((one): Reported => ({ file, ...one, call: name })),
    ),
  ]
  return found.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line))
}

/** The findings in the calls of one file, as a terminal shows them in tables. */
export function fileTables({ blocks, problems }: CheckedTree): Readonly<Record<string, unknown>> {
  return {
    blocks: blocks.map(({ file: _file, ...block }) => block),
    problems: problems.map(({ line, message }) => ({ line, message })),
  }
}

/** A line for each finding, as compilers print them, and a last one that counts. */
export function reportText(tree: CheckedTree, files: number): string {
  const all = reported(tree)
  const lines = all.map(({ file, line, code, message, suggestion, call }) => {
    const hint = suggestion === undefined || message.includes(suggestion) ? '' : ` Suggestion: ${suggestion}`
    const of = call === undefined ? '' : ` [module.${call}]`
    return `${file}:${line}: ${CHECK_RULES[code].level}: ${code}: ${message}${hint}${of}`
  })
  return showHidden(`${[...lines, `${reportHeadline(tree, files)}.`].join('\n')}\n`)
}

/** What was checked, and how much of what was found. */
export function reportHeadline(tree: CheckedTree, files: number): string {
  const all = reported(tree)
  const counts = CHECK_LEVELS.flatMap((level) => {
    const count = all.filter(({ code }) => CHECK_RULES[code].level === level).length
    return count === 0 ? [] : [counted(count, level)]
  })
  const found = counts.length === 0 ? 'nothing found' : counts.join(', ')
  return `${counted(tree.blocks.length, 'module block')} in ${counted(files, 'file')} checked: ${found}`
}

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const

/** Workflow commands of GitHub Actions, which mark the lines of a pull request. */
export function githubText(tree: CheckedTree): string {
  return reported(tree)
    .map(({ file, line, code, message, call }) => {
      const title = call === undefined ? code : `${code} in module.${call}`
      const place = `file=${property(file)},line=${line},title=${property(title)}`
      return `::${COMMANDS[CHECK_RULES[code].level]} ${place}::${escaped(message)}\n`
    })
    .join('')
}

/** What GitHub takes literally in the text of a command. */
function escaped(text: string): string {
  return showHidden(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return escaped(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
