import type { Capability } from '../../../server/plugin.ts'
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

/** `name`, or the first of `name-2`, `name-3` … that no member has; never longer than a name may be. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name
  for (let number = 2; ; number += 1) {
    const suffix = `-${number}`
    const candidate = firstChars(name, LIMITS.nameChars - suffix.length) + suffix
    if (!taken.has(candidate)) return candidate
  }
}
