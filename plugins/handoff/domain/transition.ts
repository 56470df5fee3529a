import type { Status } from './record.ts'

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
