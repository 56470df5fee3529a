import { type Capability, mixesScripts } from '../../../server/plugin.ts'
import { LIMITS } from './limits.ts'
import type { Moment } from './moment.ts'
import { firstChars } from './short-text.ts'

export type ParticipantKind = 'human' | 'agent'

/** A member of the room until it leaves; a session's end does not end membership. */
export interface Participant {
  readonly participant_id: string
  readonly kind: ParticipantKind
  readonly name: string
  readonly capabilities: readonly Capability[]
  readonly joined_at: Moment
  readonly last_seen: Moment
  readonly left_at?: Moment
}

/** A participant as it is shown: `mixed_script` when its name may pass for another (see `mixesScripts`). */
export type ParticipantView = Participant & { readonly mixed_script?: true }

export function participantView(participant: Participant): ParticipantView {
  return { ...participant, ...scriptMark(participant.name) }
}

/** `{ mixed_script: true }` for a name with a word of several scripts, otherwise nothing. */
export function scriptMark(name: string): { readonly mixed_script?: true } {
  return mixesScripts(name) ? { mixed_script: true } : {}
}

/** `name`, or the first of `name-2`, `name-3` … that no member has; never longer than a name may be. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`
    const candidate = firstChars(name, LIMITS.nameChars - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}
