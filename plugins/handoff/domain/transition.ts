import { extension, type Handoff, type Status } from './record.ts'

/** Which states a transition may lead to, by the state it starts from (design handoff, section 5). */
export const ALLOWED: Readonly<Record<Status, readonly Status[]>> = {
  draft: ['validated', 'ready', 'superseded', 'archived'],
  validated: ['validated', 'ready', 'superseded', 'archived'],
  ready: ['ready', 'superseded', 'archived'],
  resumed: ['ready', 'superseded', 'archived'],
  superseded: ['superseded', 'archived'],
  archived: ['archived'],
}

/** What a transition has to do. */
export type Step =
  /** It is there already. */
  | 'stay'
  /** Run the checks and store their outcome. */
  | 'validate'
  /** Release it to whoever goes on. */
  | 'promote'
  /** Give the claim back. */
  | 'release'
  /** Another record took its place. */
  | 'supersede'
  | 'archive'
  | 'illegal'

/** The step from one state to another. */
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
