import { isAltered } from '../content-digest.ts'
import { extension } from '../record.ts'
import { type CheckFinding, type CheckOutcome, type CheckRule, fail, type Subject, warn } from './check.ts'

/** Checks whether a session could continue from the record, and whether its members agree. */
export const READINESS_CHECKS: readonly CheckRule[] = [
  { name: 'actionability', level: 'semantic', run: checkActionability },
  { name: 'consistency', level: 'semantic', run: checkConsistency },
  { name: 'integrity', level: 'semantic', run: checkIntegrity },
]

function checkActionability({ record }: Subject): readonly CheckFinding[] {
  const findings: CheckFinding[] = []
  if (record.open_items.length > 0 && !record.open_items.some((item) => item.suggested_action)) {
    findings.push(warn('no open item has a suggested_action', '/open_items'))
  } else if (record.open_items.length === 0 && record.summary.completed.length === 0) {
    findings.push(warn('no open item and nothing completed', '/open_items'))
  }
  for (const [index, item] of record.open_items.entries()) {
    if (item.priority === 'high' && !item.acceptance_check) {
      findings.push(
        warn(`${item.id} has high priority and no acceptance check`, `/open_items/${index}/acceptance_check`),
      )
    }
  }
  if (record.work.definition_of_done.length === 0) {
    findings.push(warn('no definition of done', '/work/definition_of_done'))
  }
  return findings
}

function checkConsistency({ record, value }: Subject): readonly CheckFinding[] {
  const { status, flags, validation, automation } = record
  const findings: CheckFinding[] = []
  const claimsChecked = status === 'ready' || status === 'validated'
  if (claimsChecked && (validation.status === 'fail' || validation.status === 'not_run')) {
    findings.push(fail(`status ${status} with validation ${validation.status}`, '/validation/status'))
  }
  if (flags.includes('invalid') && validation.status === 'pass') {
    findings.push(warn('flagged invalid although the validation passed', '/flags'))
  }
  if (new Set(flags).size < flags.length) findings.push(warn('a flag occurs twice', '/flags'))
  if (automation.score !== null && automation.trigger === 'manual') {
    findings.push(warn('a score with trigger manual', '/automation/score'))
  }
  const { conflicts } = extension(value)
  if (conflicts.length > 0 && !flags.includes('conflicted')) {
    findings.push(warn('open conflicts without the flag', '/flags'))
  }
  return findings
}

/** Statuses in which the content is released. */
const RELEASED: ReadonlySet<string> = new Set(['ready', 'resumed', 'superseded', 'archived'])

function checkIntegrity({ record, value, source }: Subject): CheckOutcome {
  const { content_sha256 } = extension(value)
  if (content_sha256 === undefined) return { skipped: 'the record carries no content digest' }
  if (!RELEASED.has(record.status)) return { skipped: 'the record is not released' }
  if (source.kind !== 'text') return { skipped: 'the digest needs the text of the record' }
  if (!isAltered({ record, document: source.document })) return []
  return [warn('the content differs from what was released', '/x_satchel/content_sha256')]
}
