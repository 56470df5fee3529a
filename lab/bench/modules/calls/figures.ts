/** What the findings of `module_check` are worth on the calls of real repositories, as written and with mistakes. */
import { createHash } from 'node:crypto'
import { type CheckFinding, checkInputs } from '../../../../plugins/modules/domain/check.ts'
import { checkForm, checkUse } from '../../../../plugins/modules/domain/check-call.ts'
import { CHECK_RULES } from '../../../../plugins/modules/domain/check-levels.ts'
import { openModuleReader } from '../../../../plugins/modules/ingest/module-reader.ts'
import type { LabContext } from '../../../context.ts'
import { type Figure, figureOf, limitFigure } from '../../figure.ts'
import { repositoriesIn } from '../tags/figures.ts'
import { MISTAKES, type MistakeKind, type Pick, type SeededCall, seededCalls } from './mistakes.ts'
import { type RealCall, readRealCalls } from './real-calls.ts'
import { type Answer, type AskedCall, askTerraform } from './terraform.ts'

/** One seeded mistake and what the check made of it. */
export interface Outcome {
  readonly kind: MistakeKind
  readonly found: boolean
  /** That of the finding, if it has one. */
  readonly suggestion: string | undefined
  readonly isWrong: boolean
  readonly seeded: SeededCall
  readonly summary: RealCall['summary']
}

/** Shares that are promised. */
const FOUND = 0.95
const WRONG = 0.02
const AGREED = 0.99

/**
 * Reads the calls of bare repositories (or of folders of them), checks them as written and with mistakes of each kind.
 * With a command of Terraform it is asked about the same calls.
 */
export async function measureCalls(
  context: LabContext,
  directories: readonly string[],
  terraform?: string,
): Promise<readonly Figure[]> {
  const reader = await openModuleReader()
  const calls: RealCall[] = []
  try {
    for (const directory of directories) {
      for (const repository of await repositoriesIn(directory)) {
        context.signal.throwIfAborted()
        calls.push(...(await readRealCalls(repository, reader, context)))
      }
    }
  } finally {
    await reader.close()
  }
  const { clean, found } = asWritten(calls)
  for (const { call, finding } of found) context.note(lineOf(call, finding))
  const outcomes = clean.flatMap(outcomesOf)
  context.note(mistakeTable(outcomes))
  for (const one of outcomes.filter(({ found: isFound, isWrong }) => !isFound || isWrong)) {
    context.note(`${one.kind}: ${one.seeded.about}, right ${one.seeded.right}, said ${one.suggestion}`)
  }
  context.note(
    `${calls.length} calls of ${new Set(calls.map(({ repository }) => repository)).size} repositories`,
  )
  const refused = found.filter(({ finding }) => finding.code !== 'unknown_attribute')
  const figures = callFigures(calls.length, refused.length, outcomes)
  if (terraform === undefined) return figures
  const asked = [...calls, ...sampled(outcomes)]
  const answers = await askTerraform(asked, { ...context, terraform })
  const judged = comparisons(asked, answers)
  for (const one of judged.filter(({ ours, error }) => ours !== (error !== undefined)))
    context.note(`Terraform ${one.error ?? 'accepts it'}: ${one.call.block.name} of ${one.call.summary.name}`)
  return [...figures, terraformFigure(judged)]
}

/** Terraform takes a second for a few calls. */
const ASKED_OF_KIND = 40

/** Mistakes of each kind, spread over all repositories. */
function sampled(outcomes: readonly Outcome[]): AskedCall[] {
  return Object.keys(MISTAKES).flatMap((kind) => {
    const own = outcomes.filter((one) => one.kind === kind)
    const step = Math.max(1, Math.floor(own.length / ASKED_OF_KIND))
    const some = own.filter((_, at) => at % step === 0).slice(0, ASKED_OF_KIND)
    return some.map(({ seeded: { block, read }, summary }) => ({ block, summary, read }))
  })
}

/** What we say of a call beside what Terraform says of it. */
export interface Comparison {
  readonly call: AskedCall
  /** Whether there is a finding of what Terraform refuses. */
  readonly ours: boolean
  readonly error: string | undefined
}

/** The calls that Terraform could judge. Rules of validation are left out, because it judges the values of a plan by them. */
export function comparisons(calls: readonly AskedCall[], answers: readonly Answer[]): Comparison[] {
  return calls.flatMap((call, at) => {
    const answer = answers[at]
    if (answer?.kind !== 'known') return []
    const ours = findingsOf(call).some(
      ({ code }) => CHECK_RULES[code].level === 'error' && code !== 'rule_broken',
    )
    return [{ call, ours, error: answer.error }]
  })
}

