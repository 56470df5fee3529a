import type { Pieces } from '../../../../server/plugin.ts'
import { drift } from '../drift.ts'
import { type Quality, qualityOf } from '../quality.ts'
import type { Check, Validation } from '../record.ts'
import { MAX_ERRORS, type SchemaFault } from '../schema-verdict.ts'
import { redactText } from '../secrets.ts'
import { readyBlockers } from '../transition.ts'
import type { CheckFinding, CheckOutcome, CheckRule, Subject } from './check.ts'
import { CONTENT_CHECKS } from './content.ts'
import { FORM_CHECKS } from './form.ts'
import { countsOf, HISTORY_CHECKS } from './history.ts'
import { READINESS_CHECKS } from './readiness.ts'
import { REFERENCE_CHECKS } from './references.ts'
import { WORLD_CHECKS } from './world.ts'

/** Which checks run: `schema` form and schema, `semantic` also those of the record alone, `repo` and `all` every check. */
export const LEVELS = ['schema', 'semantic', 'repo', 'all'] as const
export type Level = (typeof LEVELS)[number]

/** Two results for a record: `schema_valid` by the schema alone, `validation` by every check. */
export interface Verdict {
  readonly schema_valid: boolean
  readonly errors: readonly SchemaFault[]
  readonly errors_total: number
  /** The record's `validation` member, with `pointers` added to each check. */
  readonly validation: Omit<Validation, 'checks'> & { readonly checks: CheckResult[] }
  readonly can_ready: boolean
  readonly ready_blockers: readonly string[]
  readonly quality: Quality
  readonly counts: Readonly<Record<string, number>>
}

export type CheckResult = Check & { pointers: string[] }

const MAX_POINTERS = 20
const MAX_DETAILS = 5

/** Every check, in the order of the design. */
export const CHECKS: readonly CheckRule[] = [
  ...FORM_CHECKS,
  ...REFERENCE_CHECKS,
  ...HISTORY_CHECKS,
  ...CONTENT_CHECKS.filter(({ name }) => name !== 'injection'),
  ...WORLD_CHECKS,
  ...READINESS_CHECKS,
  ...CONTENT_CHECKS.filter(({ name }) => name === 'injection'),
  { name: 'quality', level: 'semantic', run: () => [] },
]

/** Runs the checks of a level. `strict` counts a warning as a failure. */
export function* judging(subject: Subject, level: Level, strict: boolean): Pieces<Verdict> {
  const quality = qualityOf(subject.record, isFresh(subject))
  const checks = yield* checking(subject, level, quality)
  const status = worst(checks, strict)
  const blockers = readyBlockers(subject.record, status)
  const valid = isReadable(subject) && subject.faults.length === 0
  return {
    schema_valid: valid,
    errors: errorsOf(subject).slice(0, MAX_ERRORS),
    errors_total: errorsOf(subject).length,
    validation: {
      status,
      validated_at: subject.now.toISOString(),
      checks,
      freshness:
        subject.world.git?.kind === 'repository' ? drift(subject.record, subject.world).freshness : null,
    },
    can_ready: valid && blockers.length === 0,
    ready_blockers: valid ? blockers : ['schema_invalid', ...blockers],
    quality,
    counts: countsOf(subject.record),
  }
}

function isFresh({ record, world }: Subject): boolean | undefined {
  if (world.git?.kind !== 'repository') return undefined
  const { state } = drift(record, world)
  return state === 'unknown' ? undefined : state === 'fresh'
}

function* checking(subject: Subject, level: Level, quality: Quality): Pieces<CheckResult[]> {
  const checks: CheckResult[] = []
  let isTooLarge = false
  for (const rule of CHECKS) {
    // The others take time for each member, and a record that is too large is refused in any case.
    const why = skipReason(subject, rule, level) ?? (isTooLarge ? 'the record is too large' : undefined)
    if (why !== undefined) {
      checks.push(skippedCheck(rule.name, why))
      continue
    }
    const ran = rule.run(subject)
    const result = checkResult(rule.name, isPieces(ran) ? yield* ran : ran)
    if (rule.name === 'size') isTooLarge = result.status === 'fail'
    checks.push(rule.name === 'quality' ? { ...result, detail: `${quality.overall} of 100` } : result)
    yield
  }
  return checks
}

function skipReason(subject: Subject, rule: CheckRule, level: Level): string | undefined {
  if (!runs(rule, level)) return `level ${level}`
  return isReadable(subject) || rule.level === 'schema' ? undefined : 'the text cannot be read as a record'
}

function isReadable({ source }: Subject): boolean {
  return source.kind === 'value' || source.kind === 'text'
}

function isPieces(ran: ReturnType<CheckRule['run']>): ran is Pieces<CheckOutcome> {
  return 'next' in ran
}

function runs(rule: CheckRule, level: Level): boolean {
  if (level === 'schema') return rule.level === 'schema'
  return level === 'semantic' ? rule.level !== 'repo' : true
}

function errorsOf({ source, faults }: Subject): readonly SchemaFault[] {
  if (source.kind === 'not_utf8') return [unreadable('the text is not UTF-8', 'UTF-8')]
  if (source.kind !== 'broken') return faults
  const { line, column } = source.fault
  return [unreadable(`the text is not JSON at line ${line}, column ${column}`, 'JSON')]
}

function unreadable(message: string, expected: string): SchemaFault {
  return { pointer: '', keyword: 'json', message, expected: [expected], actual: 'unreadable text' }
}

function checkResult(name: string, outcome: CheckOutcome): CheckResult {
  if ('skipped' in outcome) return skippedCheck(name, outcome.skipped)
  const status = outcome.some(isFail) ? 'fail' : outcome.length > 0 ? 'warn' : 'pass'
  const shown = [...outcome.filter(isFail), ...outcome.filter((finding) => !isFail(finding))]
  const details = shown.slice(0, MAX_DETAILS).map((finding) => finding.detail)
  const more = shown.length - details.length
  return {
    name,
    status,
    detail: details.join('; ') + (more > 0 ? `; and ${more} more` : ''),
    pointers: [...new Set(shown.flatMap(({ pointer }) => pointer ?? []))]
      .slice(0, MAX_POINTERS)
      .map(redactText),
  }
}

function isFail(finding: CheckFinding): boolean {
  return finding.level === 'fail'
}

function skippedCheck(name: string, why: string): CheckResult {
  return { name, status: 'skipped', detail: why, pointers: [] }
}

/** The worst status of the checks; `skipped` does not count. */
function worst(checks: readonly Check[], strict: boolean): 'pass' | 'warn' | 'fail' {
  if (checks.some(({ status }) => status === 'fail')) return 'fail'
  if (!checks.some(({ status }) => status === 'warn')) return 'pass'
  return strict ? 'fail' : 'warn'
}
