import { extension, type Handoff, type Status } from './record.ts'

/** The allowed next statuses of each status (design handoff, section 5). */
export const ALLOWED: Readonly<Record<Status, readonly Status[]>> = {
  draft: ['validated', 'ready', 'superseded', 'archived'],
  validated: ['validated', 'ready', 'superseded', 'archived'],
  ready: ['ready', 'superseded', 'archived'],
  resumed: ['ready', 'superseded', 'archived'],
  superseded: ['superseded', 'archived'],
  archived: ['archived'],
}

/** The work of a transition. */
export type Step =
  /** The record has this status already. */
  | 'stay'
  /** Run the checks and store their outcome. */
  | 'validate'
  /** Release the record for the next session. */
  | 'promote'
  /** End the claim. */
  | 'release'
  /** Another record replaced it. */
  | 'supersede'
  | 'archive'
  | 'illegal'

/** The step from one status to another. */
export function stepFor(from: Status, to: Status): Step {
  if (!ALLOWED[from].includes(to)) return from === to && from === 'draft' ? 'stay' : 'illegal'
  if (to === 'validated') return 'validate'
  if (from === to) return 'stay'
  if (to === 'ready') return from === 'resumed' ? 'release' : 'promote'
  return to === 'superseded' ? 'supersede' : 'archive'
}

/** Why a record cannot become ready, as reasons of section 14; empty when it can. */
export function readyBlockers(record: Handoff, validation: 'pass' | 'warn' | 'fail'): readonly string[] {
  const blockers: string[] = []
  if (validation === 'fail') blockers.push('checks_failed')
  if (validation === 'warn') blockers.push('needs_acknowledgement')
  if (extension(record).conflicts.length > 0) blockers.push('conflicts_unresolved')
  // Check runs set and clear `invalid`; only the other flag needs a decision.
  if (record.flags.includes('conflicted')) blockers.push('flagged')
  if (!isActionable(record)) blockers.push('not_actionable')
  return blockers
}

/** True if an open item has a suggested_action, or nothing is open and something is completed. */
export function isActionable(record: Handoff): boolean {
  if (record.open_items.length === 0) return record.summary.completed.length > 0
  return record.open_items.some((item) => item.suggested_action !== null && item.suggested_action !== '')
}