/** How often Terraform refuses what we call an error, and accepts what we do not. */
export function terraformFigure(judged: readonly Comparison[]): Figure {
  return figureOf({
    name: 'modules.check_terraform',
    what: 'calls, as written and with mistakes, that Terraform refuses where we find an error, and only there',
    unit: 'calls',
    ours: judged.filter(({ ours, error }) => ours === (error !== undefined)).length,
    against: Math.max(1, judged.length),
    against_what: 'all that it could judge',
    goal: 1,
    gate: AGREED,
    sense: 'at_least',
  })
}

/**
 * Calls without a finding, and the findings of the others. A deprecated input is not a mistake; a key that Terraform drops
 * without a word is one, which no author is told of: these are printed, and only the others are counted as doubtful.
 */
export function asWritten(calls: readonly RealCall[]) {
  const checked = calls.map((call) => ({
    call,
    findings: checkInputs(call.block, call.summary).filter(({ code }) => code !== 'deprecated_input'),
  }))
  return {
    clean: checked.flatMap(({ call, findings }) => (findings.length === 0 ? [call] : [])),
    found: checked.flatMap(({ call, findings }) => findings.map((finding) => ({ call, finding }))),
  }
}

function lineOf({ repository, file, block }: RealCall, { line, code, message }: CheckFinding): string {
  return `as written: ${repository} ${file}:${line} "${block.name}": ${code}: ${message}`
}

/** The call with each mistake that it has a place for, checked. */
export function outcomesOf({ block, summary, repository, file }: RealCall): Outcome[] {
  const pick: Pick = (list) => {
    const digest = createHash('sha256').update(`${repository} ${file} ${block.line}`).digest()
    return list[digest.readUInt32BE(0) % Math.max(1, list.length)]
  }
  return seededCalls({ block, summary, pick }).map((seeded) => outcomeOf(seeded, summary))
}

/** All findings about a call, without those about its source. */
function findingsOf({ block, summary, read }: AskedCall): CheckFinding[] {
  const reads = read === undefined ? [] : [{ name: read, line: block.line }]
  return [...checkForm(block, new Map()), ...checkInputs(block, summary), ...checkUse(block, reads, summary)]
}

function outcomeOf(seeded: SeededCall, summary: RealCall['summary']): Outcome {
  const findings = findingsOf({ ...seeded, summary }).filter(({ code }) => code !== 'deprecated_input')
  const own = findings.find(({ code, message }) => code === seeded.code && message.includes(seeded.about))
  const suggestion = own?.suggestion
  const isRight = suggestion === undefined || isSuggested(seeded, suggestion)
  return { kind: seeded.kind, found: own !== undefined, suggestion, isWrong: !isRight, seeded, summary }
}

/** A suggestion is a name, or a whole argument that starts with it. */
function isSuggested({ right, code }: SeededCall, suggestion: string): boolean {
  if (right === undefined) return false
  return code === 'missing_input' ? suggestion.startsWith(`${right} = `) : suggestion === right
}

/** Each kind with its counts, as text. */
export function mistakeTable(outcomes: readonly Outcome[]): string {
  const rows = Object.keys(MISTAKES).map((kind) => {
    const own = outcomes.filter((one) => one.kind === kind)
    const count = (holds: (one: Outcome) => boolean): string => String(own.filter(holds).length)
    return [
      kind,
      String(own.length),
      count(({ found }) => found),
      count(({ suggestion }) => suggestion !== undefined),
      count(({ isWrong }) => isWrong),
    ]
  })
  return [['mistake', 'calls', 'found', 'suggested', 'wrong'], ...rows]
    .map(([kind = '', ...counts]) => `${kind.padEnd(44)}${counts.map((one) => one.padStart(10)).join('')}`)
    .join('\n')
}

/** The promises of `module_check`, each with what it was counted on. */
export function callFigures(
  calls: number,
  findings: number,
  outcomes: readonly Outcome[],
): readonly Figure[] {
  const seeded = Math.max(1, outcomes.length)
  return [
    limitFigure({
      name: 'modules.check_as_written',
      what: `findings in ${calls} calls as their authors wrote them, dropped keys left out`,
      unit: 'findings',
      ours: findings,
      limit: Math.max(1, calls) * 0.01,
    }),
    figureOf({
      name: 'modules.check_found',
      what: 'seeded mistakes that are found',
      unit: 'mistakes',
      ours: outcomes.filter(({ found }) => found).length,
      against: seeded,
      against_what: 'all of them',
      goal: FOUND,
      gate: FOUND,
      sense: 'at_least',
    }),
    figureOf({
      name: 'modules.check_wrong',
      what: 'mistakes whose suggestion is not what was meant',
      unit: 'mistakes',
      ours: outcomes.filter(({ isWrong }) => isWrong).length,
      against: seeded,
      against_what: 'all of them',
      goal: WRONG,
      gate: WRONG,
    }),
  ]
}
