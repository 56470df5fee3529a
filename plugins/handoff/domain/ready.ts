import { extension, type Handoff } from './record.ts'

/** Why a record cannot become ready, as reasons of section 14; empty when it can. */
export function readyBlockers(record: Handoff, validation: 'pass' | 'warn' | 'fail'): readonly string[] {
  const blockers: string[] = []
  if (validation === 'fail') blockers.push('checks_failed')
  if (validation === 'warn') blockers.push('needs_acknowledgement')
  if (extension(record).conflicts.length > 0) blockers.push('conflicts_unresolved')
  // A failed check run sets the flag and a passing one clears it: only the other flag waits for a person.
  if (record.flags.includes('conflicted')) blockers.push('flagged')
  if (!isActionable(record)) blockers.push('not_actionable')
  return blockers
}

/** Somebody could go on: an open item says how, or nothing is open and something is done. */
export function isActionable(record: Handoff): boolean {
  if (record.open_items.length === 0) return record.summary.completed.length > 0
  return record.open_items.some((item) => item.suggested_action !== null && item.suggested_action !== '')
}
